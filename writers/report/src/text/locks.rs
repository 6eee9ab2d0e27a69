//! Tables of mutexes and of ordered regions: who is in them at others' cost, and each by itself.

use super::figures::count;
use super::page::Page;
use super::tables::Table;
use super::{duration, heading, more};
use crate::model::{HolderReport, LockReport, Report};

/// What both have in common is how time is counted; an ordered region is a turn, and no mutex.
pub(crate) const ORDERED: &str = "ordered";

pub(super) fn holders(report: &Report, top: usize, text: &mut Page) {
    let (turns, mutexes): (Vec<_>, Vec<_>) =
        report.holders.iter().partition(|holder| holder.kind == ORDERED);
    let heads = ["held at", "times", "held", "mean", "longest", "others wait"];
    let title = "Where mutexes are held, and what others wait meanwhile";
    holders_table(title, &heads, &mutexes, top, text);
    let heads = ["executed at", "times", "inside", "mean", "longest", "others wait"];
    let title = "Where ordered regions are executed, and what others wait meanwhile";
    holders_table(title, &heads, &turns, top, text);
}

fn holders_table(
    title: &str,
    heads: &[&'static str],
    holders: &[&HolderReport],
    top: usize,
    text: &mut Page,
) {
    if holders.is_empty() {
        return;
    }
    heading(title, text);
    let mut table = Table::new(heads);
    for holder in holders.iter().take(top) {
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
    more(holders.len(), top, text);
}

pub(super) fn locks(report: &Report, top: usize, text: &mut Page) {
    let (turns, mutexes): (Vec<_>, Vec<_>) =
        report.locks.iter().partition(|lock| lock.kind == ORDERED);
    let heads = ["mutex", "acquired", "contended", "wait", "longest", "held", "longest"];
    locks_table("Mutexes", &heads, &mutexes, top, text);
    let heads = ["region", "executed", "waited for", "wait", "longest", "inside", "longest"];
    locks_table("Ordered regions", &heads, &turns, top, text);
}

fn locks_table(
    title: &str,
    heads: &[&'static str],
    locks: &[&LockReport],
    top: usize,
    text: &mut Page,
) {
    if locks.is_empty() {
        return;
    }
    heading(title, text);
    let mut table = Table::new(heads);
    for lock in locks.iter().take(top) {
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
    more(locks.len(), top, text);
}
