//! Calls of functions that the caller's libgomp lacks. Without this library the loader would have found nothing, and
//! ended the process with a message; since it found this library's function, the same is done here.
//!
//! Limits: the loader does so at the start if all symbols are bound at once (`-z now`), this library at the first
//! call; and a program that tests whether a weak symbol is defined finds that it is.

use crate::libraries::library_at;
use core::ffi::{CStr, c_char, c_void};

unsafe extern "C" {
    /// Name by which the program was called, set by glibc.
    static program_invocation_name: *const c_char;
}

/// Ends the process as the loader does: with its message and its exit code, and without handlers.
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
