//! Bytes of a page of this machine: 4, 16 or 64 KiB, as its kernel was built.

use ompttrace_recording::pool::PAGE;

/// What the kernel says; it is the same for all of a process's life.
pub fn page_bytes() -> usize {
    // SAFETY: asks for a number, which the C library has from the process's start: no system call.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).unwrap_or(PAGE)
}
