//! The event files of a run folder, and files that are only appended to.

use crate::area_file::AreaFile;
use crate::own_file::OwnFile;
use crate::sync::{AtomicU64, Ordering};
use ompttrace_recording::folder;
use std::io;
use std::path::Path;

/// Where a recording goes.
pub struct Output {
    stripes: [AreaFile; folder::STRIPES],
}

/// A file that is opened when first needed and only ever appended to.
pub struct AppendFile {
    file: OwnFile,
    /// Bytes written so far; nobody else writes to the file.
    size: AtomicU64,
}

impl Output {
    /// The event files of the run folder `run`, an absolute path; none is created yet.
    pub fn new(run: &Path) -> io::Result<Output> {
        let mut stripes = Vec::with_capacity(folder::STRIPES);
        for number in 0..folder::STRIPES {
            stripes.push(AreaFile::new(&run.join(format!("{}{number}", folder::EVENTS)))?);
        }
        let stripes = stripes.try_into().map_err(|_| io::Error::other("number of files"))?;
        Ok(Output { stripes })
    }

    /// Writes `parts`, whole areas, as one piece to the file of `thread`; returns the bytes written.
    pub(crate) fn write(&self, thread: u64, parts: &[libc::iovec]) -> io::Result<usize> {
        match self.stripes.get(thread as usize % folder::STRIPES) {
            Some(stripe) => stripe.write(parts),
            None => Err(io::Error::from_raw_os_error(libc::EBADF)),
        }
    }

    /// Files that somebody has removed while they are written.
    pub(crate) fn removed(&self) -> usize {
        self.stripes.iter().filter(|stripe| stripe.is_removed()).count()
    }

    /// Gives back what was set aside on the disk and not used.
    pub(crate) fn finish(&self) {
        self.stripes.iter().for_each(AreaFile::finish);
    }
}

impl AppendFile {
    /// The file at `path`, an absolute path; it is not opened yet.
    pub fn new(path: &Path) -> io::Result<AppendFile> {
        Ok(AppendFile { file: OwnFile::new(path, libc::O_APPEND)?, size: AtomicU64::new(0) })
    }

    /// Appends bytes; returns how many were written. Neither allocates nor locks once it is open.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let descriptor = self.file.descriptor()?;
        if self.size.load(Ordering::Relaxed) + bytes.len() as u64 > largest_file() {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        let written = uninterrupted(|| {
            // SAFETY: the caller's bytes.
            unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) }
        })?;
        self.size.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }
}

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

/// Sets aside blocks of a file, without being interrupted: on tmpfs an interrupted call has done nothing.
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
