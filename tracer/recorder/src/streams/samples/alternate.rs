//! A stack for signals, for sampled threads that have none: the handler takes 18 KB, of which the kernel's frame alone is 3.4, and
//! coroutines have 4 to 16 in all.
//!
//! The stack is in the same mapping as the thread's region, after it. A stack that the program sets takes precedence;
//! until then sigaltstack() returns the tool's.

use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// Bytes of the stack: handlers of the program that ask for such a stack get it as well.
pub(super) const BYTES: usize = 64 << 10;

/// The calling thread's stack for signals.
pub(super) fn current() -> libc::stack_t {
    let mut found = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: fills the structure, for which all zeros is a value.
    unsafe {
        libc::sigaltstack(null(), found.as_mut_ptr());
        found.assume_init()
    }
}

/// Gives the calling thread the memory at `start` as its stack for signals, unless it has one.
///
/// # Safety
/// The memory, [`BYTES`] of it, is used for nothing else until [`take_back`] returns true.
pub(super) unsafe fn give(start: *mut libc::c_void) {
    if current().ss_flags & libc::SS_DISABLE == 0 {
        return;
    }
    let ours = libc::stack_t { ss_sp: start, ss_flags: 0, ss_size: BYTES };
    // SAFETY: the caller's promise.
    unsafe { libc::sigaltstack(&raw const ours, null_mut()) };
}

/// Takes the memory at `start` back from the calling thread; false: it runs on it just now.
pub(super) fn take_back(start: *mut libc::c_void) -> bool {
    let found = current();
    if found.ss_flags & libc::SS_DISABLE != 0 || found.ss_sp != start {
        return true;
    }
    let none = libc::stack_t { ss_sp: null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
    // SAFETY: from here on the thread has none, as before; refused while it runs on it.
    unsafe { libc::sigaltstack(&raw const none, null_mut()) == 0 }
}
