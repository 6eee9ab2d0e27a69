//! Tables of mutexes: who holds them at others' cost, and each by itself.

use super::figures::count;
use super::tables::Table;
use super::{duration, heading, more};
use crate::model::Report;

pub(super) fn holders(report: &Report, top: usize, text: &mut String) {
    if report.holders.is_empty() {
        return;
    }
    heading("Where mutexes are held, and what others wait meanwhile", text);
    let mut table = Table::new(&["held at", "times", "held", "mean", "longest", "others wait"]);
    for holder in report.holders.iter().take(top) {
        let what = crate::findings::holder_name(holder);
        table.row(vec![
            format!("{what} {}", holder.place.short),
            count(holder.holds),
            duration(holder.held_ns),
            duration(holder.held_ns / holder.holds.max(1)),
            duration(holder.longest_ns),
            duration(holder.blame_ns),
        ]);
    }
    table.write(text);
    more(report.holders.len(), top, text);
}

pub(super) fn locks(report: &Report, top: usize, text: &mut String) {
    if report.locks.is_empty() {
        return;
    }
    heading("Mutexes", text);
    let mut table =
        Table::new(&["mutex", "acquired", "contended", "wait", "longest", "held", "longest"]);
    for lock in report.locks.iter().take(top) {
        table.row(vec![
            lock.name.clone(),
            count(lock.acquired),
            count(lock.contended),
            duration(lock.wait_ns),
            duration(lock.longest_wait_ns),
            duration(lock.held_ns),
            duration(lock.longest_hold_ns),
        ]);
    }
    table.write(text);
    more(report.locks.len(), top, text);
}
