//! Phases of the program in a report.

use super::Metrics;
use crate::state::Times;
use serde::Serialize;

/// A phase that the program marks, or the iterations of one, all executions together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PhaseReport {
    /// Name of the phase; of iterations, that of the phase around them and `, iteration`.
    pub name: String,
    /// Its kind: `phase`, `iteration`, or the interface through which the program marks it and what it is there.
    pub kind: &'static str,
    /// Number of executions.
    pub calls: u64,
    /// Time in which some thread had it open, in nanoseconds.
    pub wall_ns: u64,
    /// The longest execution, in nanoseconds.
    pub longest_ns: u64,
    /// Time of all threads meanwhile, by metric.
    pub metrics: Metrics,
    /// Part of the waiting that is OpenMP's own overhead, in nanoseconds.
    pub overhead_ns: u64,
    /// Time of all threads meanwhile, by state.
    pub times: Times,
}
