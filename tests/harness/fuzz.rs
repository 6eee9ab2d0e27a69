//! Bytes in the place of a recording's event file, read and told as `ompttrace export` does: what the
//! kept corpus of `tests/fuzz` is replayed with, and what `--example fuzz` makes more of.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ompttrace_recording::{Recording, folder};

use crate::build;

/// Where inputs are kept: what once failed, and small ones of every shape.
pub fn corpus() -> PathBuf {
    build::root().join("tests/fuzz/corpus")
}

/// The kept samples of recordings, which mutations begin with.
pub fn samples() -> PathBuf {
    build::root().join("tracer/recording/tests/samples")
}

/// A run folder of one sample's facts, to put event files into.
#[derive(Debug)]
pub struct Bed {
    folder: tempfile::TempDir,
}

impl Bed {
    /// With the facts of this sample.
    pub fn new(sample: &str) -> Result<Bed> {
        let folder = tempfile::tempdir()?;
        let facts = samples().join(sample).join(folder::FACTS);
        fs::copy(facts, folder.path().join(folder::FACTS))?;
        Ok(Bed { folder })
    }

    /// Reads what these bytes give; returns the records of all threads, at most one for each word.
    ///
    /// # Panics
    /// When the reader does, or tells more records than there is room for.
    pub fn records(&self, events: &[u8]) -> Result<usize> {
        fs::write(self.folder.path().join(format!("{}0", folder::EVENTS)), events)?;
        let recording = Recording::open(self.folder.path())?;
        let mut records = 0;
        for thread in 0..recording.threads.len() {
            let mut stream = recording.stream(thread);
            while stream.take(|_| records += 1).is_some() {}
        }
        assert!(8 * records <= events.len(), "{records} records in {} bytes", events.len());
        Ok(records)
    }

    /// The run folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}
