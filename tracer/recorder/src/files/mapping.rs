//! Address ranges of the tool, and the parts of the pool's file that are mapped there.
//!
//! Only what is used is taken: a program may limit its address space or lock its memory at any time, and what is
//! merely reserved counts there as well.

use crate::host::system::{fallocate, largest_file, put};
use std::io;

/// Addresses without memory, which are free again when this is dropped.
pub(crate) struct Mapping {
    start: *mut u8,
    bytes: usize,
}

impl Mapping {
    /// This many bytes, whole pages, at an address of the kernel's choice.
    pub(crate) fn reserve(bytes: usize) -> io::Result<Mapping> {
        // SAFETY: an anonymous mapping without access.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { start: start.cast(), bytes })
    }

    /// Memory that starts out as zeros, at `offset`.
    pub(crate) fn open(&self, offset: usize, bytes: usize) -> io::Result<()> {
        // SAFETY: callers pass whole pages of the mapping, which nothing else uses yet.
        let result = unsafe {
            let page = self.start.add(offset).cast();
            libc::mprotect(page, bytes, libc::PROT_READ | libc::PROT_WRITE)
        };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Makes the first page memory that starts out as zeros, and is empty again in a forked child.
    pub(crate) fn open_private_page(&self, page: usize) -> io::Result<()> {
        self.open(0, page)?;
        // SAFETY: our own page. Kernels before 4.14 refuse; there the fork handler alone disarms the child.
        unsafe { libc::madvise(self.start.cast(), page, libc::MADV_WIPEONFORK) };
        Ok(())
    }

    /// Part of the file `fd` at `offset`, with its memory there from the start: a full tmpfs must say so now and
    /// not by a SIGBUS in a callback.
    pub(crate) fn map_shared(
        &self,
        fd: libc::c_int,
        offset: usize,
        file_offset: usize,
        bytes: usize,
    ) -> io::Result<()> {
        if (file_offset + bytes) as u64 > largest_file() {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        allocate(fd, file_offset as u64, bytes as u64)?;
        // SAFETY: a plain system call; MAP_FIXED replaces pages of this mapping only, whose size includes
        // offset + bytes.
        unsafe {
            let mapped = libc::mmap(
                self.start.add(offset).cast(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_POPULATE,
                fd,
                file_offset as libc::off_t,
            );
            if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
        }
    }

    /// Stays for the program's life. Records are written through addresses that are kept as numbers.
    pub(crate) fn keep(self) -> *mut u8 {
        let start = self.start;
        std::mem::forget(self);
        let _ = start.expose_provenance();
        start
    }
}

/// Gives a part of the file, which nobody has used, its room on the disk.
fn allocate(fd: libc::c_int, from: u64, bytes: u64) -> io::Result<()> {
    match fallocate(fd, 0, from, bytes) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => {
            write_zeros(fd, from, bytes)
        }
        result => result,
    }
}

/// Writes zeros, for a file system that cannot preallocate, as NFS before 4.2.
fn write_zeros(fd: libc::c_int, mut from: u64, bytes: u64) -> io::Result<()> {
    static ZEROS: [u8; 4096] = [0; 4096];
    let end = from + bytes;
    while from < end {
        let count = (end - from).min(ZEROS.len() as u64) as usize;
        let part = libc::iovec { iov_base: ZEROS.as_ptr().cast_mut().cast(), iov_len: count };
        match put(fd, &[part], from)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => from += written as u64,
        }
    }
    Ok(())
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: addresses of our own that nothing has got.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}
