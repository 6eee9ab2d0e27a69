//! Phases that the program marks.

use super::metrics::metrics;
use crate::model::PhaseReport;
use crate::sink::ReportSink;
use crate::state::State;
use std::cmp::Reverse;

/// The phases that lie in what is reported, the longest first.
pub(super) fn phases(sink: &ReportSink) -> Vec<PhaseReport> {
    let mut all: Vec<_> = (sink.phases.all())
        .map(|phase| PhaseReport {
            name: phase.name.clone(),
            kind: phase.kind.name(),
            calls: phase.calls,
            wall_ns: phase.wall(),
            longest_ns: phase.longest,
            metrics: metrics(&phase.times),
            overhead_ns: phase.times.sum(State::is_overhead),
            times: phase.times,
        })
        .collect();
    all.sort_by_key(|phase| Reverse(phase.wall_ns));
    all
}
