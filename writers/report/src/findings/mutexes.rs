//! Mutexes and ordered regions that let others wait, by the place that holds them.

use super::{Found, named, of_all, worth};
use crate::model::ORDERED;
use crate::model::{Finding, HolderReport, LockReport, Report};
use crate::text::{duration, percent};

pub(super) fn find(report: &Report, found: &mut Found) {
    for holder in report.holders.iter().filter(|holder| worth(report, holder.blame_ns)) {
        found.push(Finding {
            kind: if is_turn(holder.kind) { "ordered" } else { "lock" },
            lost_ns: holder.blame_ns,
            share: of_all(report, holder.blame_ns),
            construct: Some(holder.construct),
            place: holder.place.short.clone(),
            also: Vec::new(),
            text: text(report, holder),
        });
    }
    for lock in report.locks.iter().filter(|lock| worth(report, lock.handover_ns)) {
        found.push(Finding {
            kind: "handover",
            lost_ns: lock.handover_ns,
            share: of_all(report, lock.handover_ns),
            construct: None,
            place: lock.longest_hold_at.short.clone(),
            also: Vec::new(),
            text: handover(report, lock),
        });
    }
}

/// Whether it is an ordered region, which is no mutex: threads wait for their turn.
fn is_turn(kind: &str) -> bool {
    kind == ORDERED
}

/// A mutex that is passed around more than it is held; turns that come late.
fn handover(report: &Report, lock: &LockReport) -> String {
    if is_turn(lock.kind) {
        return turns(report, lock);
    }
    format!(
        "{} at {}: threads wait {} for it ({} of all thread time) while nobody holds it: it is passed \
         on {} times from one to another; take it less often, or use {}",
        bare(&lock.name, &lock.longest_hold_at.short),
        lock.longest_hold_at.short,
        duration(lock.handover_ns),
        percent(of_all(report, lock.handover_ns)),
        lock.contended,
        if lock.kind == "critical" { "`atomic` or `reduction`" } else { "more of them" },
    )
}

/// Nobody is in the ordered region: the iteration whose turn it is has not come there.
fn turns(report: &Report, lock: &LockReport) -> String {
    format!(
        "`ordered` at {}: threads wait {} for their turn ({} of all thread time) while nobody executes it: \
         the iteration before is not there yet; try schedule(static, 1), or keep less of the loop ordered",
        lock.longest_hold_at.short,
        duration(lock.handover_ns),
        percent(of_all(report, lock.handover_ns)),
    )
}

fn text(report: &Report, holder: &HolderReport) -> String {
    let within = report.constructs.get(holder.construct).map_or_else(String::new, |construct| {
        if construct.place.short.is_empty() {
            String::new()
        } else {
            format!(" in {}", named(construct))
        }
    });
    let (it, held) = if is_turn(holder.kind) { ("their turn", "executed") } else { ("it", "held") };
    format!(
        "{} at {}{within}: others wait {} for {it} ({} of all thread time) while it is {held} {} times, \
         {} on average; {}",
        what(holder),
        holder.place.short,
        duration(holder.blame_ns),
        percent(of_all(report, holder.blame_ns)),
        holder.holds,
        duration(holder.held_ns / holder.holds.max(1)),
        advice(holder.kind),
    )
}

/// `critical update`; of several locks only what they are.
pub(crate) fn what(holder: &HolderReport) -> String {
    let name = if holder.several { holder.kind } else { holder.lock.as_str() };
    bare(name, &holder.place.short)
}

/// A name without the place that is told beside it.
fn bare(name: &str, place: &str) -> String {
    format!("`{}`", name.strip_suffix(&format!(" {place}")).unwrap_or(name))
}

fn advice(kind: &str) -> &'static str {
    match kind {
        "critical" => "hold it shorter, or use `atomic` or `reduction`",
        "ordered" => "keep less of the loop ordered",
        "atomic" => "use `reduction`",
        _ => "hold it shorter, or use more locks",
    }
}
