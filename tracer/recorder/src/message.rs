//! One line on stderr from anywhere, without allocation or locks.

use crate::host;
use std::fmt::{self, Write};

struct Line {
    bytes: [u8; 512],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // The last byte is kept for the line's end.
            if self.length < self.bytes.len() - 1
                && let Some(slot) = self.bytes.get_mut(self.length)
            {
                *slot = byte;
                self.length += 1;
            }
        }
        Ok(())
    }
}

/// Writes `ompttrace: <text>` and a line end to stderr in one write(2); longer text is cut.
pub fn say(text: fmt::Arguments<'_>) {
    let untouched = host::shut();
    write_line(text);
    untouched.open();
}

fn write_line(text: fmt::Arguments<'_>) {
    let mut line = Line { bytes: [0; 512], length: 0 };
    let _ = write!(line, "ompttrace: {text}");
    if let Some(slot) = line.bytes.get_mut(line.length) {
        *slot = b'\n';
        line.length += 1;
    }
    let _quiet = NoSignal::begin();
    // SAFETY: the bytes are on this stack and `length` does not exceed them.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.length) };
}

/// While it lives, a write of the calling thread to a pipe that nobody reads fails without the signal
/// that would kill the program.
struct NoSignal {
    pipe: libc::sigset_t,
    before: libc::sigset_t,
    /// A signal that the program has to get, for a write of its own.
    pending: bool,
}

impl NoSignal {
    fn begin() -> NoSignal {
        // SAFETY: all zeros is an empty set; the functions fill sets on this stack.
        unsafe {
            let mut pipe: libc::sigset_t = std::mem::zeroed();
            let (mut before, mut waiting) = (pipe, pipe);
            libc::sigaddset(&raw mut pipe, libc::SIGPIPE);
            libc::sigpending(&raw mut waiting);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const pipe, &raw mut before);
            NoSignal {
                pipe,
                before,
                pending: libc::sigismember(&raw const waiting, libc::SIGPIPE) == 1,
            }
        }
    }
}

impl Drop for NoSignal {
    fn drop(&mut self) {
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: takes a signal that is there, does not wait, and puts the thread's mask back.
        unsafe {
            if !self.pending {
                libc::sigtimedwait(&raw const self.pipe, std::ptr::null_mut(), &raw const now);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
        }
    }
}
