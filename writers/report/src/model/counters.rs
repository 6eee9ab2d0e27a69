//! Counters in a report.

use serde::Serialize;

/// Values of a performance counter, of all threads together.
#[derive(Clone, Debug, Serialize)]
pub struct CounterReport {
    /// Name of the counter as it was requested: `page-faults`.
    pub name: String,
    /// Unit of the values: `faults`.
    pub unit: String,
    /// True if only events outside of the kernel are counted.
    pub outside_kernel: bool,
    /// Sum over all threads.
    pub sum: u64,
}
