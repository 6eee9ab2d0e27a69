//! Resources that a process needs before it can begin or end: space on a disk, and descriptors.

use std::ffi::CStr;

/// True if the file system at `path` is known to have less than `bytes` available.
pub(crate) fn is_short(path: &CStr, bytes: u64) -> bool {
    let mut status = std::mem::MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: a C string, and memory for one `statvfs`, read only after success.
    let status = unsafe {
        if libc::statvfs(path.as_ptr(), status.as_mut_ptr()) != 0 {
            return false;
        }
        status.assume_init()
    };
    status.f_bavail.saturating_mul(status.f_frsize) < bytes
}

/// A raised limit on descriptors, as far as the process may raise it, for the last files and the exporter: a program
/// that has used up its own should get its trace nevertheless. The limit is restored when this is dropped.
pub(crate) struct MoreDescriptors(Option<libc::rlimit>);

impl MoreDescriptors {
    pub(crate) fn allow() -> MoreDescriptors {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: fills the structure on this stack or leaves it.
        if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } != 0
            || limit.rlim_cur >= ENOUGH
        {
            return MoreDescriptors(None);
        }
        let more = libc::rlimit { rlim_cur: limit.rlim_max.min(ENOUGH), ..limit };
        // SAFETY: reads the structure on this stack.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const more) };
        MoreDescriptors(Some(limit))
    }
}

/// Number of descriptors that no program opens by accident.
const ENOUGH: libc::rlim_t = 1 << 16;

impl Drop for MoreDescriptors {
    fn drop(&mut self) {
        if let Some(limit) = self.0 {
            // SAFETY: reads the structure in `self`.
            unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
        }
    }
}
