//! Where lines go: blocks of whole lines to a writer.

use std::io::{self, Write};

/// Passes blocks on and keeps the first failure.
#[derive(Debug)]
pub(crate) struct Output<W: Write> {
    writer: W,
    failure: Option<io::Error>,
    bytes: u64,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(writer: W) -> Self {
        Output { writer, failure: None, bytes: 0 }
    }

    /// Writes a block. After a failure blocks are dropped: the events' callers do not ask for errors
    /// one by one, `check` and `finish` return the first one.
    pub(crate) fn write_block(&mut self, block: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        self.failure = self.writer.write_all(block).err();
        self.bytes += block.len() as u64;
    }

    /// The first failure, as often as it is asked for.
    pub(crate) fn check(&self) -> io::Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    /// Bytes of text so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The writer so far; what comes next goes to another one, and bytes are counted anew.
    pub(crate) fn replace_writer(&mut self, next: W) -> W {
        self.bytes = 0;
        std::mem::replace(&mut self.writer, next)
    }

    /// The writer, which has everything.
    pub(crate) fn into_writer(self) -> io::Result<W> {
        self.check()?;
        Ok(self.writer)
    }

    /// Ends the stream; gives the bytes of text that it holds.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.check()?;
        self.writer.flush()?;
        Ok(self.bytes)
    }
}
