//! A file of ours behind a descriptor that the program may close or take for a file of its own.

use crate::files::own_folder::OwnFolder;
use crate::host::descriptors::{LOWEST, identity, move_up, status};
use crate::host::openings::one_at_a_time;
use crate::host::own_stack::{Signals, on_own_stack};
use crate::host::sync::{AtomicI32, AtomicU64, Ordering};
use std::ffi::CString;
use std::io;
use std::os::fd::IntoRawFd;
use std::sync::Arc;

/// Number of writes after which the descriptor was that of another file.
static MISPLACED: AtomicU64 = AtomicU64::new(0);

/// The number of our writes during which the program took our descriptor for another file. Each may have gone into that
/// one, and was repeated in the right one.
pub fn misplaced_writes() -> u64 {
    MISPLACED.load(Ordering::Relaxed)
}

/// Number of times that an operation is begun anew because the program closed the descriptor just before it: as that
/// has to happen in the few instructions between, twice in succession is rare.
pub(crate) const TRIES: usize = 16;

/// The lowest descriptor number that a file asks for, another one for each file: if the program closes all
/// descriptors that it does not know, a file that is opened again would otherwise get the number of another one, into
/// which a thread is just about to write.
fn own_number() -> libc::c_int {
    const FIRST: libc::c_int = LOWEST + 20;
    const NUMBERS: u64 = 64;
    static FILES: AtomicU64 = AtomicU64::new(0);
    FIRST + (FILES.fetch_add(1, Ordering::Relaxed) % NUMBERS) as libc::c_int
}

/// A file that is opened when first needed, and again whenever its descriptor is no longer ours.
pub(crate) struct OwnFile {
    folder: Arc<OwnFolder>,
    name: CString,
    is_appended: bool,
    descriptor: AtomicI32,
    /// The number of the descriptor, if it is free.
    number: libc::c_int,
    /// Device and inode of the file that we opened: a program may close all descriptors that it
    /// does not know and get our number for a file of its own.
    device: AtomicU64,
    inode: AtomicU64,
}

impl OwnFile {
    /// The file of this name, to be opened for writing, at its end where it is only appended to.
    pub(crate) fn new(
        folder: &Arc<OwnFolder>,
        name: &str,
        is_appended: bool,
    ) -> io::Result<OwnFile> {
        Ok(OwnFile {
            folder: Arc::clone(folder),
            name: CString::new(name)?,
            is_appended,
            descriptor: AtomicI32::new(-1),
            number: own_number(),
            device: AtomicU64::new(0),
            inode: AtomicU64::new(0),
        })
    }

    /// Does `what`, a write, with the descriptor, and again where the program has closed it meanwhile, or has put a file of its
    /// own there: then the write went into that, and is counted.
    pub(crate) fn with<T>(&self, what: impl Fn(libc::c_int) -> io::Result<T>) -> io::Result<T> {
        let mut result = Err(io::Error::from_raw_os_error(libc::EBADF));
        for _ in 0..TRIES {
            let descriptor = self.descriptor()?;
            result = what(descriptor);
            match &result {
                Err(error) if error.raw_os_error() == Some(libc::EBADF) => continue,
                Err(_) => break,
                Ok(_) if self.is_ours(descriptor) => break,
                Ok(_) => {}
            }
            // Closed and nothing in its place: the write was most likely good.
            MISPLACED.fetch_add(u64::from(identity(descriptor).is_some()), Ordering::Relaxed);
            result = Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        result
    }

    /// The descriptor, checked to be that of our file. Neither allocates nor locks once it is open.
    pub(crate) fn descriptor(&self) -> io::Result<libc::c_int> {
        if let Some(descriptor) = self.if_open() {
            return Ok(descriptor);
        }
        // Opening takes more of the stack than an event may; one stack at a time.
        let open = || on_own_stack(Signals::Blocked, || self.open());
        one_at_a_time(|| self.if_open().map_or_else(open, Ok))
    }

    /// The descriptor, if the file is open and still ours.
    pub(crate) fn if_open(&self) -> Option<libc::c_int> {
        let descriptor = self.descriptor.load(Ordering::Acquire);
        (descriptor >= 0 && self.is_ours(descriptor)).then_some(descriptor)
    }

    /// Returns true if the file that is open was removed: its contents are lost with the process.
    pub(crate) fn is_removed(&self) -> bool {
        let status = self.if_open().and_then(status);
        status.is_some_and(|status| status.st_nlink == 0)
    }

    fn is_ours(&self, descriptor: libc::c_int) -> bool {
        identity(descriptor).is_some_and(|(device, inode)| {
            device == self.device.load(Ordering::Relaxed)
                && inode == self.inode.load(Ordering::Relaxed)
        })
    }

    fn open(&self) -> io::Result<libc::c_int> {
        let low = self.folder.pin()?.continued(&self.name, self.is_appended)?;
        let descriptor = move_up(low.into_raw_fd(), self.number)?;
        let Some((device, inode)) = identity(descriptor) else {
            // A file server that is gone may say so only now, and will be asked again.
            let error = io::Error::last_os_error();
            // What the program has closed meanwhile may be another's by now.
            if error.raw_os_error() != Some(libc::EBADF) {
                // SAFETY: closes a descriptor that we just opened.
                unsafe { libc::close(descriptor) };
            }
            return Err(error);
        };
        self.device.store(device, Ordering::Relaxed);
        self.inode.store(inode, Ordering::Relaxed);
        self.descriptor.store(descriptor, Ordering::Release);
        Ok(descriptor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::own_folder::own_folder;
    use crate::host::system::uninterrupted;
    use std::cell::Cell;

    fn closed_before_writing(times: usize) -> (io::Result<usize>, Vec<u8>) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = OwnFile::new(&own_folder(folder.path()), "file", true).expect("a name");
        let left = Cell::new(times);
        let result = file.with(|descriptor| {
            if left.get() > 0 {
                left.set(left.get() - 1);
                // SAFETY: closes a descriptor that was just opened for this file.
                unsafe { libc::close(descriptor) };
                return Err(io::Error::from_raw_os_error(libc::EBADF));
            }
            // SAFETY: four bytes of a constant.
            uninterrupted(|| unsafe { libc::write(descriptor, b"area".as_ptr().cast(), 4) })
        });
        (result, std::fs::read(folder.path().join("file")).expect("read"))
    }

    #[test]
    fn what_the_program_closes_just_before_a_write_is_opened_again() {
        let (result, bytes) = closed_before_writing(3);
        assert_eq!((result.expect("written"), &bytes[..]), (4, &b"area"[..]));
        let (result, bytes) = closed_before_writing(TRIES);
        assert_eq!(result.expect_err("never open").raw_os_error(), Some(libc::EBADF));
        assert_eq!(bytes, b"");
    }
}
