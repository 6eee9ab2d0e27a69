//! The output of encoded packets: blocks of whole packets go to a writer.

use super::block::Block;
use std::io::{self, Write};

/// Totals of a trace so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of packets, including those that are no events.
    pub packets: u64,
    /// Number of bytes of encoded packets, before any compression.
    pub bytes: u64,
}

/// Passes blocks on and keeps the first failure.
///
/// A block always has whole packets: here is where one could be
/// deflated into a `compressed_packets` packet. Compressing the file as a whole
/// needs nothing here: `W` does it.
#[derive(Debug)]
pub(super) struct Output<W> {
    writer: W,
    /// Takes blocks over, and gives empty ones for them, where the writer keeps them.
    take_over: Option<TakeOver<W>>,
    failure: Option<io::Error>,
    bytes: u64,
}

/// Takes a block over of which so many bytes are filled; gives another one.
pub(super) type TakeOver<W> = fn(&mut W, Vec<u8>, usize) -> io::Result<Vec<u8>>;

impl<W: Write> Output<W> {
    pub(super) fn new(writer: W) -> Self {
        Output { writer, take_over: None, failure: None, bytes: 0 }
    }

    /// The writer takes blocks over from now on.
    pub(super) fn hand_over(&mut self, take_over: TakeOver<W>) {
        self.take_over = Some(take_over);
    }

    /// Writes what is filled of a block, or hands it over, and empties it. After a failure blocks are dropped: the events'
    /// callers do not ask for errors one by one, `check` and `finish` return the first one.
    pub(super) fn empty(&mut self, block: &mut Block) {
        match self.take_over.filter(|_| self.failure.is_none()) {
            Some(take_over) => {
                self.bytes += block.len() as u64;
                let (bytes, filled) = block.take_all();
                let next = take_over(&mut self.writer, bytes, filled);
                block.replace(next.unwrap_or_else(|error| {
                    self.failure = Some(error);
                    Vec::new()
                }));
            }
            None => self.write(block.filled()),
        }
        block.clear();
    }

    /// Writes bytes, as [`Output::empty`] does.
    pub(super) fn write(&mut self, block: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.writer.write_all(block).err();
            self.bytes += block.len() as u64;
        }
    }

    /// The first failure, as often as it is asked for.
    pub(super) fn check(&self) -> io::Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The writer so far; what comes next goes to another one.
    pub(super) fn replace_writer(&mut self, next: W) -> W {
        std::mem::replace(&mut self.writer, next)
    }

    /// Flushes and gives the writer back.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.check()?;
        self.writer.flush()?;
        Ok(self.writer)
    }
}
