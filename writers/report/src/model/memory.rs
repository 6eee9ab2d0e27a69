//! Limits of a run other than waiting, in a report: memory and caches.

use serde::Serialize;

/// Memory or caches as a possible limit of the work: no finding shows it, because a thread that waits for memory works.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MemoryLimit {
    /// The limit in words: a line.
    pub text: String,
    /// Advice: a line.
    pub advice: String,
    /// Regions with a tenth of all cycles or more, the one with most of them first, where cycles and instructions were
    /// counted.
    pub regions: Vec<InstructionRate>,
}

/// Instructions per cycle of a region's threads, and the region's share of all cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InstructionRate {
    /// The region's construct, by position.
    pub construct: usize,
    /// Instructions for each cycle.
    pub per_cycle: f64,
    /// Cycles of the region as a share of all cycles.
    pub share: f64,
}
