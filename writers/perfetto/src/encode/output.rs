//! Where encoded packets go: blocks of whole packets to a writer.

use std::io::{self, Write};

/// How much was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets, of events and of all else.
    pub packets: u64,
    /// Bytes of encoded packets, before any compression.
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
    failure: Option<io::Error>,
    bytes: u64,
}

impl<W: Write> Output<W> {
    pub(super) fn new(writer: W) -> Self {
        Output { writer, failure: None, bytes: 0 }
    }

    /// Writes a block. After a failure blocks are dropped: the events' callers do
    /// not ask for errors one by one, `check` and `finish` return the first one.
    pub(super) fn write_block(&mut self, block: &[u8]) {
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
