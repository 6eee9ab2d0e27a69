//! Phases that the program marks.

use super::{Cell, Table, cells, columns};
use crate::model::{PhaseReport, Report};
use crate::text::{count, duration, part};

/// Table of phases by name.
pub(crate) fn phases(report: &Report, top: usize) -> Option<Table> {
    let heads = columns([
        "phase",
        "kind",
        "calls",
        "wall time",
        "longest",
        "work",
        "wait",
        "overhead",
        "idle",
    ]);
    let row = |phase: &PhaseReport| -> Vec<Cell> {
        let all = phase.times.all();
        let figures = [
            count(phase.calls),
            duration(phase.wall_ns),
            duration(phase.longest_ns),
            part(phase.metrics.work_ns, all),
            part(phase.metrics.wait_ns.saturating_sub(phase.overhead_ns), all),
            part(phase.overhead_ns, all),
            part(phase.metrics.idle_ns, all),
        ];
        [phase.name.as_str().into(), phase.kind.into()].into_iter().chain(cells(figures)).collect()
    };
    let table = Table::of("Phases", heads, &report.phases, top, row)?;
    Some(table.legend("marked by the program; work, wait, overhead, idle: parts of the time of all threads meanwhile"))
}
