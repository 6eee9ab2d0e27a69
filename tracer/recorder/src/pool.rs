//! The pool: reserved address space in which each thread's block is mapped when it is first needed.
//!
//! Address space: a page that only this process sees filled (`token`), the pool's header page, then
//! per block a private page and the shared part (control page, slots). The file has no holes for
//! private pages (see `ompttrace_recording::pool`).

use crate::block::Block;
use crate::sync::{AtomicU64, Ordering};
use ompttrace_recording::pool::{PAGE, block_bytes, block_offset, header};
use ompttrace_recording::{FORMAT_VERSION, pool};
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Blocks that are reserved if the address space allows: threads alive at the same time.
const CAPACITY: usize = 16 * 1024;
/// Address space that is asked for at most.
const ADDRESSES: usize = 64 << 30;
const HEAD: usize = 2 * PAGE;

/// The pool of one recording.
pub(crate) struct Pool {
    base: *mut u8,
    pub(crate) capacity: usize,
    slot: usize,
    file: File,
    /// Its file.
    pub(crate) path: PathBuf,
}

// SAFETY: `base` is the start of a mapping that is never unmapped; all access through it is by
// atomics, or by the one thread that owns a block.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// Creates the pool's file at `path` (which must not exist) and reserves address space.
    pub(crate) fn create(path: &Path, session: u32, slot: usize) -> io::Result<Pool> {
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path)?;
        let built = Self::build(file, path, session, slot);
        if built.is_err() {
            let _ = std::fs::remove_file(path);
        }
        built
    }

    fn build(file: File, path: &Path, session: u32, slot: usize) -> io::Result<Pool> {
        let (base, capacity) = reserve(slot)?;
        let pool = Pool { base, capacity, slot, file, path: path.to_owned() };
        pool.open_private_page(0)?;
        pool.map_shared(PAGE, 0, PAGE)?;
        pool.token().store(1, Ordering::SeqCst);
        pool.header(header::VERSION).store(u64::from(FORMAT_VERSION), Ordering::Relaxed);
        pool.header(header::SESSION).store(u64::from(session), Ordering::Relaxed);
        pool.header(header::SLOT).store(slot as u64, Ordering::Relaxed);
        crate::block::set_slot_bytes(slot);
        pool.header(header::PID).store(u64::from(std::process::id()), Ordering::Relaxed);
        pool.header(header::MAGIC).store(pool::MAGIC, Ordering::Release);
        Ok(pool)
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: callers pass offsets of mapped, 8-byte aligned words below HEAD; the mapping
        // lives as long as the program and is only accessed by atomics.
        unsafe { AtomicU64::from_ptr(self.base.add(offset).cast()) }
    }

    /// 1 in the process that created the pool, 0 in its forked children.
    pub(crate) fn token(&self) -> &AtomicU64 {
        self.word(0)
    }

    /// A word of the pool's header, by index of [`header`].
    pub(crate) fn header(&self, index: usize) -> &AtomicU64 {
        self.word(PAGE + 8 * index)
    }

    /// Maps block `index` for the first time.
    pub(crate) fn map_block(&self, index: usize) -> io::Result<&'static Block> {
        let start = HEAD + index * stride(self.slot);
        self.open_private_page(start)?;
        self.map_shared(start + PAGE, block_offset(index, self.slot), block_bytes(self.slot))?;
        Ok(self.block(index))
    }

    /// A block that was mapped before.
    pub(crate) fn block(&self, index: usize) -> &'static Block {
        // SAFETY: the caller knows the block to be mapped (its index is below the claimed count);
        // it stays mapped for the program's life, is aligned to a page, and all fields are atomics,
        // for which any bytes are valid.
        unsafe { &*self.base.add(HEAD + index * stride(self.slot)).cast() }
    }

    /// Makes the private page at `offset` usable, and empty in a forked child.
    fn open_private_page(&self, offset: usize) -> io::Result<()> {
        // SAFETY: the page lies in our own reservation and nothing else uses it yet.
        unsafe {
            let page = self.base.add(offset).cast();
            check(libc::mprotect(page, PAGE, libc::PROT_READ | libc::PROT_WRITE))?;
            // Kernels before 4.14 refuse; there the fork handler alone disarms the child.
            libc::madvise(page, PAGE, libc::MADV_WIPEONFORK);
        }
        Ok(())
    }

    /// Maps part of the file over the reservation, with its memory there from the start: a full
    /// tmpfs must say so now and not by a SIGBUS in a callback.
    fn map_shared(&self, offset: usize, file_offset: usize, bytes: usize) -> io::Result<()> {
        let fd = self.file.as_raw_fd();
        // SAFETY: plain system calls; MAP_FIXED replaces pages of our own reservation only, whose
        // size includes offset + bytes.
        unsafe {
            check(libc::fallocate(fd, 0, file_offset as libc::off_t, bytes as libc::off_t))?;
            let mapped = libc::mmap(
                self.base.add(offset).cast(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_POPULATE,
                fd,
                file_offset as libc::off_t,
            );
            if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
        }
    }

    /// Removes the pool's name; the mapping stays.
    pub(crate) fn unlink(&self) {
        if let Ok(path) = CString::new(self.path.as_os_str().as_bytes()) {
            // SAFETY: a path of our own, terminated by a zero.
            unsafe { libc::unlink(path.as_ptr()) };
        }
    }
}

/// Address space of one block.
fn stride(slot: usize) -> usize {
    PAGE + block_bytes(slot)
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Reserves address space for as many blocks as the limits of the process allow.
fn reserve(slot: usize) -> io::Result<(*mut u8, usize)> {
    let mut capacity = (ADDRESSES / stride(slot)).min(CAPACITY);
    loop {
        // SAFETY: an anonymous mapping without access at an address of the kernel's choice.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                HEAD + capacity * stride(slot),
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base != libc::MAP_FAILED {
            return Ok((base.cast(), capacity));
        }
        if capacity <= 8 {
            return Err(io::Error::last_os_error());
        }
        capacity /= 2;
    }
}
