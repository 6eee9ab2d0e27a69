//! Numbers of descriptors, and the files to which they refer.

use crate::host::system::limit;
use std::io;

/// Lowest number of the tool's descriptors, out of the way of programs that count on low numbers.
pub(crate) const LOWEST: libc::c_int = 200;

/// The first number that is none of a standard stream's.
const LOWEST_FREE: libc::c_int = 3;

/// Returns true if a descriptor of the tool can have such a number; otherwise it would take one from the program.
pub(crate) fn has_free_number() -> bool {
    limit(libc::RLIMIT_NOFILE) > LOWEST as u64
}

/// A second descriptor of an open file, with such a number; `None` if none is free.
pub(crate) fn high_copy(descriptor: libc::c_int) -> Option<libc::c_int> {
    copy_from(LOWEST, descriptor)
}

/// A second descriptor of an open file, with the first free number from `lowest` on.
fn copy_from(lowest: libc::c_int, descriptor: libc::c_int) -> Option<libc::c_int> {
    // SAFETY: duplicates a descriptor that the caller has open.
    let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, lowest) };
    (copy >= 0).then_some(copy)
}

/// Device and inode of the file to which a descriptor refers.
pub(crate) fn identity(descriptor: libc::c_int) -> Option<(u64, u64)> {
    status(descriptor).map(|status| (status.st_dev, status.st_ino))
}

/// True for a regular file with a name that was opened for both reading and writing.
pub(crate) fn is_named_and_read(descriptor: libc::c_int, status: &libc::stat) -> bool {
    // SAFETY: asks for flags.
    let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
    let is_named = status.st_mode & libc::S_IFMT == libc::S_IFREG && status.st_nlink > 0;
    is_named && flags & libc::O_ACCMODE == libc::O_RDWR
}

/// The kernel's description of the file to which a descriptor refers.
pub(crate) fn status(descriptor: libc::c_int) -> Option<libc::stat> {
    let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the pointer is to memory for one `stat`; it is read only after success.
    unsafe {
        let filled = libc::fstat(descriptor, status.as_mut_ptr()) == 0;
        filled.then(|| status.assume_init())
    }
}

/// Moves a descriptor to this number, or to [`LOWEST`] or above, or at least off the standard streams' numbers, on
/// which a program counts that has closed these. Fails if no other number is free.
pub(crate) fn move_up(low: libc::c_int, number: libc::c_int) -> io::Result<libc::c_int> {
    let high = match copy_from(number, low).or_else(|| high_copy(low)) {
        Some(high) => Ok(high),
        None if low >= LOWEST_FREE => return Ok(low),
        None => copy_from(LOWEST_FREE, low).ok_or_else(io::Error::last_os_error),
    };
    // SAFETY: closes a descriptor that we just opened.
    unsafe { libc::close(low) };
    high
}
