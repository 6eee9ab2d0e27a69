//! Bytes of a page of this machine: 4, 16 or 64 KiB, as its kernel was built.

use crate::host::sync::{AtomicU64, Ordering};
use ompttrace_recording::pool::PAGE;

/// The kernel's answer, the same for all of a process's life. The C library is asked once: at the process's end its
/// functions are not called any more.
pub fn page_bytes() -> usize {
    static KNOWN: AtomicU64 = AtomicU64::new(0);
    match KNOWN.load(Ordering::Relaxed) as usize {
        0 => {
            // SAFETY: asks for a number, which the C library has from the process's start: no system call.
            let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let bytes = usize::try_from(bytes).unwrap_or(PAGE);
            KNOWN.store(bytes as u64, Ordering::Relaxed);
            bytes
        }
        bytes => bytes,
    }
}
