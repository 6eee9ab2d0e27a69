//! A function that the caller's libgomp lacks. Without us the loader would have found nothing, and ended
//! the process with a line; it found us, so we do the same.
//!
//! Limits: the loader does so at the start where all is bound at once (`-z now`), we at the first call; and
//! a program that tests whether a weak symbol is defined finds that it is.

use crate::libraries::library_at;
use core::ffi::{CStr, c_char, c_void};

unsafe extern "C" {
    /// glibc's: the program as it was called.
    static program_invocation_name: *const c_char;
}

/// The loader's own way out: its line, its code, and no handlers.
#[cold]
#[inline(never)]
pub(crate) fn ends_the_process(name: &CStr, code: u64) -> ! {
    // SAFETY: a C string that glibc sets before any code of ours runs.
    let program = unsafe { CStr::from_ptr(program_invocation_name) };
    let caller = library_at(code as *const c_void).map_or(program, |(_, file)| file);
    let parts: [&[u8]; 6] = [
        program.to_bytes(),
        b": symbol lookup error: ",
        caller.to_bytes(),
        b": undefined symbol: ",
        name.to_bytes(),
        b"\n",
    ];
    // SAFETY: plain system calls with memory that lives.
    unsafe {
        for part in parts {
            libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len());
        }
        libc::_exit(127)
    }
}
