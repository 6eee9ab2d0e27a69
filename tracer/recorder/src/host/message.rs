//! One line on stderr from anywhere, without allocation or locks; none where descriptor 2 is a file of the program's.

use crate::host::descriptors::{is_named_and_read, status};
use crate::host::untouched;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

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

/// The result of a look at descriptor 2: 0 before it, [`OURS`] or [`OTHER`].
static KNOWN: AtomicU32 = AtomicU32::new(0);
const OURS: u32 = 1;
const OTHER: u32 = 2;
/// Device and inode of stderr.
static STDERR: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// Remembers what stderr is. To be called as early as possible: a program that was started without it may have got the number
/// for a file of its own by then. What shells redirect to is written only, and what harnesses capture in has no name, so a
/// regular file with a name that can be read too is such a one.
pub fn remember_stderr() {
    if KNOWN.load(Ordering::Relaxed) != 0 {
        return;
    }
    let known = match status(2) {
        Some(found) if !is_named_and_read(2, &found) => {
            STDERR[0].store(found.st_dev, Ordering::Relaxed);
            STDERR[1].store(found.st_ino, Ordering::Relaxed);
            OURS
        }
        _ => OTHER,
    };
    KNOWN.store(known, Ordering::Relaxed);
}

/// Returns true if descriptor 2 still refers to the same file.
pub fn is_stderr() -> bool {
    remember_stderr();
    KNOWN.load(Ordering::Relaxed) == OURS
        && status(2).is_some_and(|found| {
            found.st_dev == STDERR[0].load(Ordering::Relaxed)
                && found.st_ino == STDERR[1].load(Ordering::Relaxed)
        })
}

/// Writes `ompttrace: <text>` and a line end to stderr in one write(2); longer text is cut.
///
/// Never inlined: its line would be on the stack of whoever might have something to say.
#[cold]
#[inline(never)]
pub fn say(text: fmt::Arguments<'_>) {
    let untouched = untouched::shut();
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
    if !is_stderr() {
        return;
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
