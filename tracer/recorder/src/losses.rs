//! Counting what could not be kept, by code byte: per thread, and for threads that never got a block.

use crate::recorder;
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use ompttrace_recording::EventCode;

/// Lost records by code byte.
pub(crate) struct Losses([AtomicU64; 256]);

/// Whether anything was lost so far in this process: who has lost nothing need not look.
static ANY: AtomicBool = AtomicBool::new(false);

/// Whether anything was lost so far in this process.
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

impl Losses {
    pub(crate) const fn new() -> Losses {
        Losses([const { AtomicU64::new(0) }; 256])
    }

    /// Counts `count` more records of this code.
    pub(crate) fn add(&self, code: u8, count: u64) {
        if let Some(counter) = self.0.get(usize::from(code)) {
            ANY.store(true, Ordering::Relaxed);
            counter.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Takes the next code that has losses and its count, leaving 0.
    pub(crate) fn take_next(&self) -> Option<(u8, u64)> {
        self.0.iter().enumerate().find_map(|(code, counter)| {
            let count = counter.load(Ordering::Relaxed);
            (count > 0).then(|| (code as u8, counter.swap(0, Ordering::Relaxed)))
        })
    }

    /// Moves all counts to `other`.
    pub(crate) fn move_to(&self, other: &Losses) {
        while let Some((code, count)) = self.take_next() {
            other.add(code, count);
        }
    }
}

/// What was lost and is told in no thread's records, by code byte, until now.
pub fn lost_outside_threads() -> Vec<(EventCode, u64)> {
    let Some(recorder) = recorder::current() else { return Vec::new() };
    let counts = recorder.losses.0.iter().enumerate();
    counts
        .map(|(code, count)| (EventCode(code as u8), count.load(Ordering::Relaxed)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// Says once, through [`Recorder::refused`](crate::recorder::Recorder), that records are being lost.
pub(crate) fn complain(code: i32) {
    crate::message::say(format_args!(
        "cannot write events (error {code} of the system); records are lost and counted"
    ));
}
