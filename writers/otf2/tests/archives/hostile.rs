//! Recordings that no runtime would deliver: every reader can nonetheless read the archive, and on every stack regions
//! are left in turn.

use super::archives;
use ompttrace_tests::otf2_judge::{Breach, judge, print};
use ompttrace_timeline::testing::nonsense;

/// Violations that such a recording has itself and that no writer can repair: they are about which thread forked, which
/// threads are in a team, what runs twice at a time or before it was created, and what never ended.
const REPORTED: [&str; 11] = [
    "complete-with-open-regions",
    "join-before-team-end",
    "lock-open-at-end",
    "release-without-acquire",
    "task-created-twice",
    "task-not-created",
    "task-of-other-team",
    "task-open-at-end",
    "team-member-missing",
    "team-overlap",
    "team-without-fork",
];

/// True for a violation at a nonsense time far ahead of all others: all later events get that one time, and readers
/// take one location after the other, whatever came first.
fn is_at_standstill(breach: &Breach) -> bool {
    const FAR: u64 = 1 << 62;
    // The first few, in the order of time.
    !breach.first.is_empty() && breach.first.iter().all(|one| one.time > Some(FAR))
}

/// True for a violation at the end, which has no time; it may follow from events that were read out of order.
fn is_at_end(breach: &Breach) -> bool {
    breach.first.iter().all(|one| one.time.is_none())
}

fn check(seed: u64, records: usize) {
    let archives = archives(&nonsense(seed, records));
    for archive in [&archives.threads, &archives.logical_threads] {
        print(archive, 0).expect("read by otf2-print");
        let verdict = judge(archive).expect("read");
        let unreported = |one: &&Breach| !REPORTED.contains(&one.kind.as_str());
        let unreported: Vec<_> = verdict.breaches.iter().filter(unreported).collect();
        let is_out_of_order = unreported.iter().any(|one| is_at_standstill(one));
        let excused = |one: &Breach| is_at_standstill(one) || (is_out_of_order && is_at_end(one));
        let wrong: Vec<_> = unreported.into_iter().filter(|one| !excused(one)).collect();
        assert!(wrong.is_empty(), "seed {seed} {}: {wrong:#?}", archive.display());
    }
}

#[test]
fn short_nonsense_is_read_and_nests() {
    (1..16).for_each(|seed| check(seed, 300));
}

#[test]
fn long_nonsense_is_read_and_nests() {
    (1..4).for_each(|seed| check(seed * 77_777, 8_000));
}
