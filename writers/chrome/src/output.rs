//! Output of lines: blocks of whole lines are passed to a writer.

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

    /// The first failure, each time that it is called.
    pub(crate) fn check(&self) -> io::Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    /// Number of bytes of text so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Replaces the writer by `next` and returns it; bytes are counted anew.
    pub(crate) fn replace_writer(&mut self, next: W) -> W {
        self.bytes = 0;
        std::mem::replace(&mut self.writer, next)
    }

    /// The writer, to which everything was written.
    pub(crate) fn into_writer(self) -> io::Result<W> {
        self.check()?;
        Ok(self.writer)
    }

    /// Flushes the output; returns the number of bytes of text in it.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.check()?;
        self.writer.flush()?;
        Ok(self.bytes)
    }
}
