//! The destination of the bytes of a trace.

use std::fmt::{self, Debug, Formatter};
use std::io::{self, Write};

/// A writer behind a pointer, so that a sink is compiled once, in its own crate, for all writers. Sinks write large blocks:
/// the call takes no time of note.
pub struct Destination<'w>(Box<dyn Write + Send + 'w>);

impl<'w> Destination<'w> {
    /// Creates a destination that passes everything on to `writer`.
    pub fn new(writer: impl Write + Send + 'w) -> Destination<'w> {
        Destination(Box::new(writer))
    }
}

impl Write for Destination<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Debug for Destination<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.write_str("Destination")
    }
}
