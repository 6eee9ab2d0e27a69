//! Deadlocks, and states that are none.

use crate::script::{BARRIER, Script, found, implicit};
use ompttrace_inspect::FindingKind::{Barrier, Deadlock, Mutex, PossibleDeadlock};

const SECOND: u64 = 1_000_000_000;
const A: u64 = 0xa0;
const B: u64 = 0xb0;
const C: u64 = 0xc0;

#[test]
fn a_cycle_of_three_locks_is_reported_once_without_those_behind_it() {
    let mut script = Script::team(5);
    script.takes(0, A).takes(1, B).takes(2, C);
    script.asks(0, B).asks(1, C).asks(2, A).asks(3, A);
    script.waits(4, implicit(4), BARRIER);
    let seen = script.seen(SECOND);
    let [deadlock] = found(&seen, Deadlock)[..] else { panic!("{:?}", seen.findings) };
    let order = ["thread 0 waits", "thread 1 holds", "thread 1 waits", "thread 2 holds"];
    let mut rest = deadlock;
    for words in order {
        let (_, behind) = rest.split_once(words).unwrap_or_else(|| panic!("{words}: {deadlock}"));
        rest = behind;
    }
    assert!(!deadlock.contains("thread 3") && !deadlock.contains("thread 4"), "{deadlock}");
    assert_eq!(seen.findings[0].threads, [0, 1, 2]);
    let [barrier] = found(&seen, Barrier)[..] else { panic!("{:?}", seen.findings) };
    assert!(barrier.starts_with("1 of 5 threads"), "{barrier}");
}

#[test]
fn a_barrier_can_be_a_part_of_a_deadlock() {
    let mut script = Script::team(2);
    script.takes(0, A).waits(0, implicit(0), BARRIER).asks(1, A);
    let seen = script.seen(SECOND);
    let [deadlock] = found(&seen, Deadlock)[..] else { panic!("{:?}", seen.findings) };
    assert!(deadlock.contains("thread 0 waits at the barrier for thread 1"), "{deadlock}");
    assert!(deadlock.contains("thread 1 waits for lock"), "{deadlock}");
}

#[test]
fn a_cycle_during_events_may_be_over_by_now() {
    let mut script = Script::team(2);
    script.takes(0, A).takes(1, B).asks(0, B).asks(1, A);
    let seen = script.seen(1000);
    assert_eq!(found(&seen, PossibleDeadlock).len(), 1);
    assert_eq!(found(&seen, Deadlock), [""; 0]);
}

#[test]
fn waiting_for_a_working_thread_is_no_deadlock() {
    let mut script = Script::team(3);
    script.takes(0, A).asks(1, A).asks(2, A);
    let seen = script.seen(SECOND);
    assert_eq!(found(&seen, Deadlock), [""; 0]);
    let [mutex] = found(&seen, Mutex)[..] else { panic!("{:?}", seen.findings) };
    assert!(mutex.starts_with("thread 1, thread 2 wait for lock"), "{mutex}");
    assert!(mutex.contains("; thread 0 took it "), "{mutex}");
}

#[test]
fn a_released_lock_is_held_by_nobody() {
    let mut script = Script::team(2);
    script.takes(0, A).gives(0, A).asks(1, A);
    let seen = script.seen(SECOND);
    let [mutex] = found(&seen, Mutex)[..] else { panic!("{:?}", seen.findings) };
    assert!(mutex.ends_with("nobody is known to hold it"), "{mutex}");
}
