//! The pool of a run that was not closed: opened with care, and believed only when it is that run's.

use super::RecordingError;
use super::open::{O_NOFOLLOW, O_NONBLOCK};
use super::ownership;
use crate::EventCode;
use crate::facts::{Facts, Process};
use crate::folder;
use crate::fragment::FragmentHeader;
use crate::ledger;
use crate::pool::{self, Division, control, header};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// Largest size in bytes of the file of a process that made a pool and did not fill it: the pool's header page at most.
const LARGEST_PAGE: u64 = 64 << 10;
/// Begin of the names of pools outside run folders.
const PREFIX: &str = "ompttrace.";
/// A pool's file.
#[derive(Debug)]
pub struct PoolFile {
    /// The file's path.
    pub path: PathBuf,
    /// The file, open for reading.
    pub file: File,
    head: Box<[u64; header::WORDS]>,
}

/// The content of a block of the pool: its thread, and the thread's records.
pub(super) struct BlockContent {
    pub(super) thread: u32,
    pub(super) os_thread: u32,
    /// Ticks at which the thread got the block.
    pub(super) ticks: u64,
    /// The committed bytes of its slots: headers, and the positions of the bytes in the file.
    pub(super) fragments: Vec<(FragmentHeader, u64)>,
    /// The losses of the thread that it did not report.
    pub(super) lost: Vec<(EventCode, u64)>,
}

/// The state of a run's pool.
#[derive(Debug)]
pub enum Pool {
    /// The run is closed, or its facts name no pool.
    None,
    /// No file has the pool's name, and the run is not closed: what the pool held is missing.
    Missing,
    /// The file with the pool's name is not this run's pool.
    Refused,
    /// The pool.
    Found(PoolFile),
}

impl Pool {
    /// Looks for the pool of the run in `folder`.
    pub fn of(run: &Path, facts: &Facts) -> Result<Pool, RecordingError> {
        let Some(name) = facts.pool.as_deref().filter(|_| !facts.closed) else {
            return Ok(Pool::None);
        };
        let Some(path) = path_of(run, name) else { return Ok(Pool::Refused) };
        let found = match Pool::open(&path, run, facts)? {
            // Another export may just have moved it into the run folder.
            Pool::Missing => Pool::open(&run.join(folder::POOL), run, facts)?,
            found => found,
        };
        Ok(match found {
            Pool::Missing if facts.emptied => Pool::None,
            found => found,
        })
    }

    fn open(path: &Path, run: &Path, facts: &Facts) -> Result<Pool, RecordingError> {
        let opened = PoolFile::open(path).and_then(|pool| match pool {
            Some(pool) if pool.is_of(facts) && ownership::is_of_recording(&pool, run)? => {
                let believed = path.parent() == Some(run) || pool.is_only_of(&facts.process)?;
                Ok(believed.then_some(pool))
            }
            _ => Ok(None),
        });
        match opened {
            Ok(pool) => Ok(pool.map_or(Pool::Refused, Pool::Found)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Pool::Missing),
            // A symbolic link, or a socket.
            Err(error) if is_no_file(&error) => Ok(Pool::Refused),
            Err(error) => Err(RecordingError::io(path, error)),
        }
    }
}

/// The path that the facts' word for the pool means: a name in the run folder, or an absolute path
/// such as the tool makes them.
fn path_of(run: &Path, name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let file = path.file_name()?.to_str()?;
    let mut components = path.components();
    let believed = match (components.next(), components.next()) {
        (Some(Component::Normal(_)), None) => true,
        (Some(Component::RootDir), _) => file.starts_with(PREFIX),
        _ => false,
    };
    believed.then(|| run.join(path))
}

fn is_no_file(error: &io::Error) -> bool {
    const ENXIO: i32 = 6;
    const ELOOP: i32 = 40;
    matches!(error.raw_os_error(), Some(ENXIO | ELOOP))
}

impl PoolFile {
    /// Returns true if a file of this name can be a pool outside run folders.
    pub fn is_name(name: &OsStr) -> bool {
        name.as_bytes().starts_with(PREFIX.as_bytes())
    }

    /// Opens a regular file that is no link; `None` where something else has the name.
    pub fn open(path: &Path) -> io::Result<Option<PoolFile>> {
        let file = File::options().read(true).custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path)?;
        if !file.metadata()?.is_file() {
            return Ok(None);
        }
        let head = words_at(&file, 0)?;
        Ok(Some(PoolFile { path: path.to_owned(), file, head: Box::new(head) }))
    }

    /// This file, opened for reading and writing.
    pub(crate) fn to_write(&self) -> io::Result<File> {
        let flags = O_NOFOLLOW | O_NONBLOCK;
        let file = File::options().read(true).write(true).custom_flags(flags).open(&self.path)?;
        let [this, that] = [&self.file, &file].map(|file| file.metadata());
        let (this, that) = (this?, that?);
        if (this.dev(), this.ino()) == (that.dev(), that.ino()) {
            Ok(file)
        } else {
            Err(ErrorKind::NotFound.into())
        }
    }

    /// The way in which the process takes commands from outside ([`crate::outside::PROTOCOL`]); 0: it takes none.
    pub fn protocol(&self) -> u64 {
        self.word(header::COMMANDS)
    }

    /// Returns true if the pool can be read and belongs to the process in the facts.
    fn is_of(&self, facts: &Facts) -> bool {
        let Division { page, slot } = self.division();
        self.word(header::MAGIC) == pool::MAGIC
            && self.word(header::VERSION) == u64::from(facts.format)
            && self.is_of_process(&facts.process)
            && pool::PAGE_SIZES.contains(&page)
            && (page..=pool::MAX_SLOT).contains(&slot)
    }

    /// Returns true if no number of the process contradicts the pool's own words. The process id alone does not
    /// suffice: every PID namespace has a process with it, and a later process may have it, too.
    fn is_of_process(&self, process: &Process) -> bool {
        let agrees = |word, known| known == 0 || self.word(word) == 0 || self.word(word) == known;
        self.word(header::PID) == u64::from(process.pid)
            && agrees(header::PID_START, process.start)
            && agrees(header::PID_NAMESPACE, process.pid_namespace)
            && agrees(header::TIME_NAMESPACE, process.time_namespace)
    }

    /// Returns true if a pool outside the run folder, among those of all runs, is that of the process: the file has
    /// one name, and the pool's numbers of the process are all known and the same.
    fn is_only_of(&self, process: &Process) -> io::Result<bool> {
        let all = self.word(header::PID_START) == process.start
            && self.word(header::PID_NAMESPACE) == process.pid_namespace
            && self.word(header::TIME_NAMESPACE) == process.time_namespace;
        Ok(all && self.file.metadata()?.nlink() <= 1)
    }

    /// Returns true if the file is a pool of this tool at all.
    pub fn is_pool(&self) -> bool {
        self.word(header::MAGIC) == pool::MAGIC
    }

    /// Returns true if the file may be that of a process which made a pool and died before it wrote its identity: an
    /// empty file, or a page whose first word, which is written last, is missing.
    pub fn is_unowned(&self) -> bool {
        let length = self.file.metadata().map(|metadata| metadata.len());
        self.word(header::MAGIC) == 0 && length.is_ok_and(|length| length <= LARGEST_PAGE)
    }

    /// The process in the file's name.
    pub fn named_process(&self) -> Option<u32> {
        let name = self.path.file_name()?.to_str()?;
        let (process, time) = name.strip_prefix(PREFIX)?.split_once('.')?;
        u64::from_str_radix(time, 16).ok().and(process.parse().ok())
    }

    /// The process that the pool belongs to, or belonged to.
    pub fn process(&self) -> u32 {
        self.word(header::PID) as u32
    }

    /// The inode of the namespace in which the process has that number; 0 where the tool did not know.
    pub fn process_namespace(&self) -> u64 {
        self.word(header::PID_NAMESPACE)
    }

    /// The inode of the time namespace that shifts [`PoolFile::process_start`]; 0 where there is none.
    pub fn time_namespace(&self) -> u64 {
        self.word(header::TIME_NAMESPACE)
    }

    /// The run folder, as far as the pool says.
    pub fn run(&self) -> Option<PathBuf> {
        let bytes = self.word(header::RUN_BYTES) as usize;
        let words = self.head.get(header::RUN..)?;
        let text: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let path = PathBuf::from(OsStr::from_bytes(text.get(..bytes)?));
        path.is_absolute().then_some(path)
    }

    /// A word of the header page, by index of [`header`]; 0 for others.
    fn word(&self, index: usize) -> u64 {
        self.head.get(index).copied().unwrap_or(0)
    }

    /// The session whose threads the pool has.
    pub fn session(&self) -> u64 {
        self.word(header::SESSION)
    }

    /// Start time of the process (field 22 of /proc/pid/stat); 0 if the tool did not know it.
    pub fn process_start(&self) -> u64 {
        self.word(header::PID_START)
    }

    /// Time at which the process was at work on the pool for the last time, off its fast path, in CLOCK_MONOTONIC
    /// nanoseconds.
    pub(super) fn seen(&self) -> Option<u64> {
        Some(self.word(header::SEEN)).filter(|seen| *seen > 0)
    }

    /// The losses that are in no thread's ledger.
    pub(super) fn lost(&self) -> Vec<(EventCode, u64)> {
        ledger::counted(self.head.get(header::LOST..header::RUN_BYTES).unwrap_or(&[]))
    }

    /// The content of each block that was ever claimed.
    pub(super) fn blocks(&self) -> io::Result<Vec<BlockContent>> {
        (0..self.claimed()?).map(|block| self.block(block)).collect()
    }

    /// The number of blocks that were ever claimed by now, as far as the file has them.
    pub(super) fn claimed(&self) -> io::Result<usize> {
        let [claimed] = words_at::<1>(&self.file, 8 * header::CLAIMED as u64)?;
        let possible = self.file.metadata()?.len() / self.division().block_bytes().max(1) as u64;
        Ok(claimed.min(possible).min(pool::MAX_BLOCKS as u64) as usize)
    }

    pub(super) fn division(&self) -> Division {
        let word = |index| self.word(index) as usize;
        Division { page: word(header::PAGE), slot: word(header::SLOT) }
    }

    fn block(&self, block: usize) -> io::Result<BlockContent> {
        let (division, slot) = (self.division(), self.division().slot);
        let words = words_at::<{ control::ALL }>(&self.file, division.block_offset(block) as u64)?;
        let slots = division.slots_offset(block) as u64;
        let found = pool::fragments_of(&words, self.session() as u32, slot).into_iter().flatten();
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        Ok(BlockContent {
            thread: word(control::THREAD) as u32,
            os_thread: word(control::OS_THREAD) as u32,
            ticks: word(control::TICKS),
            fragments: found.map(|(header, offset)| (header, slots + offset as u64)).collect(),
            lost: ledger::unreported(&words, slot),
        })
    }
}

/// `N` words at `at`; words after the end of the file are 0.
pub(super) fn words_at<const N: usize>(file: &File, at: u64) -> io::Result<[u64; N]> {
    let mut bytes = [[0; 8]; N];
    let mut rest = bytes.as_flattened_mut();
    let mut at = at;
    while !rest.is_empty() {
        match file.read_at(rest, at) {
            Ok(0) => break,
            Ok(read) => {
                rest = rest.get_mut(read..).unwrap_or_default();
                at += read as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes.map(u64::from_ne_bytes))
}
