//! The instruction that enters the kernel.

use std::ffi::{c_int, c_long};

/// Values from here on are an error's number, negative.
const LAST_ERROR: isize = -4095;

/// The result of a system call with six arguments, of which each call reads as many as it has: a value or an error's number,
/// negative.
///
/// # Safety
/// The arguments must be good for the system call.
pub(crate) unsafe fn call(number: c_long, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let result: isize;
    // SAFETY: the caller's promise; the kernel changes only the registers named here.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack)
        );
    }
    // SAFETY: the same.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a as isize => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
            options(nostack)
        );
    }
    result
}

/// A system call's result as C functions return it: -1 and errno for an error.
pub(crate) fn result(value: isize) -> isize {
    if (LAST_ERROR..0).contains(&value) {
        // SAFETY: the calling thread's own word.
        unsafe { *libc::__errno_location() = -value as c_int };
        return -1;
    }
    value
}

/// [`call`] with a result as C functions return it.
///
/// # Safety
/// As for [`call`].
pub(crate) unsafe fn c_call(number: c_long, arguments: [usize; 6]) -> isize {
    // SAFETY: the caller's promise.
    result(unsafe { call(number, arguments) })
}

/// The error's number that a system call returned, 0 for none: how functions of threads return it.
pub(crate) fn error(value: isize) -> c_int {
    if (LAST_ERROR..0).contains(&value) { -value as c_int } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_a_value_or_an_error() {
        // SAFETY: neither touches memory; -1 is no descriptor.
        let (process, closed) = unsafe {
            (c_call(libc::SYS_getpid, [0; 6]), c_call(libc::SYS_close, [usize::MAX, 0, 0, 0, 0, 0]))
        };
        assert_eq!(process as u32, std::process::id());
        assert_eq!(closed, -1);
        assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::EBADF));
    }
}
