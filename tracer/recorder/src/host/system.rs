//! System calls that files and mappings have in common.

use std::io;

/// Repeats a system call until no signal interrupts it.
pub(crate) fn uninterrupted(call: impl Fn() -> libc::ssize_t) -> io::Result<usize> {
    loop {
        let written = call();
        if written >= 0 {
            return Ok(written as usize);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Preallocates blocks of a file, without being interrupted: on tmpfs an interrupted call has done nothing.
pub(crate) fn fallocate(
    descriptor: libc::c_int,
    mode: libc::c_int,
    from: u64,
    bytes: u64,
) -> io::Result<()> {
    let (from, bytes) = (from as libc::off_t, bytes as libc::off_t);
    uninterrupted(|| {
        // SAFETY: a system call that touches no memory of this process.
        unsafe { libc::fallocate(descriptor, mode, from, bytes) as libc::ssize_t }
    })
    .map(drop)
}

/// A limit of this process; `u64::MAX` for none.
pub(crate) fn limit(resource: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: fills the structure on this stack or leaves it.
    unsafe { libc::getrlimit(resource, &raw mut limit) };
    limit.rlim_cur
}

/// The largest file that this process may write: one byte more brings a signal that kills it.
pub fn largest_file() -> u64 {
    limit(libc::RLIMIT_FSIZE)
}

/// Writes `parts` at this offset of the file.
pub(crate) fn put(descriptor: libc::c_int, parts: &[libc::iovec], at: u64) -> io::Result<usize> {
    let (first, count, at) = (parts.as_ptr(), parts.len() as libc::c_int, at as libc::off_t);
    uninterrupted(|| {
        // SAFETY: the parts describe memory that lives during the call and that nothing writes:
        // the caller's own, or committed bytes of a slot whose lock the caller holds.
        unsafe { libc::pwritev(descriptor, first, count, at) }
    })
}
