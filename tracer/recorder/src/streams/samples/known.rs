//! Knowledge of a recording about its samples: the setting, the owner of the signal, and the number of threads that
//! are sampled.

use super::event;
use super::region::Region;
use super::timing::Timing;
use super::turns::Turns;
use crate::blocks::block::Block;
use crate::host::message::say;
use crate::host::sync::{self, Ordering};
use crate::registry::losses;
use crate::streams::of_thread::of;
use ompttrace_recording::pool::control;
use ompttrace_recording::settings::Sampling;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering as Plain};

/// The facts of a recording about its samples.
#[derive(Debug)]
pub(crate) struct Samples {
    pub(super) asked: Option<Sampling>,
    /// The system refuses perf events, with this error number.
    pub(super) refused: Option<i32>,
    /// True if the signal is ours: [`Signal`].
    pub(super) signal: AtomicU64,
    pub(super) threads: AtomicU64,
    /// Threads of these that have timers.
    pub(super) by_timer: AtomicU64,
    /// Threads that are not sampled, or were not to their end.
    pub(super) without: AtomicU64,
    pub(super) turns: Turns,
    /// True once the process ends, and the ticks of wall time have ended.
    pub(super) wall_is_over: AtomicBool,
    /// True once it was reported that the file system refuses samples.
    complained: sync::AtomicBool,
}

/// The owner of the signal.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Signal {
    /// The owner is not known yet.
    Unknown = 0,
    Ours = 1,
    /// The program, or another library in it, has a handler for it.
    Taken = 2,
}

impl Samples {
    /// Prepares sampling by this setting.
    pub(crate) fn new(asked: Option<Sampling>) -> Samples {
        let perf = asked.filter(|sampling| sampling.may_be_perfs());
        let refused = perf.and_then(|_| event::probe().err());
        let zero = || AtomicU64::new(0);
        let signal = AtomicU64::new(Signal::Unknown as u64);
        let (threads, by_timer, without) = (zero(), zero(), zero());
        let (turns, wall_is_over) = (Turns::new(asked), AtomicBool::new(false));
        let complained = sync::AtomicBool::new(false);
        Samples {
            asked,
            refused,
            signal,
            threads,
            by_timer,
            without,
            turns,
            wall_is_over,
            complained,
        }
    }

    /// The clock by which threads are sampled; `None`: they are not.
    pub(crate) fn sampling(&self) -> Option<Sampling> {
        self.asked.filter(|_| !self.is_taken())
    }

    /// A thread that was sampled has vanished without a word.
    pub(crate) fn forget(&self) {
        self.turns.leave();
    }

    /// True if the program has a handler for the signal.
    pub(super) fn is_taken(&self) -> bool {
        self.signal.load(Plain::Relaxed) == Signal::Taken as u64
    }

    /// Leaves the signal to the program, which has a handler for it; the first time says so.
    pub(super) fn leave(&self, signal: libc::c_int, what: &str) {
        if self.signal.swap(Signal::Taken as u64, Plain::Relaxed) != Signal::Taken as u64 {
            say(format_args!(
                "{what}: the program has a handler for signal {signal}; choose another one \
                 (OMPTTRACE_SAMPLE=RATE,signal=N)"
            ));
        }
    }

    /// Reports once that the file system refuses samples.
    pub(super) fn refused_write(&self, error: &io::Error) {
        losses::complain_once(&self.complained, ("samples", "they"), error);
    }

    /// In the handler, behind a sample: the thread's next one comes later or earlier from here on where many threads came or
    /// went.
    pub(super) fn take_turns(&self, block: &Block, region: &Region, ticks: u64) {
        let Some(sampling) = self.asked else { return };
        let (own, thread) = (&of(block).samples, block.control.word(control::THREAD));
        let (now, thread) = (own.period.load(Plain::Relaxed), thread.load(Ordering::Relaxed));
        if let Some(period) = self.turns.change(now, sampling, thread)
            && region.change(ticks, &sampling.begin(period))
        {
            own.period.store(period, Plain::Relaxed);
            own.ticks.pace(period);
        }
    }

    /// Summary of the samples so far, of the threads with these blocks.
    pub(crate) fn summary(&self, blocks: impl Iterator<Item = &'static Block>) -> SamplesSummary {
        SamplesSummary {
            asked: self.asked,
            taken: self.asked.filter(|_| self.is_taken()).map(Sampling::signal),
            refused: self.refused,
            threads: self.threads.load(Plain::Relaxed),
            by_timer: self.by_timer.load(Plain::Relaxed),
            without: self.without.load(Plain::Relaxed),
            lost: blocks.map(|block| of(block).samples.lost.load(Plain::Relaxed)).sum(),
            longest_period: self.turns.longest(),
        }
    }
}

/// The sampling of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplesSummary {
    /// The sampling that is asked for.
    pub asked: Option<Sampling>,
    /// The program, or another library in it, has a handler for this signal: so there are no samples, or no more.
    pub taken: Option<i32>,
    /// The system refuses perf events, with this error number.
    pub refused: Option<i32>,
    /// Number of threads that were sampled.
    pub threads: u64,
    /// Number of these threads that had timers rather than perf events.
    pub by_timer: u64,
    /// Number of threads whose sampling did not begin or was given up: the program had blocked or taken the signal or added a
    /// seccomp filter, or there was no memory or timer. Threads that begin after the signal was found taken do not count.
    pub without: u64,
    /// Number of samples for which there was no room.
    pub lost: u64,
    /// The longest period that a thread got since there were too many of them, in nanoseconds; 0: each got the period
    /// that was asked for.
    pub longest_period: u64,
}
