//! Reading a run folder: its facts and every whole record of every thread, once, in order.
//!
//! Sources are the event files and, for a run that was not closed, the pool. Damage is met by
//! reading what is whole and counting the rest; only a folder that cannot be used at all is an error.

mod index;
mod pool_file;
mod stream;
#[cfg(test)]
mod tests;

use crate::facts::Facts;
use crate::{FORMAT_VERSION, folder};
use std::fs::File;
use std::path::{Path, PathBuf};
use thiserror::Error;

pub use index::{Damage, ThreadIndex};
pub use pool_file::{Pool, PoolFile};
pub use stream::Stream;

/// Why a run folder cannot be read.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// A file could not be opened or read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The facts are not JSON, or not ours.
    #[error("{path}: not the facts of a recording: {source}")]
    Facts {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// The recording is of a version that this program does not know.
    #[error(
        "{path}: recording format {found}, this program reads up to {FORMAT_VERSION}: use the ompttrace that recorded it or a newer one"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version it says.
        found: u32,
    },
    /// The recording was made on a machine of the other byte order.
    #[error("{path}: recorded on a machine of the other byte order: export it there")]
    ByteOrder {
        /// The file.
        path: PathBuf,
    },
}

impl RecordingError {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        RecordingError::Io { path: path.to_owned(), source }
    }
}

/// An opened run folder.
#[derive(Debug)]
pub struct Recording {
    /// The folder.
    pub path: PathBuf,
    /// What `recording.json` says.
    pub facts: Facts,
    /// The threads, by number, each with its fragments.
    pub threads: Vec<ThreadIndex>,
    /// What could not be read.
    pub damage: Damage,
    files: Vec<File>,
}

impl Recording {
    /// Opens the run folder at `path` and finds all fragments.
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let facts = read_facts(path)?;
        let mut index = index::Index::default();
        index.add_event_files(path)?;
        index.add_pool(path, &facts)?;
        let (files, threads, damage) = index.finish();
        Ok(Recording { path: path.to_owned(), facts, threads, damage, files })
    }

    /// The records of thread `index` (a position in [`Recording::threads`]), in order.
    pub fn stream(&self, index: usize) -> Stream<'_> {
        let fragments = self.threads.get(index).map_or(&[][..], |thread| &thread.fragments);
        Stream::new(&self.files, fragments)
    }

    /// The text of the `modules` file; empty when there is none.
    pub fn modules_text(&self) -> Vec<u8> {
        std::fs::read(self.path.join(folder::MODULES)).unwrap_or_default()
    }
}

/// Reads what `recording.json` in `folder` says.
pub fn read_facts(folder: &Path) -> Result<Facts, RecordingError> {
    let path = folder.join(folder::FACTS);
    let text = std::fs::read(&path).map_err(|error| RecordingError::io(&path, error))?;
    let facts: Facts = serde_json::from_slice(&text)
        .map_err(|source| RecordingError::Facts { path: path.clone(), source })?;
    if facts.format == 0 || facts.format > FORMAT_VERSION {
        return Err(RecordingError::Version { path, found: facts.format });
    }
    if facts.little_endian != cfg!(target_endian = "little") {
        return Err(RecordingError::ByteOrder { path });
    }
    Ok(facts)
}
