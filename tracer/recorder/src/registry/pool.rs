//! The pool: a file of which each thread's block is mapped when it is first needed.
//!
//! In one mapping, a page that only this process sees filled (`token`), the pool's header page and a table of the
//! blocks' addresses; each block in its own mapping: a private page and the shared part (control page, slots).
//! Of a page larger than 4 KiB the control page uses the begin and the private one the end, so that the two parts of
//! a block lie side by side whatever a page is.
//! The file has no holes for private pages (see `ompttrace_recording::pool`).

use crate::blocks::block::{Block, Control, Private};
use crate::files::mapping::Mapping;
use crate::files::own_file;
use crate::host::descriptors::{self, high_copy, identity};
use crate::host::openings::one_at_a_time;
use crate::host::owner::Owner;
use crate::host::page::page_bytes;
use crate::host::sync::{AtomicPtr, AtomicU64, Ordering};
use crate::host::system::limit;
use ompttrace_recording::pool::{Division, PAGE, header};
use ompttrace_recording::{FORMAT_VERSION, PinnedFolder, outside, pool};
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Blocks at most: threads alive at the same time.
const CAPACITY: usize = 16 * 1024;
/// Blocks that there may be however little address space the program may have.
const FEW: usize = 8;
const TABLE: usize = CAPACITY * size_of::<AtomicPtr<Block>>();

/// Options of a new pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolPlan<'a> {
    /// The run folder's absolute path.
    pub(crate) run: &'a Path,
    /// Bytes of each of a thread's two slots: a multiple of [`crate::page_bytes`].
    pub(crate) slot_bytes: usize,
    /// Number of this recording in its run folder.
    pub(crate) session: u32,
}

/// The pool of one recording.
pub(crate) struct Pool {
    base: *mut u8,
    division: Division,
    pub(crate) path: PathBuf,
    name: CString,
    identity: (u64, u64),
    /// Its file for the blocks to come, when the program may have lost the right (setresuid), the way (chroot)
    /// or the descriptors to open it; none if no number is free above the program's own. The program may close
    /// it and get the number for a file of its own.
    kept: Option<libc::c_int>,
}

// SAFETY: `base` is the start of a mapping that is never unmapped; all access through it is by
// atomics, or by the one thread that owns a block.
unsafe impl Send for Pool {}
// SAFETY: all access through `base` is by atomics, or by the one thread that owns a block.
unsafe impl Sync for Pool {}

impl Pool {
    /// Creates the pool's file at `path` (which must not exist).
    pub(crate) fn create(path: &Path, plan: &PoolPlan<'_>) -> io::Result<Pool> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        // The folder is closed at once: the program may have hardly any descriptors.
        let file = PinnedFolder::open(folder)?.create(name)?;
        Self::build(&file, path, plan).inspect_err(|_| drop(std::fs::remove_file(path)))
    }

    fn build(file: &File, path: &Path, plan: &PoolPlan<'_>) -> io::Result<Pool> {
        let division = Division { page: page_bytes(), slot: plan.slot_bytes };
        let page = division.page;
        let head = Mapping::reserve(2 * page + TABLE)?;
        head.open_private_page(page)?;
        head.map_shared(file.as_raw_fd(), page, 0, page)?;
        head.open(2 * page, TABLE)?;
        let name = CString::new(path.as_os_str().as_bytes())?;
        let identity = identity(file.as_raw_fd()).unwrap_or_default();
        let path = path.to_owned();
        let mut pool = Pool { base: head.keep(), division, path, name, identity, kept: None };
        pool.token().store(1, Ordering::SeqCst);
        crate::blocks::block::set_slot_bytes(plan.slot_bytes);
        pool.report(plan);
        pool.header(header::MAGIC).store(pool::MAGIC, Ordering::Release);
        pool.kept = high_copy(file.as_raw_fd());
        Ok(pool)
    }

    /// Writes the owner of the pool into its header.
    fn report(&self, plan: &PoolPlan<'_>) {
        let set = |index, value| self.header(index).store(value, Ordering::Relaxed);
        set(header::VERSION, u64::from(FORMAT_VERSION));
        set(header::SESSION, u64::from(plan.session));
        set(header::SLOT, plan.slot_bytes as u64);
        set(header::PAGE, self.division.page as u64);
        set(header::COMMANDS, outside::PROTOCOL);
        let owner = Owner::this();
        set(header::PID, u64::from(owner.pid));
        set(header::PID_START, owner.start);
        set(header::PID_NAMESPACE, owner.pid_namespace);
        set(header::TIME_NAMESPACE, owner.time_namespace);
        let run = plan.run.as_os_str().as_bytes();
        if run.len() <= 8 * (header::WORDS - header::RUN) {
            for (index, bytes) in run.chunks(8).enumerate() {
                let mut word = [0; 8];
                word.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
                set(header::RUN + index, u64::from_ne_bytes(word));
            }
            set(header::RUN_BYTES, run.len() as u64);
        }
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: callers pass offsets of mapped, 8-byte aligned words of the first two pages; the mapping
        // lives as long as the program and is only accessed by atomics.
        unsafe { AtomicU64::from_ptr(self.base.add(offset).cast()) }
    }

    /// 1 in the process that created the pool, 0 in its forked children.
    pub(crate) fn token(&self) -> &AtomicU64 {
        self.word(0)
    }

    /// A word of the pool's header, by index of [`header`].
    pub(crate) fn header(&self, index: usize) -> &AtomicU64 {
        self.word(self.division.page + 8 * index)
    }

    /// Maps block `index` for the first time, if that leaves the program enough addresses.
    pub(crate) fn map_block(&self, index: usize) -> io::Result<&'static Block> {
        if index >= CAPACITY || !self.leaves_enough(index) {
            return Err(io::Error::from_raw_os_error(libc::ENOMEM));
        }
        let mapping = Mapping::reserve(self.stride())?;
        let Division { page, .. } = self.division;
        mapping.open_private_page(page)?;
        let map = |descriptor| {
            let (at, bytes) = (self.division.block_offset(index), self.division.block_bytes());
            mapping.map_shared(descriptor, page, at, bytes)
        };
        self.with_file(map)?;
        let start = mapping.keep();
        // SAFETY: the private page is at least that large, and the block's other part begins where it ends.
        let block = unsafe { start.add(page - size_of::<Private>()) };
        self.slot(index).store(block.cast(), Ordering::Release);
        Ok(self.block(index))
    }

    /// Returns true if block `index` leaves most of the program's address space to it, if that is limited. The
    /// program may change its limits.
    fn leaves_enough(&self, index: usize) -> bool {
        let taken = (index + 1) * self.stride();
        index < FEW || taken as u64 <= limit(libc::RLIMIT_AS) / 16
    }

    /// Address space of one block.
    fn stride(&self) -> usize {
        self.division.page + self.division.block_bytes()
    }

    /// The address of a block's first slot, after its control page.
    pub(crate) fn slots_at(&self, block: &Block) -> usize {
        (&raw const block.control).addr() + self.division.page
    }

    /// Does `what`, a mapping, with a descriptor of the pool's file, and again where the program has closed it meanwhile, or has put a
    /// file of its own there.
    fn with_file(&self, what: impl Fn(libc::c_int) -> io::Result<()>) -> io::Result<()> {
        let is_done = |descriptor: libc::c_int| match what(descriptor) {
            _ if identity(descriptor) != Some(self.identity) => Ok(false),
            done => done.map(|()| true),
        };
        for _ in 0..own_file::TRIES {
            let is_done = match self.if_kept() {
                Some(descriptor) => is_done(descriptor),
                None => one_at_a_time(|| is_done(self.open()?.as_raw_fd())),
            };
            if is_done? {
                return Ok(());
            }
        }
        Err(io::Error::from_raw_os_error(libc::EBADF))
    }

    /// The descriptor that was kept, if it is still that of the pool's file.
    fn if_kept(&self) -> Option<libc::c_int> {
        self.kept.filter(|kept| identity(*kept) == Some(self.identity))
    }

    /// The pool's file, if its name still refers to it. Does not allocate.
    fn open(&self) -> io::Result<OwnedFd> {
        let flags = libc::O_RDWR | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // SAFETY: a zero-terminated path; the new descriptor is ours to close.
        let file = unsafe {
            let descriptor = libc::open(self.name.as_ptr(), flags);
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(descriptor)
        };
        if identity(file.as_raw_fd()) == Some(self.identity) {
            Ok(file)
        } else {
            Err(io::Error::from_raw_os_error(libc::ENOENT))
        }
    }

    /// The table's entry with the address of block `index`: null until the block is mapped.
    fn slot(&self, index: usize) -> &AtomicPtr<Block> {
        let offset = 2 * self.division.page + index % CAPACITY * size_of::<AtomicPtr<Block>>();
        // SAFETY: an aligned word of the table, zeros at first, which is there as long as the program and is only
        // accessed by atomics.
        unsafe { AtomicPtr::from_ptr(self.base.add(offset).cast()) }
    }

    /// A block that was mapped before.
    pub(crate) fn block(&self, index: usize) -> &'static Block {
        // SAFETY: the caller knows the block to be mapped (its index is below the claimed count);
        // it stays mapped for the program's life, is aligned to 4 KiB, and all fields are atomics,
        // for which any bytes are valid.
        unsafe { &*self.slot(index).load(Ordering::Acquire) }
    }

    /// True where the pool's name can be removed, or is gone: after a chroot it leads elsewhere.
    pub(crate) fn is_in_reach(&self) -> bool {
        let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
        // SAFETY: a path of our own, and memory for one `stat`, read only after success.
        let named = unsafe {
            let found = libc::lstat(self.name.as_ptr(), status.as_mut_ptr()) == 0;
            found.then(|| status.assume_init())
        };
        let is_named = named.is_some_and(|named| (named.st_dev, named.st_ino) == self.identity);
        let is_gone =
            || self.if_kept().and_then(descriptors::status).is_some_and(|kept| kept.st_nlink == 0);
        is_named || is_gone()
    }

    /// Removes the pool's name; the mapping stays.
    pub(crate) fn unlink(&self) {
        // SAFETY: a path of our own, terminated by a zero.
        unsafe { libc::unlink(self.name.as_ptr()) };
    }
}

const _: () = assert!(Control::LEDGER_AT == 8 * pool::control::WORDS);
// The control page lies right after the private one, which must fill the end of its page.
const _: () = assert!(size_of::<Private>() == PAGE && size_of::<Block>() == 2 * PAGE);
