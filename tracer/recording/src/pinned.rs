//! A folder that was opened once, and changes below it by names instead of paths.
//!
//! Another user may rename such a folder, or put links and pipes into it, at any time. Nothing here follows a link below
//! the folder or waits for a pipe, and only [`PinnedFolder::overwrite`] and [`PinnedFolder::continued`], which are for
//! private folders, write into a file that is there already.

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, linkat, mkdirat, openat, renameat, renameat_with,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::{CStr, OsStr};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(test)]
mod tests;

/// Flags of everything that is opened below a folder: a link is an error, and a pipe is not waited for.
const BELOW: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
/// Flags of a folder, for which no right to read is needed.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A folder that stays the same, whatever its path comes to mean.
#[derive(Debug)]
pub struct PinnedFolder(File);

impl PinnedFolder {
    /// Opens the folder that has this path now; an empty path is the working folder.
    pub fn open(path: &Path) -> io::Result<PinnedFolder> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(PinnedFolder(openat(CWD, path, FOLDER, Mode::empty())?.into()))
    }

    /// Opens what has this path now if it is a folder and no link.
    pub fn itself(path: &CStr) -> io::Result<PinnedFolder> {
        Ok(PinnedFolder(openat(CWD, path, FOLDER | OFlags::NOFOLLOW, Mode::empty())?.into()))
    }

    /// A second descriptor of a folder.
    pub fn again(folder: BorrowedFd<'_>) -> io::Result<PinnedFolder> {
        Ok(PinnedFolder(openat(folder, c".", FOLDER, Mode::empty())?.into()))
    }

    /// The folder's own metadata.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// A path that means this folder for as long as this value lives, for what takes only paths.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }

    /// Metadata of what has this name, which may be a link.
    pub fn entry(&self, name: impl AsRef<OsStr>) -> io::Result<Metadata> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        File::from(openat(&self.0, name.as_ref(), flags, Mode::empty())?).metadata()
    }

    /// Opens a regular file for reading.
    pub fn read(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.regular(name.as_ref(), OFlags::RDONLY)
    }

    /// Opens a regular file that is there, for writing over it.
    pub fn overwrite(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let file = self.regular(name.as_ref(), OFlags::WRONLY)?;
        match file.metadata()?.nlink() {
            1 => Ok(file),
            _ => Err(io::Error::other("it has another name, which may be somebody else's")),
        }
    }

    fn regular(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
        let file = File::from(openat(&self.0, name, flags | BELOW, Mode::empty())?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("no regular file")) }
    }

    /// Creates a file for its owner alone, for reading and writing; the name must be free.
    pub fn create(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | BELOW;
        Ok(openat(&self.0, name.as_ref(), flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Opens a file for writing, at its end where it is to be appended to; it is created where it is missing. Does not
    /// allocate.
    pub fn continued(&self, name: &CStr, is_appended: bool) -> io::Result<OwnedFd> {
        let append = if is_appended { OFlags::APPEND } else { OFlags::empty() };
        let flags = OFlags::WRONLY | OFlags::CREATE | append | BELOW;
        Ok(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?)
    }

    /// Creates a file without a name, for reading and writing, that is gone when it is closed.
    pub fn nameless(&self) -> io::Result<File> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        if let Ok(file) = openat(&self.0, ".", flags, Mode::RUSR | Mode::WUSR) {
            return Ok(file.into());
        }
        // Some file systems cannot.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".ompttrace.{}.{number}", std::process::id());
        let file = self.create(&name)?;
        self.remove(name)?;
        Ok(file)
    }

    /// True for a folder of our own user. A file system may show all files as another user's: then a file that is made
    /// in the folder has to be that user's as well.
    pub fn is_ours(&self) -> io::Result<bool> {
        let owner = self.metadata()?.uid();
        Ok(owner == geteuid().as_raw() || self.nameless()?.metadata()?.uid() == owner)
    }

    /// Creates a folder for its owner alone; the name must be free. A folder of another user that has taken its place
    /// by the time it is opened is an error.
    pub fn private(&self, name: impl AsRef<OsStr>) -> io::Result<PinnedFolder> {
        let name = name.as_ref();
        mkdirat(&self.0, name, Mode::RWXU)?;
        let flags = FOLDER | OFlags::NOFOLLOW;
        let folder = PinnedFolder(openat(&self.0, name, flags, Mode::empty())?.into());
        match folder.is_ours()? {
            true => Ok(folder),
            false => Err(io::Error::other("another user has replaced it")),
        }
    }

    /// Gives a file of this folder another name here, which may be taken: that file is replaced.
    pub fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(renameat(&self.0, from.as_ref(), &self.0, to.as_ref())?)
    }

    /// Gives a file or folder a name in this folder or another, which must be free. The old name may stay.
    pub fn place(
        &self,
        from: impl AsRef<OsStr>,
        to: &PinnedFolder,
        name: impl AsRef<OsStr>,
    ) -> io::Result<()> {
        let (from, name) = (from.as_ref(), name.as_ref());
        let taken = || Err(io::ErrorKind::AlreadyExists.into());
        match renameat_with(&self.0, from, &to.0, name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            Err(Errno::EXIST) => return taken(),
            Err(_) => {}
        }
        // Some file systems cannot. A second name fails where it is taken; folders, and file systems without second
        // names, get a rename after a look.
        match linkat(&self.0, from, &to.0, name, AtFlags::empty()) {
            Ok(()) => return Ok(()),
            Err(Errno::EXIST) => return taken(),
            Err(_) if to.entry(name).is_ok() => return taken(),
            Err(_) => {}
        }
        match renameat(&self.0, from, &to.0, name) {
            Err(Errno::NOTEMPTY) => taken(),
            renamed => Ok(renamed?),
        }
    }

    /// Removes a file, or a link.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(unlinkat(&self.0, name.as_ref(), AtFlags::empty())?)
    }

    /// Removes a file, or a folder with all that is in it; links are not followed.
    pub fn remove_all(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        match self.remove(&name) {
            // Which of the two depends on the file system.
            Err(error)
                if matches!(Errno::from_io_error(&error), Some(Errno::ISDIR | Errno::PERM)) =>
            {
                fs::remove_dir_all(self.path().join(name.as_ref()))
            }
            removed => removed,
        }
    }

    /// Writes a file beside its name, under the name `draft`, and puts it in place when `fill` has filled it.
    pub fn replace<T>(
        &self,
        name: impl AsRef<OsStr>,
        draft: impl AsRef<OsStr>,
        fill: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut file = self.create(&draft)?;
        let filled = fill(&mut file).and_then(|filled| self.rename(&draft, name).map(|()| filled));
        filled.inspect_err(|_| drop(self.remove(&draft)))
    }

    /// Waits until all names in it are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        File::open(self.path())?.sync_all()
    }
}

impl AsFd for PinnedFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
