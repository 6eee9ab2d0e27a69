//! The counters of threads, as `recording.json` has them.

use serde::{Deserialize, Serialize};

/// The counters that are recorded, and those that were asked for in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// The counters that are recorded, by the number in `counter_value` records.
    pub counted: Vec<Counter>,
    /// The counters that the system does not have or allow.
    pub refused: Vec<Refused>,
    /// Number of threads without the counters of perf, or without them from some time on; known at the end of the run.
    pub threads_without: u64,
}

/// One counter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counter {
    /// The counter's name as it was asked for: `page-faults`.
    pub name: String,
    /// The things that are counted: `faults`.
    pub unit: String,
    /// True if only events outside the kernel are counted.
    pub outside_kernel: bool,
}

/// A counter that was asked for and is not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Refused {
    /// The counter's name as it was asked for.
    pub name: String,
    /// The reason in words.
    pub why: String,
}

impl Counters {
    /// Returns true if no counters were asked for.
    pub fn are_none(&self) -> bool {
        *self == Counters::default()
    }
}
