//! Setting of the allocator for a limited address space.

use rustix::process::{Resource, getrlimit};

/// Where the address space is limited, all threads allocate from one arena. For a thread's own arena glibc maps 128 MiB and
/// returns what it does not need: until then, allocations of other threads may fail, which ends the process.
///
/// To be called before there are other threads.
pub fn adapt_to_limit() {
    if getrlimit(Resource::As).current.is_some() {
        #[cfg(target_env = "gnu")]
        // SAFETY: the call changes a parameter of the allocator and takes no pointers. It must not run beside itself, and
        // the process has no other threads yet. A refusal leaves the allocator as it is.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1)
        };
    }
}
