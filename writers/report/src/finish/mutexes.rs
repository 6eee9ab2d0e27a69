//! Mutexes of a report, and the locations that hold them.

use crate::locks::{Mutex, kind_word};
use crate::model::{HolderReport, LockReport};
use crate::sink::ReportSink;
use std::cmp::Reverse;

/// Mutexes in a report: a program may have as many as it has data.
const MAX_REPORTED: usize = 1000;

pub(super) fn locks(sink: &ReportSink) -> Vec<LockReport> {
    let is_used = |mutex: &&Mutex| {
        let times = mutex.wait + mutex.held + mutex.handover;
        mutex.acquired > 0 || times > 0
    };
    let taken = sink.locks.mutexes.iter().filter(is_used);
    let mut locks: Vec<_> = taken.collect();
    locks.sort_by_key(|mutex| Reverse((mutex.wait, mutex.held)));
    locks.truncate(MAX_REPORTED);
    let reported = locks.into_iter().map(|mutex| LockReport {
        name: mutex.name.clone(),
        kind: kind_word(mutex.kind),
        acquired: mutex.acquired,
        contended: mutex.contended,
        refused: mutex.refused,
        wait_ns: mutex.wait,
        polled_ns: mutex.polled,
        longest_wait_ns: mutex.longest_wait,
        handover_ns: mutex.handover,
        held_ns: mutex.held,
        longest_hold_ns: mutex.longest.held,
        longest_hold_at: sink.construct_table.site(mutex.longest.source),
        longest_hold_begin_ns: mutex.longest.begin.saturating_sub(sink.begin),
    });
    reported.collect()
}

pub(super) fn holders(sink: &ReportSink) -> Vec<HolderReport> {
    let all = sink.locks.holders.iter();
    let all = all.filter(|(_, holder)| holder.holds > 0 || holder.held > 0 || holder.blame > 0);
    let mut holders: Vec<_> = all
        .map(|((construct, source), holder)| {
            let mutex = sink.locks.mutexes.get(holder.lock);
            HolderReport {
                lock: mutex.map(|mutex| mutex.name.clone()).unwrap_or_default(),
                kind: mutex.map_or("mutex", |mutex| kind_word(mutex.kind)),
                several: holder.several,
                location: sink.construct_table.site(*source),
                construct: *construct as usize,
                holds: holder.holds,
                held_ns: holder.held,
                longest_ns: holder.longest,
                on_core_ns: holder.held_on_core,
                blame_ns: holder.blame,
            }
        })
        .collect();
    holders.sort_by(|a, b| {
        let key = |holder: &HolderReport| (Reverse(holder.blame_ns), Reverse(holder.held_ns));
        key(a).cmp(&key(b)).then_with(|| a.location.short.cmp(&b.location.short))
    });
    holders
}
