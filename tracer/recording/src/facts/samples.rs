//! The sampling of threads, as `recording.json` has it.

use serde::{Deserialize, Serialize};

/// The sampling that was asked for, and its results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Samples {
    /// The setting: samples in a second and their clock, as `200,cpu` or `200,wall`; empty: none were asked for.
    pub asked: String,
    /// The reason why there are no samples, or no more from some time on, in words.
    pub why: String,
    /// The reason why threads have timers rather than perf events, in words; empty if perf events are not refused.
    pub perf: String,
    /// Number of threads that were sampled.
    pub threads: u64,
    /// Number of these threads that had timers.
    pub threads_by_timer: u64,
    /// Number of threads that were not sampled, or not to their end.
    pub threads_without: u64,
    /// Number of samples that were lost because there was no room for them.
    pub lost: u64,
    /// The longest time from one sample of a thread to its next, in nanoseconds, if so many threads are sampled by
    /// wall time that they take turns; 0: each thread has the period that was asked for.
    pub longest_period_ns: u64,
}

impl Samples {
    /// Returns true if samples were asked for by wall time rather than by CPU time.
    pub fn are_of_wall_time(&self) -> bool {
        self.asked.split(',').any(|word| word == "wall")
    }

    /// Returns true if no samples were asked for.
    pub fn are_not_asked(&self) -> bool {
        self.asked.is_empty()
    }
}
