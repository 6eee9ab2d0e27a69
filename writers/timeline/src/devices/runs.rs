//! One device thread's records: those in memory, and sorted runs of them in a file without a name once there are
//! too many.
//!
//! An entry is a device's time, a count of words, and this many words: one record, or a native one with its
//! name.

use ompttrace_recording::PinnedFolder;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// Words in front of an entry's own.
pub(super) const HEAD: usize = 2;

/// Entries in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Batch {
    words: Vec<u64>,
    /// Time and offset in `words` of each entry.
    index: Vec<(u64, usize)>,
}

impl Batch {
    /// Adds an entry; returns the bytes that it takes.
    pub(super) fn put(&mut self, time: u64, words: &[u64]) -> usize {
        self.index.push((time, self.words.len()));
        self.words.extend([time, words.len() as u64]);
        self.words.extend(words);
        size_of::<(u64, usize)>() + 8 * (HEAD + words.len())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    pub(super) fn entries(&self) -> u64 {
        self.index.len() as u64
    }

    /// All entries by time, those of one time as they came.
    pub(super) fn sorted(mut self) -> Vec<u64> {
        if self.index.is_sorted_by_key(|(time, _)| *time) {
            return self.words;
        }
        self.index.sort_by_key(|(time, _)| *time);
        let mut all = Vec::with_capacity(self.words.len());
        for (_, at) in self.index {
            let count = self.words.get(at + 1).map_or(0, |count| *count as usize);
            all.extend(self.words.get(at..at + HEAD + count).unwrap_or_default());
        }
        all
    }
}

/// Entries by time: in memory, or from one byte of a file to another.
#[derive(Clone, Debug)]
pub(super) enum SortedRun {
    Memory(Arc<[u64]>),
    File { file: Arc<File>, from: u64, to: u64, entries: u64 },
}

/// The file for runs that do not fit into memory.
#[derive(Debug)]
pub(super) struct Spill {
    file: Arc<File>,
    end: u64,
}

impl Spill {
    /// A file in the first of the folders that has room for it. It has no name, and is deleted when it is closed.
    pub(super) fn new(folders: &[&Path]) -> Option<Spill> {
        let file = folders.iter().find_map(|folder| nameless(folder).ok())?;
        Some(Spill { file: Arc::new(file), end: 0 })
    }

    /// Writes a batch by time.
    pub(super) fn write(&mut self, batch: Batch) -> Result<SortedRun, (Batch, io::Error)> {
        let entries = batch.entries();
        let words = batch.sorted();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let from = self.end;
        if let Err(error) = self.file.write_all_at(&bytes, from) {
            return Err((again(&words), error));
        }
        self.end = from + bytes.len() as u64;
        Ok(SortedRun::File { file: Arc::clone(&self.file), from, to: self.end, entries })
    }
}

/// The batch that these words were.
fn again(words: &[u64]) -> Batch {
    let mut batch = Batch::default();
    let mut rest = words;
    while let [time, count, more @ ..] = rest
        && let Some((words, behind)) = more.split_at_checked(*count as usize)
    {
        batch.put(*time, words);
        rest = behind;
    }
    batch
}

fn nameless(folder: &Path) -> io::Result<File> {
    let mut file = PinnedFolder::open(folder)?.nameless()?;
    // A folder that is full or read-only says so here and not when much was read.
    file.write_all(&[0; 8])?;
    Ok(file)
}
