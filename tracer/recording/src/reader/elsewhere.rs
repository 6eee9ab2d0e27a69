//! Records that are in no fragments: the owner of their files hands them over in blocks of words.
//!
//! So a recording can be read from another form, compressed for example, while this crate, which the
//! traced process links, knows nothing of it.

use super::RecordingError;
use std::fmt::Debug;

/// The source of the records of all threads, where they are in no fragments.
pub trait Source: Debug + Send + Sync {
    /// The records of the thread at that position in [`super::Recording::threads`], or after these in
    /// [`super::Recording::cores`]; none for others.
    fn blocks(&self, thread: usize) -> Box<dyn RecordBlocks + '_>;

    /// The last blocks of these records: at least one record, if there are any.
    fn last_blocks(&self, thread: usize) -> Box<dyn RecordBlocks + '_> {
        self.blocks(thread)
    }

    /// The reason why some blocks ended early, returned once.
    fn check(&self) -> Result<(), RecordingError>;
}

/// One thread's records in order, a block at a time.
pub trait RecordBlocks: Debug + Send {
    /// Puts the words of the next whole records, in today's layout, into `words`, which is empty, and
    /// returns full clock ticks less than 2^55 away from theirs; `None` at the end.
    fn next(&mut self, words: &mut Vec<u64>) -> Option<u64>;
}

/// The facts of a thread's records that are known without reading them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elsewhere {
    /// Bytes of the records.
    pub bytes: u64,
    /// Bytes that decoded to no known record and are not among them.
    pub undecoded: u64,
}
