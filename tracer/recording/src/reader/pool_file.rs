//! The pool of a run that was not closed: opened with care, and believed only when it is that run's.

use super::RecordingError;
use super::open::O_NONBLOCK;
use crate::facts::Facts;
use crate::folder;
use crate::fragment::FragmentHeader;
use crate::pool::{self, control, header};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// What the names of pools outside run folders begin with.
const PREFIX: &str = "ompttrace.";
/// Linux's O_NOFOLLOW; this crate needs nothing else of libc.
const O_NOFOLLOW: i32 =
    if cfg!(any(target_arch = "aarch64", target_arch = "arm", target_arch = "powerpc64")) {
        0o100_000
    } else {
        0o400_000
    };

/// A pool's file.
#[derive(Debug)]
pub struct PoolFile {
    /// Where it lies.
    pub path: PathBuf,
    /// The file, open for reading.
    pub file: File,
    head: [u64; header::SLOT + 1],
}

/// What there is of a run's pool.
#[derive(Debug)]
pub enum Pool {
    /// The run is closed, or no file has the pool's name.
    None,
    /// What has the pool's name is not this run's pool.
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
        let Some(path) = place(run, name) else { return Ok(Pool::Refused) };
        match Pool::open(&path, facts)? {
            // Another export may just have moved it into the run folder.
            Pool::None => Pool::open(&run.join(folder::POOL), facts),
            found => Ok(found),
        }
    }

    fn open(path: &Path, facts: &Facts) -> Result<Pool, RecordingError> {
        match PoolFile::open(path) {
            Ok(Some(pool)) if pool.is_of(facts) => Ok(Pool::Found(pool)),
            Ok(_) => Ok(Pool::Refused),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Pool::None),
            // A symbolic link, or a socket.
            Err(error) if is_no_file(&error) => Ok(Pool::Refused),
            Err(error) => Err(RecordingError::io(path, error)),
        }
    }
}

/// The path that the facts' word for the pool means: a name in the run folder, or an absolute path
/// such as the tool makes them.
fn place(run: &Path, name: &str) -> Option<PathBuf> {
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
    /// Opens a regular file that is no link; `None` where something else has the name.
    fn open(path: &Path) -> io::Result<Option<PoolFile>> {
        let file = File::options().read(true).custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path)?;
        if !file.metadata()?.is_file() {
            return Ok(None);
        }
        let head = words_at(&file, 0)?;
        Ok(Some(PoolFile { path: path.to_owned(), file, head }))
    }

    /// Whether the pool is one that we can read and the process's that the facts tell of.
    fn is_of(&self, facts: &Facts) -> bool {
        let slots = pool::PAGE as u64..=pool::MAX_SLOT as u64;
        self.word(header::MAGIC) == pool::MAGIC
            && self.word(header::VERSION) == u64::from(facts.format)
            && self.word(header::PID) == u64::from(facts.process.pid)
            && slots.contains(&self.word(header::SLOT))
    }

    /// A word of the header page, by index of [`header`]; 0 for others.
    fn word(&self, index: usize) -> u64 {
        self.head.get(index).copied().unwrap_or(0)
    }

    /// The session whose threads it holds.
    pub fn session(&self) -> u64 {
        self.word(header::SESSION)
    }

    /// When the process began (field 22 of /proc/pid/stat); 0 where the tool did not know.
    pub fn process_start(&self) -> u64 {
        self.word(header::PID_START)
    }

    /// The committed bytes of all slots: headers, and where in the file their bytes are.
    pub(super) fn fragments(&self) -> io::Result<Vec<(FragmentHeader, u64)>> {
        let slot = self.word(header::SLOT) as usize;
        let possible = self.file.metadata()?.len() / pool::block_bytes(slot) as u64;
        let blocks = self.word(header::CLAIMED).min(possible).min(pool::MAX_BLOCKS as u64);
        let mut fragments = Vec::new();
        for block in 0..blocks as usize {
            let start = pool::block_offset(block, slot) as u64;
            let words = words_at::<{ control::WORDS }>(&self.file, start)?;
            let found = pool::fragments_of(&words, self.session() as u32, slot);
            let found = found.into_iter().flatten();
            fragments.extend(found.map(|(header, offset)| (header, start + offset as u64)));
        }
        Ok(fragments)
    }
}

/// `N` words at `at`; words behind the end of the file are 0.
fn words_at<const N: usize>(file: &File, at: u64) -> io::Result<[u64; N]> {
    let mut words = [0; N];
    for (index, word) in words.iter_mut().enumerate() {
        let mut bytes = [0; 8];
        match file.read_exact_at(&mut bytes, at + 8 * index as u64) {
            Ok(()) => *word = u64::from_ne_bytes(bytes),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {}
            Err(error) => return Err(error),
        }
    }
    Ok(words)
}
