//! One line on stderr from anywhere, without allocation or locks.

use std::fmt::{self, Write};

struct Line {
    bytes: [u8; 512],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // The last place is kept for the line's end.
            if self.length < self.bytes.len() - 1
                && let Some(place) = self.bytes.get_mut(self.length)
            {
                *place = byte;
                self.length += 1;
            }
        }
        Ok(())
    }
}

/// Writes `ompttrace: <text>` and a line end to stderr in one write(2); longer text is cut.
pub fn say(text: fmt::Arguments<'_>) {
    let mut line = Line { bytes: [0; 512], length: 0 };
    let _ = write!(line, "ompttrace: {text}");
    if let Some(place) = line.bytes.get_mut(line.length) {
        *place = b'\n';
        line.length += 1;
    }
    // SAFETY: the bytes are on this stack and `length` does not exceed them.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.length) };
}
