//! Functions of processes and threads whose system calls take other arguments.

use crate::direct;
use crate::system::{c_call, call, error};
use std::ffi::{c_int, c_long};

/// Bytes of the kernel's set of signals.
const SIGNALS: usize = 8;

/// C's function of any system call: the number comes first, the sixth argument on the stack.
unsafe extern "C" fn syscall(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    // SAFETY: the caller's arguments.
    unsafe { c_call(number, [a, b, c, d, e, f]) }
}

unsafe extern "C" fn getrlimit(resource: c_int, limit: usize) -> c_int {
    // SAFETY: the caller's structure.
    unsafe { c_call(libc::SYS_prlimit64, [0, resource as usize, 0, limit, 0, 0]) as c_int }
}

unsafe extern "C" fn setrlimit(resource: c_int, limit: usize) -> c_int {
    // SAFETY: the caller's structure.
    unsafe { c_call(libc::SYS_prlimit64, [0, resource as usize, limit, 0, 0, 0]) as c_int }
}

unsafe extern "C" fn waitpid(process: c_int, status: usize, options: c_int) -> c_int {
    // SAFETY: the caller's number, or null.
    unsafe {
        c_call(libc::SYS_wait4, [process as usize, status, options as usize, 0, 0, 0]) as c_int
    }
}

/// C returns an error instead of setting errno.
unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: usize,
    left: usize,
) -> c_int {
    let number = libc::SYS_clock_nanosleep;
    // SAFETY: the caller's structures.
    error(unsafe { call(number, [clock as usize, flags as usize, time, left, 0, 0]) })
}

/// Not every processor's kernel has a call of that name.
unsafe extern "C" fn pause() -> c_int {
    // SAFETY: no descriptors, no limit, and the thread's own signals.
    unsafe { c_call(libc::SYS_ppoll, [0, 0, 0, 0, SIGNALS, 0]) as c_int }
}

unsafe extern "C" fn sched_getcpu() -> c_int {
    let mut core: u32 = 0;
    let place = (&raw mut core).expose_provenance();
    // SAFETY: the kernel fills the number on this stack.
    match unsafe { c_call(libc::SYS_getcpu, [place, 0, 0, 0, 0, 0]) } {
        0 => core as c_int,
        _ => -1,
    }
}

/// Direct system calls are no cancellation points, so there is nothing to shut.
unsafe extern "C" fn stay_cancelable(_: c_int, old: *mut c_int) -> c_int {
    if !old.is_null() {
        // SAFETY: the caller's number.
        unsafe { *old = 0 };
    }
    0
}

direct! {
    "clock_nanosleep" => clock_nanosleep;
    "getrlimit" => getrlimit;
    "pause" => pause;
    "pthread_setcancelstate" => stay_cancelable;
    "pthread_setcanceltype" => stay_cancelable;
    "sched_getcpu" => sched_getcpu;
    "setrlimit" => setrlimit;
    "syscall" => syscall;
    "waitpid" => waitpid;
}
