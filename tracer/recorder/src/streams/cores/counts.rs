//! Numbers of threads whose cores are recorded, by method, and the reason why they are not for others.

use super::own::Source;
use super::refusal::Refusal;
use crate::host::filters::Filters;
use crate::host::proc_file;
use crate::host::sync::Ordering;
// Counters and hints: never what threads meet by.
use ompttrace_recording::settings::CoresMode;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Knowledge of a recording about its core streams.
pub(crate) struct Counts {
    pub(crate) mode: CoresMode,
    pub(crate) filters: Filters,
    /// KiB that the program had pinned when it was last looked up.
    pub(super) pinned: AtomicU64,
    /// Nanoseconds by which CLOCK_MONOTONIC is ahead of the kernel's own here: the time namespace's.
    pub(super) kernels_clock: i64,
    /// True if there was no memory for the last buffer that was asked for, and none was given back since.
    full: AtomicBool,
    switches: AtomicU64,
    accounts: AtomicU64,
    nothing: AtomicU64,
    lost: AtomicU64,
    storms: AtomicU64,
    /// The first refusal, as a number.
    refusal: AtomicU64,
}

impl Counts {
    pub(crate) fn new(mode: CoresMode) -> Counts {
        let zero = || AtomicU64::new(0);
        let status = if mode == CoresMode::Off { None } else { proc_file::status() };
        Counts {
            mode,
            filters: Filters::at_start(status.as_ref()),
            pinned: AtomicU64::new(status.map_or(0, |status| status.pinned)),
            kernels_clock: proc_file::namespace_offset(),
            full: AtomicBool::new(false),
            switches: zero(),
            accounts: zero(),
            nothing: zero(),
            lost: zero(),
            storms: zero(),
            refusal: zero(),
        }
    }

    /// Counts a thread whose stream has this source.
    pub(super) fn add(&self, source: Source) {
        let counter = match source {
            Source::Switches => &self.switches,
            Source::Accounts => &self.accounts,
            _ => &self.nothing,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts switches that were not read in time.
    pub(super) fn lost(&self, count: u64) {
        self.lost.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts a storm of switches, from which a thread rests.
    pub(super) fn rests(&self) {
        self.storms.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes why a thread did not get the recording that was asked for, if it is the first such thread.
    pub(super) fn note(&self, refusal: Refusal) {
        let number = refusal.to_number();
        let _ = self.refusal.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The refusal that a thread got before, and that all threads will get.
    pub(super) fn refused(&self) -> Option<Refusal> {
        match Refusal::from_number(self.refusal.load(Ordering::Relaxed)) {
            refused @ Some(Refusal::Refused(_)) => refused,
            _ => self.full.load(Ordering::Relaxed).then_some(Refusal::NoMemory),
        }
    }

    /// Totals of the core streams so far.
    pub(crate) fn summary(&self) -> CoresSummary {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let refusal = Refusal::from_number(count(&self.refusal));
        CoresSummary {
            mode: self.mode,
            switches: count(&self.switches),
            accounts: count(&self.accounts),
            nothing: count(&self.nothing),
            lost: count(&self.lost),
            storms: count(&self.storms),
            why: refusal.map(|refusal| (refusal.reason(), refusal.errno())),
        }
    }

    pub(super) fn has_no_room(&self) {
        self.full.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_room(&self) {
        self.full.store(false, Ordering::Relaxed);
    }
}

/// Totals of the core streams: numbers of threads and of switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoresSummary {
    /// The setting.
    pub mode: CoresMode,
    /// Number of threads of which every switch is recorded.
    pub switches: u64,
    /// Number of threads of which the kernel's sums are recorded.
    pub accounts: u64,
    /// Number of threads of which nothing is known.
    pub nothing: u64,
    /// Number of switches that were not read in time.
    pub lost: u64,
    /// Number of times that a thread's switches came so fast that its sums are recorded for about a second instead.
    pub storms: u64,
    /// The first reason why a thread did not get the recording that was asked for: one of `events::cores`, and the
    /// system's error number or 0.
    pub why: Option<(u64, i32)>,
}
