//! Counters of a recording: which of those that were asked for there are.

use crate::host::sync::Ordering;
use ompttrace_recording::settings::{CounterKind, MOST_COUNTERS, Origin};
// A count, and a limit of what may be open: never what threads meet by.
use std::sync::atomic::AtomicU64;

/// Counters.
#[derive(Debug)]
pub(crate) struct Counters {
    /// All counters, by the number in records.
    pub(super) counted: Vec<Counted>,
    pub(super) refused: Vec<(&'static CounterKind, i32)>,
    /// Descriptors that threads have open for it.
    pub(super) open: AtomicU64,
    /// Number of threads without the counters of perf.
    pub(super) without: AtomicU64,
}

/// A counter that is recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(super) kind: &'static CounterKind,
    /// True if the kernel's own work counts.
    pub(super) in_kernel: bool,
}

impl Counters {
    /// The counters of `asked` that the system has and allows, according to `probe`: it returns true if a counter
    /// counts the kernel's own work too, or the system's error number.
    pub(super) fn new(
        asked: &[&'static CounterKind],
        probe: impl Fn(&CounterKind) -> Result<bool, i32>,
    ) -> Counters {
        let (mut counted, mut refused) = (Vec::new(), Vec::new());
        for kind in asked.iter().take(MOST_COUNTERS) {
            match probe(kind) {
                Ok(in_kernel) => counted.push(Counted { kind, in_kernel }),
                Err(errno) => refused.push((*kind, errno)),
            }
        }
        let zero = || AtomicU64::new(0);
        Counters { counted, refused, open: zero(), without: zero() }
    }

    /// Returns true if no counters are recorded.
    pub(crate) fn are_none(&self) -> bool {
        self.counted.is_empty()
    }

    /// Number of the counters that are perf's.
    pub(super) fn perfs(&self) -> u64 {
        let is_perfs = |counted: &&Counted| matches!(counted.kind.origin, Origin::Perf { .. });
        self.counted.iter().filter(is_perfs).count() as u64
    }

    /// Summary of the counters so far.
    pub(crate) fn summary(&self) -> CountersSummary {
        CountersSummary {
            counted: self.counted.iter().map(|one| (one.kind, one.in_kernel)).collect(),
            refused: self.refused.clone(),
            without: self.without.load(Ordering::Relaxed),
        }
    }
}

/// The counters of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountersSummary {
    /// The counters by the number in records, each with true if the kernel's own work counts.
    pub counted: Vec<(&'static CounterKind, bool)>,
    /// Counters that cannot be had, with the system's error number.
    pub refused: Vec<(&'static CounterKind, i32)>,
    /// Number of threads without the counters of perf, or without them from some time on.
    pub without: u64,
}
