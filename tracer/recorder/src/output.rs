//! The event files of a run folder: opened when first needed, appended to, never anybody else's.

use crate::sync::{AtomicI32, AtomicU64, Lock, Ordering};
use ompttrace_recording::folder;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Our descriptors are moved up here, out of the way of programs that count on low numbers.
const LOWEST_DESCRIPTOR: libc::c_int = 200;

/// Where a recording goes.
pub struct Output {
    stripes: [AppendFile; folder::STRIPES],
}

/// A file that is opened when first needed and only ever appended to.
pub struct AppendFile {
    path: CString,
    descriptor: AtomicI32,
    /// Device and inode of the file that we opened: a program may close all descriptors that it
    /// does not know and get our number for a file of its own.
    device: AtomicU64,
    inode: AtomicU64,
    /// Bytes written so far; nobody else writes to the file.
    size: AtomicU64,
    opening: Lock,
}

impl Output {
    /// The event files of the run folder `run`, an absolute path; none is created yet.
    pub fn new(run: &Path) -> io::Result<Output> {
        let mut stripes = Vec::with_capacity(folder::STRIPES);
        for number in 0..folder::STRIPES {
            stripes.push(AppendFile::new(&run.join(format!("{}{number}", folder::EVENTS)))?);
        }
        let stripes = stripes.try_into().map_err(|_| io::Error::other("number of files"))?;
        Ok(Output { stripes })
    }

    /// Appends `parts` as one piece to the file of `thread`; returns the bytes written.
    pub(crate) fn append(&self, thread: u64, parts: &[libc::iovec]) -> io::Result<usize> {
        match self.stripes.get(thread as usize % folder::STRIPES) {
            Some(stripe) => stripe.append(parts),
            None => Err(io::Error::from_raw_os_error(libc::EBADF)),
        }
    }
}

impl AppendFile {
    /// The file at `path`, an absolute path; it is not opened yet.
    pub fn new(path: &Path) -> io::Result<AppendFile> {
        Ok(AppendFile {
            path: CString::new(path.as_os_str().as_bytes())?,
            descriptor: AtomicI32::new(-1),
            device: AtomicU64::new(0),
            inode: AtomicU64::new(0),
            size: AtomicU64::new(0),
            opening: Lock::new(),
        })
    }

    /// Appends bytes; returns how many were written. Neither allocates nor locks once it is open.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.append(&[libc::iovec {
            iov_base: bytes.as_ptr().cast_mut().cast(),
            iov_len: bytes.len(),
        }])
    }

    fn append(&self, parts: &[libc::iovec]) -> io::Result<usize> {
        let descriptor = self.descriptor()?;
        let bytes: usize = parts.iter().map(|part| part.iov_len).sum();
        if self.size.load(Ordering::Relaxed) + bytes as u64 > largest_file() {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        loop {
            // SAFETY: the parts describe memory that lives during the call and that nobody writes:
            // a caller's own bytes, or committed bytes of a slot whose lock the caller holds.
            let written =
                unsafe { libc::writev(descriptor, parts.as_ptr(), parts.len() as libc::c_int) };
            if written >= 0 {
                self.size.fetch_add(written as u64, Ordering::Relaxed);
                return Ok(written as usize);
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
    /// The descriptor, checked to be still that of our file.
    fn descriptor(&self) -> io::Result<libc::c_int> {
        let descriptor = self.descriptor.load(Ordering::Acquire);
        if descriptor >= 0 && self.is_ours(descriptor) {
            return Ok(descriptor);
        }
        let Some(_guard) = self.opening.lock() else {
            return Err(io::Error::from_raw_os_error(libc::EDEADLK));
        };
        let descriptor = self.descriptor.load(Ordering::Acquire);
        if descriptor >= 0 && self.is_ours(descriptor) {
            return Ok(descriptor);
        }
        self.open()
    }

    fn is_ours(&self, descriptor: libc::c_int) -> bool {
        identity(descriptor).is_some_and(|(device, inode)| {
            device == self.device.load(Ordering::Relaxed)
                && inode == self.inode.load(Ordering::Relaxed)
        })
    }

    fn open(&self) -> io::Result<libc::c_int> {
        let flags =
            libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC | libc::O_NOFOLLOW;
        // SAFETY: a zero-terminated path; the new descriptor is ours.
        let low = unsafe { libc::open(self.path.as_ptr(), flags, 0o600) };
        if low < 0 {
            return Err(io::Error::last_os_error());
        }
        let descriptor = move_up(low);
        let (device, inode) =
            identity(descriptor).ok_or_else(|| io::Error::from_raw_os_error(libc::EBADF))?;
        self.device.store(device, Ordering::Relaxed);
        self.inode.store(inode, Ordering::Relaxed);
        self.descriptor.store(descriptor, Ordering::Release);
        Ok(descriptor)
    }
}

/// Device and inode behind a descriptor.
pub(crate) fn identity(descriptor: libc::c_int) -> Option<(u64, u64)> {
    let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the pointer is to memory for one `stat`; it is read only after success.
    unsafe {
        if libc::fstat(descriptor, status.as_mut_ptr()) != 0 {
            return None;
        }
        let status = status.assume_init();
        Some((status.st_dev, status.st_ino))
    }
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

fn move_up(low: libc::c_int) -> libc::c_int {
    // SAFETY: duplicates and closes a descriptor that we just opened.
    unsafe {
        let high = libc::fcntl(low, libc::F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
        if high < 0 {
            return low;
        }
        libc::close(low);
        high
    }
}
