//! Mutexes and ordered regions: which threads are in them at the cost of others, and each by itself. What both have in common is how
//! time is counted; an ordered region is a turn, and no mutex.

use super::{Cell, Table, cells, column, columns};
use crate::model::{HolderReport, LockReport, ORDERED, Report};
use crate::text::{count, duration};

/// Tables of the locations that hold mutexes, and of those that execute ordered regions.
pub(crate) fn holders(report: &Report, top: usize) -> [Option<Table>; 2] {
    let (turns, mutexes): (Vec<_>, Vec<_>) =
        report.holders.iter().partition(|holder| holder.kind == ORDERED);
    let table = |title, first, held, holders: &[&HolderReport]| {
        let mut heads = vec![column(first), column("in").wide()];
        heads.extend(columns(["times", held, "mean", "longest", "others wait"]));
        Table::of(title, heads, holders, top, |holder| holder_row(holder))
    };
    let title = "Where mutexes are held, and what others wait meanwhile";
    let of_mutexes = table(title, "held at", "held", &mutexes);
    let title = "Where ordered regions are executed, and what others wait meanwhile";
    [of_mutexes, table(title, "executed at", "inside", &turns)]
}

fn holder_row(holder: &HolderReport) -> Vec<Cell> {
    let what = crate::findings::holder_name(holder);
    let location = format!("{what} {}", holder.location.short);
    let figures = [
        count(holder.holds),
        duration(holder.held_ns),
        duration(holder.held_ns / holder.holds.max(1)),
        duration(holder.longest_ns),
        duration(holder.blame_ns),
    ];
    [location.into(), Cell::Construct(holder.construct)].into_iter().chain(cells(figures)).collect()
}

/// The column of refused tests, where there are any.
const REFUSED: usize = 3;

/// Tables of mutexes, and of ordered regions.
pub(crate) fn locks(report: &Report, top: usize) -> [Option<Table>; 2] {
    let (turns, mutexes): (Vec<_>, Vec<_>) =
        report.locks.iter().partition(|lock| lock.kind == ORDERED);
    let heads = ["mutex", "acquired", "contended", "refused", "wait", "longest", "held", "longest"];
    let is_polled = mutexes.iter().any(|lock| lock.refused > 0);
    let mut heads: Vec<_> = columns(heads);
    if !is_polled {
        heads.remove(REFUSED);
    }
    let row = |lock: &&LockReport| {
        let mut row = lock_row(lock);
        if is_polled {
            row.insert(REFUSED, count(lock.refused).into());
        }
        row
    };
    let of_mutexes = Table::of("Mutexes", heads, &mutexes, top, row);
    let heads =
        columns(["region", "executed", "waited for", "wait", "longest", "inside", "longest"]);
    [of_mutexes, Table::of("Ordered regions", heads, &turns, top, |lock| lock_row(lock))]
}

fn lock_row(lock: &LockReport) -> Vec<Cell> {
    let figures = [
        lock.name.clone(),
        count(lock.acquired),
        count(lock.contended),
        duration(lock.wait_ns),
        duration(lock.longest_wait_ns),
        duration(lock.held_ns),
        duration(lock.longest_hold_ns),
    ];
    cells(figures).collect()
}
