//! Functions whose arguments are those of the system call.

use crate::direct;
use crate::system::c_call;
use std::ffi::c_long;

/// The system call of this number with the caller's arguments. What a function has fewer of than six is whatever the registers
/// hold, which the kernel does not read.
unsafe extern "C" fn passed<const NUMBER: c_long>(
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    // SAFETY: the caller's arguments for the C function of the same meaning.
    unsafe { c_call(NUMBER, [a, b, c, d, e, f]) }
}

direct! {
    "clock_gettime" => passed::<{ libc::SYS_clock_gettime }>;
    "close" => passed::<{ libc::SYS_close }>;
    "connect" => passed::<{ libc::SYS_connect }>;
    "fallocate" => passed::<{ libc::SYS_fallocate }>;
    "fcntl" => passed::<{ libc::SYS_fcntl }>;
    "fstat" => passed::<{ libc::SYS_fstat }>;
    "fstat64" => passed::<{ libc::SYS_fstat }>;
    "ftruncate" => passed::<{ libc::SYS_ftruncate }>;
    "ftruncate64" => passed::<{ libc::SYS_ftruncate }>;
    "geteuid" => passed::<{ libc::SYS_geteuid }>;
    "getpid" => passed::<{ libc::SYS_getpid }>;
    "getppid" => passed::<{ libc::SYS_getppid }>;
    "getrusage" => passed::<{ libc::SYS_getrusage }>;
    "getsockopt" => passed::<{ libc::SYS_getsockopt }>;
    "gettid" => passed::<{ libc::SYS_gettid }>;
    "ioctl" => passed::<{ libc::SYS_ioctl }>;
    "lseek" => passed::<{ libc::SYS_lseek }>;
    "lseek64" => passed::<{ libc::SYS_lseek }>;
    "madvise" => passed::<{ libc::SYS_madvise }>;
    "mmap" => passed::<{ libc::SYS_mmap }>;
    "mmap64" => passed::<{ libc::SYS_mmap }>;
    "mprotect" => passed::<{ libc::SYS_mprotect }>;
    "munmap" => passed::<{ libc::SYS_munmap }>;
    "prctl" => passed::<{ libc::SYS_prctl }>;
    "process_vm_readv" => passed::<{ libc::SYS_process_vm_readv }>;
    "pwrite64" => passed::<{ libc::SYS_pwrite64 }>;
    "read" => passed::<{ libc::SYS_read }>;
    "sched_yield" => passed::<{ libc::SYS_sched_yield }>;
    "sigaltstack" => passed::<{ libc::SYS_sigaltstack }>;
    "socket" => passed::<{ libc::SYS_socket }>;
    "statx" => passed::<{ libc::SYS_statx }>;
    "write" => passed::<{ libc::SYS_write }>;
    "writev" => passed::<{ libc::SYS_writev }>;
}
