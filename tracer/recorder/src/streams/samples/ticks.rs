//! The source of a thread's signals: a perf event of its CPU time where the kernel allows one, else a timer.

use super::timing::{self, Timing};
use super::{event, timer};
use ompttrace_recording::settings::Sampling;
use std::sync::atomic::{AtomicU64, Ordering};

/// A thread's source as one word: 0 for none, a mapping's address, or a timer's number with the lowest bit set. The
/// source is ended by whichever takes the word out: the thread, its signal handler, or another thread when the
/// process ends.
#[derive(Debug)]
pub(super) struct Ticks(AtomicU64);

/// The kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Perf,
    Timer,
}

impl Ticks {
    /// No source.
    #[cfg(test)]
    pub(super) const fn new() -> Ticks {
        Ticks(AtomicU64::new(0))
    }

    /// Begins to send signals to the calling thread, which is the recording's `thread`, every `period` nanoseconds;
    /// those of a timer carry `mark`. Fails with the system's error number.
    pub(super) fn open(
        &self,
        sampling: Sampling,
        (thread, period): (u64, u64),
        mark: usize,
        perf: bool,
    ) -> Result<By, i32> {
        let number = sampling.signal();
        if perf && let Ok(address) = event::open(period, number) {
            self.0.store(address, Ordering::SeqCst);
            return Ok(By::Perf);
        }
        let times = (timing::first(thread, period), period);
        let timer = timer::start(sampling.clock_id(), times, number, mark)?;
        self.0.store(u64::from(timer) << 1 | 1, Ordering::SeqCst);
        Ok(By::Timer)
    }

    /// Changes those of a timer to one every `period` nanoseconds. A timer that another thread has just ended is no more: the
    /// kernel gives its number to no other one soon.
    pub(super) fn pace(&self, period: u64) {
        let word = self.0.load(Ordering::SeqCst);
        if word & 1 == 1 {
            timer::pace((word >> 1) as u32, period);
        }
    }

    /// Ends them; a second time does nothing.
    pub(super) fn close(&self) {
        match self.0.swap(0, Ordering::SeqCst) {
            0 => {}
            word if word & 1 == 1 => timer::delete((word >> 1) as u32),
            address => event::close(address),
        }
    }
}
