//! Counters in a report.

use serde::Serialize;

/// What was counted of all threads together.
#[derive(Clone, Debug, Serialize)]
pub struct CounterReport {
    /// As it was asked for: `page-faults`.
    pub name: String,
    /// What is counted: `faults`.
    pub unit: String,
    /// Whether only what happens outside of the kernel counts.
    pub outside_kernel: bool,
    /// All of it.
    pub sum: u64,
}
