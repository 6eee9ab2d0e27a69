//! Recordings that no runtime would deliver: whatever they say, every reader can read the archive,
//! and on every stack regions are left in turn.

use super::archives;
use ompttrace_tests::otf2_judge::{judge, print};
use ompttrace_timeline::testing::nonsense;

/// What such a recording says itself and no writer can mend: who forked, who is in which team, what
/// runs twice at a time or before it was made, what never ended.
const TOLD: [&str; 11] = [
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

fn check(seed: u64, records: usize) {
    let archives = archives(&nonsense(seed, records));
    for archive in [&archives.threads, &archives.lanes] {
        print(archive, 0).expect("read by otf2-print");
        let verdict = judge(archive).expect("read");
        let untold = |kind: &str| !TOLD.contains(&kind);
        let wrong: Vec<_> = verdict.breaches.iter().filter(|one| untold(&one.kind)).collect();
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
