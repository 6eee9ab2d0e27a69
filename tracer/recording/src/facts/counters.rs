//! What is counted of threads, as `recording.json` has it.

use serde::{Deserialize, Serialize};

/// What is counted, and what was asked for in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// By the number in `counter_value` records.
    pub counted: Vec<Counter>,
    /// What the system does not have or allow.
    pub refused: Vec<Refused>,
    /// Threads without what perf counts, or without it from some time on; known at the end of the run.
    pub threads_without: u64,
}

/// One counter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counter {
    /// As it was asked for: `page-faults`.
    pub name: String,
    /// What is counted: `faults`.
    pub unit: String,
    /// Whether only what happens outside the kernel counts.
    pub outside_kernel: bool,
}

/// A counter that there is not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Refused {
    /// As it was asked for.
    pub name: String,
    /// In words.
    pub why: String,
}

impl Counters {
    /// Whether none was asked for.
    pub fn are_none(&self) -> bool {
        *self == Counters::default()
    }
}
