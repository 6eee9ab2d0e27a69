//! Contents of a trace's file: the bytes as they are, or compressed as a whole, which viewers open as it is.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

/// Compression level that takes half the time of zlib's own choice, for a file a tenth larger.
pub const LEVEL: Compression = Compression::new(3);

/// A file that is written from its begin to its end; flushed once, at its end.
#[derive(Debug)]
pub enum Packed<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
}

impl<W: Write> Packed<W> {
    pub fn new(writer: W, gzip: bool) -> Packed<W> {
        match gzip {
            true => Packed::Gzip(GzEncoder::new(writer, LEVEL)),
            false => Packed::Plain(writer),
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packed::Plain(writer) => writer.write(bytes),
            Packed::Gzip(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packed::Plain(writer) => writer.flush(),
            Packed::Gzip(encoder) => {
                encoder.try_finish()?;
                encoder.get_mut().flush()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_is_compressed_is_the_same() {
        let text = "one line as another\n".repeat(10_000);
        for gzip in [false, true] {
            let mut bytes = Vec::new();
            let mut file = Packed::new(&mut bytes, gzip);
            file.write_all(text.as_bytes()).expect("written");
            file.flush().expect("flushed");
            drop(file);
            let mut read = String::new();
            match gzip {
                true => {
                    assert!(bytes.len() * 5 < text.len(), "{} of {}", bytes.len(), text.len());
                    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut read)
                }
                false => (&bytes[..]).read_to_string(&mut read),
            }
            .expect("read");
            assert!(read == text);
        }
    }
}
