//! Tables of tasks by the location that creates them, and of the critical path.

use super::{Cell, NOTHING, Table, cells, columns};
use crate::model::{Report, TaskReport};
use crate::text::{count, duration, part, percent};

pub(crate) fn tasks(report: &Report, top: usize) -> Option<Table> {
    let heads = columns([
        "made at",
        "made",
        "ran",
        "work each",
        "longest",
        "queued",
        "making",
        "elsewhere",
        "moved",
    ]);
    let table = Table::of("Tasks", heads, &report.tasks.sites, top, row)?;
    Some(
        table
            .legend("queued: mean time from creation to begin; elsewhere: begun by another thread"),
    )
}

fn row(site: &TaskReport) -> Vec<Cell> {
    let making = if site.made_in_a_row == 0 { NOTHING.into() } else { duration(site.making_ns) };
    let moved = if site.migrations == 0 { NOTHING.into() } else { count(site.migrations) };
    let figures = [
        count(site.created),
        count(site.executed),
        duration(site.mean_ns),
        duration(site.longest_ns),
        duration(site.queued_ns),
        making,
        part(site.begun_elsewhere, site.executed),
        moved,
    ];
    std::iter::once(Cell::Construct(site.construct)).chain(cells(figures)).collect()
}

/// The critical path by construct.
pub(crate) fn path(report: &Report, top: usize) -> Option<Table> {
    let heads = columns(["construct", "time", "of it work", "share"]);
    Table::of("Critical path", heads, &report.critical_path.parts, top, |on_path| {
        let name = on_path.construct.map_or("outside of all constructs".into(), Cell::Construct);
        let figures =
            [duration(on_path.ns), part(on_path.work_ns, on_path.ns), percent(on_path.share)];
        std::iter::once(name).chain(cells(figures)).collect()
    })
}
