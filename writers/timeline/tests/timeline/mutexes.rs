//! Waits for mutexes, holds on their tracks, tests that fail.

use crate::script::{Script, implicit};
use ompttrace_model::{ArgKey, ArgValue, InstantKind, Mark, SliceKind};
use ompttrace_recording::events::{LockDestroy, LockInit, NestLock, Wait};
use ompttrace_recording::words::KIND_INFERRED;
use ompttrace_recording::{Id, Scope};

const LOCK: u64 = 1;
const TEST: u64 = 2;
const NEST: u64 = 3;
const CRITICAL: u64 = 5;
const ORDERED: u64 = 7;
const ROOT: Id = implicit(0, 0);

/// Two root threads.
fn two() -> Script {
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 1);
    script
}

#[test]
fn a_failed_test_is_an_instant_and_no_wait() {
    let mut script = two();
    script.acquire(0, 10, TEST, 0x50).acquire(0, 20, TEST, 0x50).acquired(0, 22, TEST, 0x50);
    script.released(0, 30, LOCK, 0x50).acquire(0, 40, TEST, 0x50);
    let timeline = script.timeline();
    let failed = timeline.instants_of(InstantKind::LockTestFailed(TEST.into()));
    assert_eq!(failed.iter().map(|instant| instant.at).collect::<Vec<_>>(), [10, 40]);
    assert_eq!(timeline.on(0, SliceKind::MutexWait(TEST.into()))[0].span(), (20, 22));
    assert_eq!((timeline.holds[0].begin, timeline.holds[0].end), (22, 30));
}

#[test]
fn tests_that_fail_in_a_row_are_one_slice_with_their_number() {
    let mut script = two();
    for at in [10, 20, 30] {
        script.acquire(0, at, TEST, 0x50);
    }
    // Another lock, then the first again, which is had at the third time.
    script.acquire(0, 40, TEST, 0x51).acquire(0, 50, TEST, 0x50).acquire(0, 60, TEST, 0x50);
    script.acquire(0, 70, TEST, 0x50).acquired(0, 72, TEST, 0x50).released(0, 80, LOCK, 0x50);
    let timeline = script.timeline();
    let seen: Vec<_> = timeline
        .on(0, SliceKind::LockTests(TEST.into()))
        .iter()
        .map(|slice| (slice.span(), slice.arg(ArgKey::Count), slice.arg(ArgKey::WaitId)))
        .collect();
    let count = |count| Some(ArgValue::Number(count));
    let lock = Some(ArgValue::Address(0x50));
    assert_eq!(seen, [((10, 30), count(3), lock), ((50, 60), count(2), lock)]);
    let alone = timeline.instants_of(InstantKind::LockTestFailed(TEST.into()));
    assert_eq!(alone.iter().map(|instant| instant.at).collect::<Vec<_>>(), [40]);
    assert_eq!(timeline.on(0, SliceKind::MutexWait(TEST.into()))[0].span(), (70, 72));
    let summary = &timeline.summary;
    assert_eq!((summary.interpreted, summary.dropped.len()), (summary.records, 0));
}

/// A worksharing construct between failed tests divides them into two slices.
#[test]
fn tests_that_fail_are_distinguished_by_what_comes_in_between() {
    let mut script = two();
    script.acquire(0, 10, TEST, 0x50).acquire(0, 20, TEST, 0x50);
    script.work(0, 30, Scope::BeginEnd, 4, ROOT, 1);
    script.acquire(0, 40, TEST, 0x50).acquire(0, 50, TEST, 0x50);
    let timeline = script.timeline();
    let seen: Vec<_> = timeline
        .on(0, SliceKind::LockTests(TEST.into()))
        .iter()
        .map(|slice| slice.span())
        .collect();
    assert_eq!(seen, [(10, 20), (40, 50)]);
    assert!(timeline.on(0, SliceKind::LockTests(TEST.into()))[0].name.contains("lock 0x50"));
}

/// A drain between two tests: none of them is taken for a wait, and all are counted.
#[test]
fn a_wait_for_the_tool_between_tests_costs_none_of_them() {
    let mut script = two();
    script.acquire(0, 10, TEST, 0x50).acquire(0, 20, TEST, 0x50).acquire(0, 30, TEST, 0x50);
    script.once(0, 32, Wait { ticks: 5, reason: 1 });
    script.acquire(0, 40, TEST, 0x50).acquire(0, 50, TEST, 0x50);
    script.once(0, 52, Wait { ticks: 5, reason: 1 }).acquired(0, 60, TEST, 0x50);
    let timeline = script.timeline();
    let seen: Vec<_> = timeline
        .on(0, SliceKind::LockTests(TEST.into()))
        .iter()
        .map(|slice| (slice.span(), slice.arg(ArgKey::Count)))
        .collect();
    let count = |count| Some(ArgValue::Number(count));
    assert_eq!(seen, [((10, 20), count(2)), ((37, 40), count(2))]);
    assert_eq!(timeline.on(0, SliceKind::MutexWait(TEST.into()))[0].span(), (57, 60));
    assert_eq!(timeline.on(0, SliceKind::MutexWait(TEST.into())).len(), 1);
    let tool: Vec<_> = timeline.on(0, SliceKind::ToolWait).iter().map(|s| s.depth).collect();
    assert_eq!((tool, timeline.summary.inferred), (vec![1, 1], 0));
}

#[test]
fn a_failed_test_is_called_by_its_kind_of_lock() {
    const TEST_NEST: u64 = 4;
    let mut script = two();
    script.acquire(0, 10, TEST, 0x50).acquire(1, 20, TEST_NEST, 0x60);
    let timeline = script.timeline();
    let name = |kind| timeline.instants_of(InstantKind::LockTestFailed(kind))[0].name.clone();
    assert_eq!(name(TEST.into()), "test failed: lock 0x50");
    assert_eq!(name(TEST_NEST.into()), "test failed: nest lock 0x60");
}

/// However short: which lock it was is not reported by a duration.
#[test]
fn waits_and_holds_carry_their_mutex() {
    let mut script = two();
    script.acquire(0, 10, LOCK, 0x50).acquired(0, 11, LOCK, 0x50).released(0, 12, LOCK, 0x50);
    script.acquire(0, 20_000, LOCK, 0x50).acquired(0, 90_000, LOCK, 0x50);
    let timeline = script.timeline();
    let waits = timeline.on(0, SliceKind::MutexWait(LOCK.into()));
    assert_eq!(waits.len(), 2);
    for wait in waits {
        assert_eq!(wait.name, "wait: lock 0x50");
        assert_eq!(wait.arg(ArgKey::WaitId), Some(ArgValue::Address(0x50)));
    }
    for hold in &timeline.holds {
        let id = hold.args.iter().find(|arg| arg.key == ArgKey::WaitId).map(|arg| arg.value);
        assert_eq!((hold.name.as_str(), id), ("lock 0x50", Some(ArgValue::Address(0x50))));
    }
}

#[test]
fn a_hold_ends_where_the_next_begins() {
    let mut script = two();
    script.acquire(0, 10, CRITICAL, 0x60).acquired(0, 11, CRITICAL, 0x60);
    script.acquire(1, 15, CRITICAL, 0x60).acquired(1, 40, CRITICAL, 0x60);
    // The stamp of the first release is late.
    script.released(0, 42, CRITICAL, 0x60).released(1, 60, CRITICAL, 0x60);
    let timeline = script.timeline();
    let holds: Vec<_> =
        timeline.holds.iter().map(|hold| (hold.begin, hold.end, hold.end_mark)).collect();
    assert_eq!(holds, [(11, 40, Mark::Inferred), (40, 60, Mark::Observed)]);
    assert_eq!((timeline.summary.absorbed, timeline.summary.dropped.len()), (1, 0));
}

/// OpenUH's runtime sends the begin of an ordered region twice. A second one that was requested is another.
#[test]
fn an_ordered_region_that_begins_twice_is_held_once() {
    let mut script = two();
    script.acquired(0, 11, ORDERED, 0x80).acquired(0, 12, ORDERED, 0x80);
    script.released(0, 30, ORDERED, 0x80);
    script.acquire(0, 40, ORDERED, 0x80).acquired(0, 41, ORDERED, 0x80);
    script.acquire(0, 50, ORDERED, 0x80).acquired(0, 51, ORDERED, 0x80);
    script.released(0, 60, ORDERED, 0x80);
    let timeline = script.timeline();
    let holds: Vec<_> = timeline.holds.iter().map(|hold| (hold.begin, hold.end)).collect();
    assert_eq!(holds, [(11, 30), (41, 51), (51, 60)]);
    assert_eq!((timeline.summary.absorbed, timeline.summary.dropped.len()), (1, 0));
}

#[test]
fn a_contended_hold_flows_to_the_next() {
    let mut script = two();
    for round in 0..3 {
        let at = 100 * round;
        script.acquire(0, at + 10, LOCK, 0x70).acquired(0, at + 11, LOCK, 0x70);
        script.acquire(1, at + 15, LOCK, 0x70);
        script.released(0, at + 30, LOCK, 0x70).acquired(1, at + 35, LOCK, 0x70);
        script.released(1, at + 50, LOCK, 0x70);
    }
    let timeline = script.timeline();
    let ends: Vec<_> = timeline.holds.iter().map(|hold| hold.flow_ends.len()).collect();
    assert_eq!(ends, [0, 0, 0, 1, 0, 1]);
    assert_eq!(timeline.holds[3].flow_ends, timeline.holds[2].flows);
    assert_eq!(timeline.locks.len(), 1);
}

#[test]
fn a_nestable_lock_is_held_until_its_last_release() {
    let mut script = two();
    let again = NestLock { code: 0, kind: NEST, wait_id: 0x80 };
    script.acquire(0, 10, NEST, 0x80).acquired(0, 12, NEST, 0x80);
    script.acquire(0, 20, NEST, 0x80).put(0, 21, Scope::Begin, again);
    script.put(0, 30, Scope::End, again).released(0, 40, NEST, 0x80);
    let timeline = script.timeline();
    assert_eq!((timeline.holds.len(), timeline.holds[0].end), (1, 40));
    assert_eq!(timeline.on(0, SliceKind::MutexWait(NEST.into())).len(), 2);
    assert_eq!(timeline.instants_of(InstantKind::NestLock).len(), 2);
    assert!(timeline.instants_of(InstantKind::LockTestFailed(NEST.into())).is_empty());
}

#[test]
fn an_address_that_is_used_again_keeps_its_track() {
    let mut script = two();
    let init = LockInit { code: 0, kind: LOCK, wait_id: 0x90, hint: 0, implementation: 0 };
    let destroy = LockDestroy { code: 0, kind: LOCK, wait_id: 0x90 };
    for at in [10, 50] {
        script.once(0, at, init).acquire(0, at + 1, LOCK, 0x90).acquired(0, at + 2, LOCK, 0x90);
        script.once(0, at + 20, destroy);
    }
    let timeline = script.timeline();
    assert_eq!((timeline.locks.len(), timeline.holds.len()), (1, 2));
    assert_eq!(timeline.holds[0].end_mark, Mark::Inferred);
}

#[test]
fn a_thread_that_waits_at_the_cut_is_shown_waiting() {
    let mut script = two();
    script.acquire(0, 10, LOCK, 0x50).acquired(0, 11, LOCK, 0x50).acquire(1, 20, LOCK, 0x50);
    script.acquire(0, 30, TEST, 0x51).work(0, 90, Scope::Begin, 1, ROOT, 1);
    let timeline = script.timeline();
    let wait = timeline.on(1, SliceKind::MutexWait(LOCK.into()))[0];
    assert_eq!((wait.span(), wait.end_mark), ((20, 90), Mark::Cut));
    assert_eq!((timeline.holds[0].end, timeline.holds[0].end_mark), (90, Mark::Cut));
}

#[test]
fn waiting_for_the_tool_within_a_wait_nests() {
    let mut script = two();
    script.acquire(0, 10, LOCK, 0x50).once(0, 12, Wait { ticks: 5, reason: 1 });
    script.acquired(0, 30, LOCK, 0x50).released(0, 40, LOCK, 0x50);
    script.once(0, 50, Wait { ticks: 500, reason: 1 }).work(0, 60, Scope::Begin, 1, ROOT, 1);
    let timeline = script.timeline();
    let tool = timeline.on(0, SliceKind::ToolWait);
    assert_eq!((tool[0].span(), tool[0].depth), ((12, 17), 2));
    assert_eq!(tool[1].span(), (50, 60), "a thread that records again waits no more");
    assert_eq!(timeline.on(0, SliceKind::MutexWait(LOCK.into()))[0].span(), (10, 30));
}

#[test]
fn a_lock_from_before_the_recording_is_met_calmly() {
    let mut script = two();
    script.released(0, 10, LOCK, 0x50).acquired(1, 20, LOCK, 0x50).released(1, 30, LOCK, 0x50);
    let timeline = script.timeline();
    assert_eq!(timeline.summary.dropped, [("end without a begin", 1)]);
    assert_eq!(timeline.holds.len(), 1);
}

#[test]
fn a_request_is_reported_at_once_and_in_turn() {
    let mut script = two();
    script.acquire(0, 10, LOCK, 0x50).acquired(0, 11, LOCK, 0x50).acquire(1, 20, LOCK, 0x50);
    script.acquire(0, 25, TEST, 0x51).released(0, 30, LOCK, 0x50).acquired(1, 32, LOCK, 0x50);
    let timeline = script.timeline();
    let mutex = |(_, _, what): &&(u64, u32, String)| what.contains("0x5") || what.contains("lock");
    let seen: Vec<_> = timeline
        .structure
        .iter()
        .filter(mutex)
        .map(|(at, t, what)| (*at, *t, what.as_str()))
        .collect();
    let expected = [
        (10, 0, "asks for 0x50"),
        (11, 0, "lock 0 acquired"),
        (20, 1, "asks for 0x50"),
        (30, 0, "lock 0 released"),
        (32, 1, "lock 0 acquired"),
    ];
    assert_eq!(seen, expected, "before the wait is over, and no test that fails");
}

/// A source that knows the ends of waits only: nothing is shown as held.
#[test]
fn an_inferred_acquire_ends_a_wait_and_holds_nothing() {
    let mut script = two();
    script.acquire(0, 10, LOCK, 0x90).acquired(0, 30, LOCK | KIND_INFERRED, 0x90);
    let timeline = script.timeline();
    assert_eq!(timeline.on(0, SliceKind::MutexWait(LOCK.into()))[0].span(), (10, 30));
    assert_eq!((timeline.holds.len(), timeline.summary.dropped.len()), (0, 0));
}
