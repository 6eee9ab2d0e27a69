//! Where lines go: blocks of whole lines to a writer, compressed or not.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Half the time of zlib's own choice for a file a tenth larger.
const LEVEL: Compression = Compression::new(3);

/// Passes blocks on and keeps the first failure.
#[derive(Debug)]
pub(crate) struct Output<W: Write> {
    stream: Stream<W>,
    failure: Option<io::Error>,
    bytes: u64,
}

/// One branch a block.
#[derive(Debug)]
enum Stream<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
}

impl<W: Write> Output<W> {
    pub(crate) fn plain(writer: W) -> Self {
        Output { stream: Stream::Plain(writer), failure: None, bytes: 0 }
    }

    pub(crate) fn gzip(writer: W) -> Self {
        let stream = Stream::Gzip(GzEncoder::new(writer, LEVEL));
        Output { stream, failure: None, bytes: 0 }
    }

    /// Writes a block. After a failure blocks are dropped: the events' callers do not ask for errors
    /// one by one, `check` and `finish` tell.
    pub(crate) fn write_block(&mut self, block: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        let result = match &mut self.stream {
            Stream::Plain(writer) => writer.write_all(block),
            Stream::Gzip(encoder) => encoder.write_all(block),
        };
        self.failure = result.err();
        self.bytes += block.len() as u64;
    }

    /// The first failure, as often as it is asked for.
    pub(crate) fn check(&self) -> io::Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    /// Ends the stream; gives the bytes of text that it holds.
    pub(crate) fn finish(self) -> io::Result<u64> {
        self.check()?;
        let mut writer = match self.stream {
            Stream::Plain(writer) => writer,
            Stream::Gzip(encoder) => encoder.finish()?,
        };
        writer.flush()?;
        Ok(self.bytes)
    }
}
