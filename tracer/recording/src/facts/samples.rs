//! How threads were sampled.

use serde::{Deserialize, Serialize};

/// What was asked for, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Samples {
    /// The setting: samples in a second and their clock, as `200,cpu` or `200,wall`; empty: none were asked for.
    pub asked: String,
    /// Why there are none, or no more, in words.
    pub why: String,
    /// Why threads have timers rather than perf events, in words; empty where perf events are not refused.
    pub perf: String,
    /// Threads that were sampled.
    pub threads: u64,
    /// Threads of these that had timers.
    pub threads_by_timer: u64,
    /// Threads that were not, or not to their end.
    pub threads_without: u64,
    /// Samples for which there was no room.
    pub lost: u64,
    /// Nanoseconds of the longest time from one sample of a thread to its next, where so many threads are sampled by wall time
    /// that they take turns; 0: each has what was asked for.
    pub longest_period_ns: u64,
}

impl Samples {
    /// Whether they were asked for by the time of day rather than by CPU time.
    pub fn are_of_wall_time(&self) -> bool {
        self.asked.split(',').any(|word| word == "wall")
    }

    /// Whether none were requested.
    pub fn are_not_asked(&self) -> bool {
        self.asked.is_empty()
    }
}
