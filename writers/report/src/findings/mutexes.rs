//! Mutexes and ordered regions that let others wait, by the location that holds them.

use super::gain::{elapsed, ns, recording};
use super::{Findings, named, of_all, up_to, worth};
use crate::model::ORDERED;
use crate::model::{Finding, Gain, HolderReport, LockReport, Report};
use crate::text::{duration, percent};

/// Mean hold, in nanoseconds, below which a reduction may replace the mutex.
const SHORT_HOLD: u64 = 1_000;
/// Least time to acquire and release a mutex that another core had last, in nanoseconds: 25 without any other thread
/// (LLVM), and the transfer of a cache line from that core.
const TAKING: f64 = 60.0;
const EARLIER: &str = "try schedule(static, 1)";

pub(super) fn find(report: &Report, found: &mut Findings) {
    for holder in report.holders.iter().filter(|holder| worth(report, holder.blame_ns)) {
        let finding = Finding {
            kind: if is_turn(holder.kind) { "ordered" } else { "lock" },
            lost_ns: holder.blame_ns,
            share: of_all(report, holder.blame_ns),
            construct: Some(holder.construct),
            location: holder.location.short.clone(),
            text: text(report, holder),
            ..Finding::default()
        };
        let finding = finding.cured_by(advice(holder), gain(report, holder));
        let finding = finding.shown_by("waited_while_held_ns", ns(holder.blame_ns));
        let each = ns(holder.held_ns / holder.holds.max(1));
        found.push(finding.shown_by("holds", holder.holds).shown_by("held_each_ns", each));
    }
    for lock in report.locks.iter().filter(|lock| worth(report, lock.handover_ns)) {
        let threads = report.efficiency.threads.max(1) as f64;
        let finding = Finding {
            kind: "handover",
            lost_ns: lock.handover_ns,
            share: of_all(report, lock.handover_ns),
            location: lock.longest_hold_at.short.clone(),
            text: handover(report, lock),
            ..Finding::default()
        };
        let cure = if is_turn(lock.kind) { EARLIER } else { less_often(lock.kind) };
        let finding = finding.cured_by(cure, up_to(report, lock.handover_ns as f64 / threads));
        let finding = finding.shown_by("waited_unheld_ns", ns(lock.handover_ns));
        found.push(finding.shown_by("contended", lock.contended));
    }
}

/// True for an ordered region, which is no mutex: threads wait for their turn.
fn is_turn(kind: &str) -> bool {
    kind == ORDERED
}

/// A mutex that is passed around more than it is held; turns that come late.
fn handover(report: &Report, lock: &LockReport) -> String {
    if is_turn(lock.kind) {
        return turns(report, lock);
    }
    format!(
        "{} at {}: threads wait {} for it ({} of all thread time) while nobody holds it: it is passed on {} times",
        bare(&lock.name, &lock.longest_hold_at.short),
        lock.longest_hold_at.short,
        duration(lock.handover_ns),
        percent(of_all(report, lock.handover_ns)),
        lock.contended,
    )
}

fn less_often(kind: &str) -> &'static str {
    match kind {
        "critical" => "use `atomic` or `reduction`",
        _ => "take it less often",
    }
}

/// Reduction of the run's elapsed time. Without waits, threads go on side by side. Where holds are so short that
/// `reduction` can replace the mutex, the holds and what an acquisition costs go as well. Recording adds two records to
/// each acquisition, the request and the acquired mutex; the times are reduced by that. Split into n mutexes, one is
/// waited for a nth as long: the estimate takes four for each thread, its lower bound two in all.
fn gain(report: &Report, holder: &HolderReport) -> Gain {
    let Some(construct) = report.constructs.get(holder.construct) else { return Gain::default() };
    let lock = report.locks.iter().find(|lock| !holder.several && lock.name == holder.lock);
    let all_held = report.holders.iter().filter(|other| other.lock == holder.lock);
    let all_held: u64 = all_held.map(|other| other.held_ns).sum();
    let part = holder.held_ns as f64 / all_held.max(1) as f64;
    // Handing it over is charged to its holders, in proportion to how long they hold it.
    let handed = lock.map_or(0.0, |lock| part * lock.handover_ns as f64);
    let record = recording(report, holder.holds);
    let waited = holder.blame_ns as f64 + (handed - record).max(0.0);
    if is_short(holder) && matches!(holder.kind, "critical" | "atomic") {
        let held = (holder.held_ns as f64 - record).max(0.0);
        let all = (waited + held).max(holder.holds as f64 * TAKING);
        let [waited, all] = [waited, all].map(|time| elapsed(report, construct, time as u64));
        return Gain::of(report, all, waited, all);
    }
    let waited = elapsed(report, construct, waited as u64);
    let threads = construct.threads.max(1) as f64;
    Gain::of(report, waited * (1.0 - 1.0 / (4.0 * threads)), waited / 2.0, waited)
}

/// Words for turns that come late: no thread is in the ordered region, as the next iteration has not come there.
fn turns(report: &Report, lock: &LockReport) -> String {
    format!(
        "`ordered` at {}: threads wait {} for their turn ({} of all thread time) while nobody executes it",
        lock.longest_hold_at.short,
        duration(lock.handover_ns),
        percent(of_all(report, lock.handover_ns)),
    )
}

fn text(report: &Report, holder: &HolderReport) -> String {
    let within = report.constructs.get(holder.construct).map_or_else(String::new, |construct| {
        if construct.location.short.is_empty() {
            String::new()
        } else {
            format!(" in {}", named(construct))
        }
    });
    let (it, held) = if is_turn(holder.kind) { ("their turn", "executed") } else { ("it", "held") };
    format!(
        "{} at {}{within}: others wait {} for {it} ({} of all thread time) while it is {held}, {} times {}",
        what(holder),
        holder.location.short,
        duration(holder.blame_ns),
        percent(of_all(report, holder.blame_ns)),
        holder.holds,
        duration(holder.held_ns / holder.holds.max(1)),
    )
}

/// `critical update`; of several locks only their kind.
pub(crate) fn what(holder: &HolderReport) -> String {
    let name = if holder.several { holder.kind } else { holder.lock.as_str() };
    bare(name, &holder.location.short)
}

/// A name without the location that is reported with it.
fn bare(name: &str, location: &str) -> String {
    format!("`{}`", name.strip_suffix(&format!(" {location}")).unwrap_or(name))
}

fn advice(holder: &HolderReport) -> &'static str {
    match holder.kind {
        "critical" if is_short(holder) => "use `atomic` or `reduction`",
        "critical" => "hold it shorter",
        "ordered" => "keep less of the loop ordered",
        "atomic" => "use `reduction`",
        _ => "use more locks, each for a part of the data",
    }
}

/// True if a reduction may replace it.
fn is_short(holder: &HolderReport) -> bool {
    holder.held_ns / holder.holds.max(1) < SHORT_HOLD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ConstructReport, Recording};

    /// Gain of two threads that hold a mutex a thousand times, each for `held_each` nanoseconds, and wait for
    /// `handover_ns` while no thread holds it.
    fn won(held_each: u64, handover_ns: u64) -> Gain {
        let mut report = Report { wall_ns: 1_000_000, ..Report::default() };
        report.recording = Recording { record_ns: 10.0, path_ns: 0 };
        report.efficiency.threads = 2;
        report.constructs.push(ConstructReport { threads: 2, ..ConstructReport::default() });
        let lock = LockReport { name: "critical a".into(), handover_ns, ..LockReport::default() };
        report.locks.push(lock);
        let holder = HolderReport {
            lock: "critical a".into(),
            kind: "critical",
            holds: 1_000,
            held_ns: 1_000 * held_each,
            blame_ns: 10_000,
            ..HolderReport::default()
        };
        report.holders.push(holder.clone());
        gain(&report, &holder)
    }

    #[test]
    fn records_are_no_part_of_holding_and_waiting() {
        // Of 40 ns each 30 are the program's, of 50 us of waiting 40, and 10 more while somebody holds it.
        let gain = won(40, 50_000);
        assert_eq!((gain.ns, gain.low_ns), ((30_000 + 40_000 + 10_000) / 2, 50_000 / 2));
    }

    #[test]
    fn taking_a_mutex_takes_its_time() {
        assert_eq!(won(12, 11_000).ns, 1_000 * 60 / 2, "of what is recorded little is left");
    }
}
