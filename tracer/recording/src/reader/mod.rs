//! Reading a run folder: its facts and every whole record of every thread, once, in order.
//!
//! Sources are the event files and, for a run that was not closed, the pool. Damage is met by
//! reading what is whole and counting the rest; only a folder that cannot be used at all is an error.

mod cores;
mod elsewhere;
mod error;
mod gaps;
mod holes;
mod index;
mod index_file;
mod missing;
mod open;
mod ownership;
mod pool_copy;
mod pool_file;
mod scan;
mod shorter;
mod stream;
#[cfg(test)]
mod tests;

use crate::correction::Correction;
use crate::facts::Facts;
use crate::fragment::{CORE_STREAM, SAMPLE_STREAM};
use crate::{FORMAT_VERSION, OLDEST_VERSION, folder};
use index_file::Indexed;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use cores::usable_cores;
pub use elsewhere::{Elsewhere, RecordBlocks, Source};
pub use error::RecordingError;
pub use holes::{Written, data};
pub use index::{Damage, Streams, ThreadIndex};
pub use missing::Missing;
pub use open::regular;
pub use pool_copy::Copied;
pub use pool_file::{Pool, PoolFile};
pub use shorter::Shorter;
pub use stream::{Position, Stream};

/// Far more than any recording's facts and lists of modules take.
const LARGEST_FACTS: u64 = 16 << 20;
const LARGEST_MODULES: u64 = 256 << 20;

/// An opened run folder.
#[derive(Debug)]
pub struct Recording {
    /// The folder.
    pub path: PathBuf,
    /// The content of `recording.json`.
    pub facts: Facts,
    /// The threads, by number, each with its fragments.
    pub threads: Vec<ThreadIndex>,
    /// The core streams, by number of their thread: when it had a core. A damaged recording may have some of threads that
    /// are not in [`Recording::threads`].
    pub cores: Vec<ThreadIndex>,
    /// The sample streams, by number of their thread, as the core streams.
    pub samples: Vec<ThreadIndex>,
    /// The data that could not be read.
    pub damage: Damage,
    /// Files that hold less than was written to them. Of a packed recording the packed file counts instead of event files, in
    /// `damage`.
    pub shorter: Vec<Shorter>,
    /// Time at which the process was alive for the last time, according to the pool, in CLOCK_MONOTONIC nanoseconds.
    pub last_sign: Option<u64>,
    /// The words that [`Recording::leave_index`] stored when the recording was read before; empty: none.
    pub checkpoints: Vec<u64>,
    /// Makes times later than the clock of the recording has them; `None` unless a reader sets it.
    pub correction: Option<Arc<Correction>>,
    files: Vec<File>,
    elsewhere: Option<Box<dyn Source>>,
}

impl Recording {
    /// Opens the run folder at `path` and finds all fragments.
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let recording = Recording::open_with(path, read_facts(path)?)?;
        if !recording.damage.pool_missing {
            return Ok(recording);
        }
        // Its program may just have closed it, after we read the facts.
        let facts = read_facts(path)?;
        if facts.closed { Recording::open_with(path, facts) } else { Ok(recording) }
    }

    fn open_with(path: &Path, facts: Facts) -> Result<Recording, RecordingError> {
        let packed = path.join(folder::PACKED);
        if packed.symlink_metadata().is_ok() {
            return Err(RecordingError::Packed { path: packed });
        }
        check_devices(path)?;
        if let Some(Indexed { files, streams, damage, checkpoints }) =
            index_file::read(path, &facts)
        {
            let found = (files, streams, damage, facts.life.seen);
            return Ok(Recording { checkpoints, ..Recording::of(path, facts, found) });
        }
        let mut index = index::Index::default();
        index.add_event_files(path)?;
        index.add_pool(path, &facts)?;
        let last_sign = index.seen.max(facts.life.seen);
        let shorter = index.compare(&facts);
        let (files, streams, mut damage) = index.finish();
        // Where files are too short their bytes say more.
        if !damage.short {
            damage.gaps = gaps::gaps(&facts, &streams.threads);
        }
        let mut recording = Recording::of(path, facts, (files, streams, damage, last_sign));
        recording.shorter.extend(shorter);
        Ok(recording)
    }

    fn of(
        path: &Path,
        facts: Facts,
        (files, streams, damage, last_sign): (Vec<File>, Streams, Damage, Option<u64>),
    ) -> Recording {
        let Streams { threads, cores, samples } = streams;
        let shorter = shorter::shorter(&facts, |name| shorter::length(path, name));
        let (path, checkpoints, elsewhere) = (path.to_owned(), Vec::new(), None);
        Recording {
            path,
            facts,
            threads,
            cores,
            samples,
            damage,
            shorter,
            last_sign,
            checkpoints,
            correction: None,
            files,
            elsewhere,
        }
    }

    /// Writes an index into the recording's folder: the positions of its fragments, and `checkpoints`, words of the
    /// timeline of it. Nothing is written for a recording that is not closed, is packed, or is another user's.
    ///
    /// # Errors
    /// The system's error with the file, for example in a read-only folder.
    pub fn leave_index(&self, checkpoints: &[u64]) -> std::io::Result<()> {
        let is_whole = self.facts.closed && self.elsewhere.is_none() && !self.is_incomplete();
        if is_whole { index_file::write(self, checkpoints) } else { Ok(()) }
    }

    /// A recording whose records are in no fragments.
    pub fn elsewhere(
        path: &Path,
        facts: Facts,
        (streams, damage): (Streams, Damage),
        source: Box<dyn Source>,
    ) -> Recording {
        let last_sign = facts.life.seen;
        let recording = Recording::of(path, facts, (Vec::new(), streams, damage, last_sign));
        Recording { elsewhere: Some(source), ..recording }
    }

    /// Upper limit of the records that are missing because the pool of a run that was not closed is gone; `None`:
    /// none are missing.
    pub fn missing(&self) -> Option<Missing> {
        self.damage.pool_missing.then(|| Missing::of(self.facts.buffer_bytes))
    }

    /// True if it lacks records, or files, that it had when it was closed.
    pub fn is_incomplete(&self) -> bool {
        !self.shorter.is_empty() || self.damage.short || (self.facts.closed && self.damage.gaps > 0)
    }

    /// The reason why a stream of this recording ended before its time, returned once. Streams cannot fail: a caller
    /// that has read to the end calls this function.
    pub fn check(&self) -> Result<(), RecordingError> {
        self.elsewhere.as_ref().map_or(Ok(()), |source| source.check())
    }

    /// Number of streams of all kinds: the threads' own come first, then core streams, then sample streams.
    pub fn streams(&self) -> usize {
        self.threads.len() + self.cores.len() + self.samples.len()
    }

    /// The index of the stream at a position among all streams, and its number as a fragment's header has it.
    pub fn known(&self, position: usize) -> Option<(&ThreadIndex, u32)> {
        if let Some(thread) = self.threads.get(position) {
            return Some((thread, thread.number));
        }
        let position = position.checked_sub(self.threads.len())?;
        if let Some(cores) = self.cores.get(position) {
            return Some((cores, cores.number | CORE_STREAM));
        }
        let samples = self.samples.get(position.checked_sub(self.cores.len())?)?;
        Some((samples, samples.number | SAMPLE_STREAM))
    }

    /// The records of the stream at a position among all, in order.
    pub fn stream_at(&self, position: usize) -> Stream<'_> {
        let known = self.known(position).map(|(known, _)| known);
        if let Some(source) = &self.elsewhere {
            let undecoded = known.map_or(0, |known| known.elsewhere.undecoded);
            return Stream::elsewhere(source.blocks(position), undecoded);
        }
        Stream::new(&self.files, known)
    }

    /// The stream at `index` of a kind of which there are `count`, after `before` others; an empty stream if the kind
    /// has no such index.
    fn stream_of(&self, before: usize, count: usize, index: usize) -> Stream<'_> {
        if index < count { self.stream_at(before + index) } else { Stream::new(&self.files, None) }
    }

    /// The records of thread `index` (a position in [`Recording::threads`]), in order.
    pub fn stream(&self, index: usize) -> Stream<'_> {
        self.stream_of(0, self.threads.len(), index)
    }

    /// Bytes of the threads' records.
    pub fn bytes_of_threads(&self) -> u64 {
        bytes_of(&self.threads)
    }

    /// Bytes of the records that report which threads had a core.
    pub fn bytes_of_cores(&self) -> u64 {
        bytes_of(&self.cores)
    }

    /// Bytes of all records: the threads', and those of cores and samples.
    pub fn bytes(&self) -> u64 {
        bytes_of(self.threads.iter().chain(&self.cores).chain(&self.samples))
    }

    /// Times, in ticks, that cut the threads' records into windows of about this many bytes; `last` is that of the last
    /// record. None where the records are in no fragments: then nothing says where they lie.
    pub fn cuts(&self, bytes: u64, last: u64) -> Vec<u64> {
        let mut parts: Vec<_> =
            self.threads.iter().flat_map(|thread| thread.parts(bytes, last)).collect();
        parts.sort_unstable();
        let (mut cuts, mut sum) = (Vec::new(), 0);
        for (ticks, size) in parts {
            if sum >= bytes && cuts.last().is_none_or(|last| ticks > *last) {
                cuts.push(ticks);
                sum = 0;
            }
            sum += size;
        }
        cuts
    }

    /// The last records of core stream `index`, or all of them: at least one, if there are any.
    pub fn core_tail(&self, index: usize) -> Stream<'_> {
        let tail = match (&self.elsewhere, self.cores.get(index)) {
            (Some(source), _) => {
                let position = self.threads.len().saturating_add(index);
                Stream::elsewhere(source.last_blocks(position), 0)
            }
            (None, Some(cores)) => Stream::tail(&self.files, cores),
            (None, None) => return self.core_stream(index),
        };
        if tail.next_ticks().is_some() { tail } else { self.core_stream(index) }
    }

    /// The records of core stream `index` (a position in [`Recording::cores`]), in order.
    pub fn core_stream(&self, index: usize) -> Stream<'_> {
        self.stream_of(self.threads.len(), self.cores.len(), index)
    }

    /// The records of sample stream `index` (a position in [`Recording::samples`]), in order.
    pub fn sample_stream(&self, index: usize) -> Stream<'_> {
        let before = self.threads.len() + self.cores.len();
        self.stream_of(before, self.samples.len(), index)
    }

    /// The last records of thread `index`, or all of them: at least one where there is any.
    pub fn tail(&self, index: usize) -> Stream<'_> {
        let tail = match (&self.elsewhere, self.threads.get(index)) {
            (Some(source), _) => Stream::elsewhere(source.last_blocks(index), 0),
            (None, Some(thread)) => Stream::tail(&self.files, thread),
            (None, None) => return self.stream(index),
        };
        if tail.next_ticks().is_some() { tail } else { self.stream(index) }
    }

    /// The text of the `modules` file; empty when there is none.
    pub fn modules_text(&self) -> Vec<u8> {
        open::small(&self.path.join(folder::MODULES), LARGEST_MODULES).unwrap_or_default()
    }

    /// The `devices` file, which may be large; `None` when there is none.
    pub fn devices_file(&self) -> Option<Written> {
        self.written(folder::DEVICES)
    }

    /// The file `device_records`, which may be large; `None` when there is none.
    pub fn device_records_file(&self) -> Option<Written> {
        self.written(folder::DEVICE_RECORDS)
    }

    fn written(&self, name: &str) -> Option<Written> {
        open::regular(&self.path.join(name)).ok().map(Written::new)
    }
}

/// Checks that the records of devices, if there are any, can be read: an export must not lack them without an error.
pub fn check_devices(run: &Path) -> Result<(), RecordingError> {
    [folder::DEVICES, folder::DEVICE_RECORDS].iter().try_for_each(|name| {
        let path = run.join(name);
        match open::regular(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(RecordingError::io(&path, error))
            }
            _ => Ok(()),
        }
    })
}

/// Reads the facts in `recording.json` in `folder`.
pub fn read_facts(folder: &Path) -> Result<Facts, RecordingError> {
    let path = folder.join(folder::FACTS);
    let text =
        open::small(&path, LARGEST_FACTS).map_err(|error| RecordingError::io(&path, error))?;
    let facts: Facts = serde_json::from_slice(&text)
        .map_err(|reason| RecordingError::Facts { path: path.clone(), reason })?;
    let known = OLDEST_VERSION..=FORMAT_VERSION;
    if !known.contains(&facts.format) {
        return Err(RecordingError::Version { path, found: facts.format, known });
    }
    if facts.little_endian != cfg!(target_endian = "little") {
        return Err(RecordingError::ByteOrder { path });
    }
    Ok(facts)
}

/// Bytes of several streams.
fn bytes_of<'i>(streams: impl IntoIterator<Item = &'i ThreadIndex>) -> u64 {
    let bytes = streams.into_iter().map(ThreadIndex::bytes);
    bytes.fold(0, u64::saturating_add)
}
