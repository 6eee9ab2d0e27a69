//! The run folder behind a descriptor that the program may close or take for a file of its own.
//!
//! Another user may be able to rename the folder that the run folder lies in, and to put a link in its place: what is
//! opened later goes into the folder that was made, or nowhere.

use crate::host::descriptors::{high_copy, identity};
use ompttrace_recording::PinnedFolder;
use std::ffi::{CString, OsStr};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of a recording.
#[derive(Debug)]
pub struct OwnFolder {
    path: CString,
    identity: (u64, u64),
    /// The folder's descriptor, with a number above those of the program; none if there is no free number there. It
    /// is never closed, like those of the files in it.
    kept: Option<libc::c_int>,
}

impl OwnFolder {
    /// A folder that was just made, at `path`, an absolute path.
    pub fn new(path: &Path, folder: &PinnedFolder) -> io::Result<OwnFolder> {
        let descriptor = folder.as_fd().as_raw_fd();
        Ok(OwnFolder {
            path: CString::new(path.as_os_str().as_bytes())?,
            identity: identity(descriptor).ok_or_else(io::Error::last_os_error)?,
            kept: high_copy(descriptor),
        })
    }

    /// The folder for a short while. Does not allocate.
    pub fn pin(&self) -> io::Result<PinnedFolder> {
        if let Some(folder) = self.kept.and_then(|kept| self.again(kept)) {
            return Ok(folder);
        }
        let folder = PinnedFolder::itself(&self.path)?;
        match self.is_it(&folder) {
            true => Ok(folder),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The folder's path, which is another one than at first if the folder was moved.
    pub fn path(&self) -> PathBuf {
        let given = Path::new(OsStr::from_bytes(self.path.as_bytes()));
        let is_it = |path: &Path| {
            let found = path.metadata().ok();
            found.is_some_and(|found| (found.dev(), found.ino()) == self.identity)
        };
        let kept = self.kept.filter(|_| !is_it(given));
        let moved = kept.and_then(|kept| fs::read_link(format!("/proc/self/fd/{kept}")).ok());
        moved.filter(|path| is_it(path)).unwrap_or_else(|| given.to_owned())
    }

    fn again(&self, kept: libc::c_int) -> Option<PinnedFolder> {
        identity(kept).filter(|found| *found == self.identity)?;
        // SAFETY: the number was open just now. Where the program closes it meanwhile the call fails, or opens what the
        // program has put there, which the second look finds out.
        let folder = PinnedFolder::again(unsafe { BorrowedFd::borrow_raw(kept) }).ok()?;
        self.is_it(&folder).then_some(folder)
    }

    fn is_it(&self, folder: &PinnedFolder) -> bool {
        identity(folder.as_fd().as_raw_fd()) == Some(self.identity)
    }
}

/// The folder at `path`, for tests.
#[cfg(test)]
pub(crate) fn own_folder(path: &Path) -> std::sync::Arc<OwnFolder> {
    let folder = PinnedFolder::open(path).and_then(|folder| OwnFolder::new(path, &folder));
    std::sync::Arc::new(folder.expect("a folder"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder `run` in `top`, without a descriptor where one is not to be `kept`.
    fn made(top: &Path, is_kept: bool) -> OwnFolder {
        let folder = PinnedFolder::open(top).and_then(|top| top.private("run")).expect("made");
        let own = OwnFolder::new(&top.join("run"), &folder).expect("a folder");
        OwnFolder { kept: own.kept.filter(|_| is_kept), ..own }
    }

    #[test]
    fn what_is_put_in_the_folders_place_is_not_written_to() {
        for is_kept in [true, false] {
            let top = tempfile::tempdir().expect("a folder");
            let of = |name: &str| top.path().join(name);
            let own = made(top.path(), is_kept);
            own.pin().and_then(|folder| folder.create("first")).expect("in place");
            assert_eq!(own.path(), of("run"));
            fs::rename(of("run"), of("elsewhere")).expect("renamed");
            fs::create_dir(of("another's")).expect("made");
            symlink("another's", of("run")).expect("linked");
            assert_eq!(own.path(), of(if is_kept { "elsewhere" } else { "run" }));
            let second = own.pin().and_then(|folder| folder.create("second"));
            assert_eq!(second.is_ok(), is_kept);
            assert_eq!(of("elsewhere/second").exists(), is_kept);
            fs::remove_file(of("run")).expect("removed");
            fs::rename(of("another's"), of("run")).expect("renamed");
            let third = own.pin().and_then(|folder| folder.create("third"));
            assert_eq!(third.is_ok(), is_kept);
            assert_eq!(fs::read_dir(of("run")).expect("listed").count(), 0);
        }
    }

    #[test]
    fn a_descriptor_that_the_program_took_is_not_used() {
        let top = tempfile::tempdir().expect("a folder");
        let own = made(top.path(), true);
        let other = PinnedFolder::open(Path::new("/")).expect("opened");
        let kept = own.kept.expect("a free number");
        // SAFETY: puts a folder behind a descriptor of this test.
        assert_eq!(unsafe { libc::dup2(other.as_fd().as_raw_fd(), kept) }, kept);
        own.pin().and_then(|folder| folder.create("file")).expect("by its path");
        assert!(top.path().join("run/file").is_file());
    }
}
