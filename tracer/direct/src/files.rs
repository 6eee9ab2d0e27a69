//! Functions of files whose system calls take other arguments.

use crate::direct;
use crate::system::c_call;
use std::ffi::{c_char, c_int};

/// The folder that relative paths start from.
const HERE: usize = libc::AT_FDCWD as usize;

unsafe extern "C" fn open(path: usize, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's path.
    unsafe { c_call(libc::SYS_openat, [HERE, path, flags as usize, mode as usize, 0, 0]) as c_int }
}

unsafe extern "C" fn unlink(path: usize) -> c_int {
    // SAFETY: the caller's path.
    unsafe { c_call(libc::SYS_unlinkat, [HERE, path, 0, 0, 0, 0]) as c_int }
}

unsafe extern "C" fn rmdir(path: usize) -> c_int {
    let flags = libc::AT_REMOVEDIR as usize;
    // SAFETY: the caller's path.
    unsafe { c_call(libc::SYS_unlinkat, [HERE, path, flags, 0, 0, 0]) as c_int }
}

unsafe extern "C" fn mkdir(path: usize, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's path.
    unsafe { c_call(libc::SYS_mkdirat, [HERE, path, mode as usize, 0, 0, 0]) as c_int }
}

unsafe extern "C" fn stat(path: usize, status: usize) -> c_int {
    // SAFETY: the caller's path and structure, which is the kernel's own on the processors that we record on.
    unsafe { c_call(libc::SYS_newfstatat, [HERE, path, status, 0, 0, 0]) as c_int }
}

unsafe extern "C" fn lstat(path: usize, status: usize) -> c_int {
    let flags = libc::AT_SYMLINK_NOFOLLOW as usize;
    // SAFETY: as for `stat`.
    unsafe { c_call(libc::SYS_newfstatat, [HERE, path, status, flags, 0, 0]) as c_int }
}

unsafe extern "C" fn readlink(path: usize, bytes: usize, size: usize) -> isize {
    // SAFETY: the caller's path and memory.
    unsafe { c_call(libc::SYS_readlinkat, [HERE, path, bytes, size, 0, 0]) }
}

/// The kernel returns a length, C the memory.
unsafe extern "C" fn getcwd(bytes: *mut c_char, size: usize) -> *mut c_char {
    // SAFETY: the caller's memory; null is refused by the kernel.
    let length = unsafe { c_call(libc::SYS_getcwd, [bytes.addr(), size, 0, 0, 0, 0]) };
    if length < 0 { std::ptr::null_mut() } else { bytes }
}

/// The position comes as two halves, of which the kernel ignores the upper one on 64-bit processors.
unsafe extern "C" fn pwritev(file: c_int, parts: usize, count: c_int, at: usize) -> isize {
    // SAFETY: the caller's parts.
    unsafe { c_call(libc::SYS_pwritev, [file as usize, parts, count as usize, at, 0, 0]) }
}

/// Of the structure only what is asked for here: free blocks and their size.
unsafe extern "C" fn statvfs(path: usize, status: *mut libc::statvfs) -> c_int {
    let mut known = std::mem::MaybeUninit::<libc::statfs>::zeroed();
    let place = known.as_mut_ptr().expose_provenance();
    // SAFETY: the caller's path and structure; the kernel fills the one on this stack.
    unsafe {
        let failed = c_call(libc::SYS_statfs, [path, place, 0, 0, 0, 0]) as c_int;
        if failed == 0 {
            let known = known.assume_init();
            *status = std::mem::zeroed();
            (*status).f_bsize = known.f_bsize as _;
            (*status).f_frsize = known.f_frsize as _;
            (*status).f_blocks = known.f_blocks;
            (*status).f_bfree = known.f_bfree;
            (*status).f_bavail = known.f_bavail;
        }
        failed
    }
}

unsafe extern "C" fn send(socket: c_int, bytes: usize, size: usize, flags: c_int) -> isize {
    // SAFETY: the caller's bytes; no address is given.
    unsafe { c_call(libc::SYS_sendto, [socket as usize, bytes, size, flags as usize, 0, 0]) }
}

direct! {
    "getcwd" => getcwd;
    "lstat" => lstat;
    "lstat64" => lstat;
    "mkdir" => mkdir;
    "open" => open;
    "open64" => open;
    "pwritev" => pwritev;
    "readlink" => readlink;
    "rmdir" => rmdir;
    "send" => send;
    "stat64" => stat;
    "statvfs" => statvfs;
    "unlink" => unlink;
}
