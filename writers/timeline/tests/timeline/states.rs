//! States of threads: each from its own time on, one after the other.

use crate::script::{IMPLICIT, Script, implicit, region, task};
use ompttrace_model::State::{self, *};
use ompttrace_recording::events::{SwitchIn, SwitchOut, ThreadBegin, ThreadEnd, Wait};
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::testing::Timeline;

const LOCK: u64 = 1;
const TEST: u64 = 2;
const ROOT: Id = implicit(0, 0);

/// The states of a thread, without those that were void.
fn states_of(timeline: &Timeline, thread: u32) -> Vec<(u64, Option<State>)> {
    let mut states: Vec<(u64, Option<State>)> = Vec::new();
    for (at, of, state) in &timeline.states {
        if *of == thread {
            states.pop_if(|(since, _)| since == at);
            states.push((*at, *state));
        }
    }
    states.dedup_by_key(|(_, state)| *state);
    states
}

/// The states of a thread that begins at 1, ends at 1,000, and in between does what `play` records.
fn one(play: impl FnOnce(&mut Script)) -> Vec<(u64, Option<State>)> {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    play(&mut script);
    script.implicit_task(0, 1_000, Scope::End, Id::NONE, ROOT, (0, 0), 1);
    script.once(0, 1_000, ThreadEnd {});
    let states = states_of(&script.timeline(), 0);
    assert_eq!(states.last(), Some(&(1_000, None)));
    states[..states.len() - 1].to_vec()
}

#[test]
fn a_thread_waits_for_a_mutex_from_its_request_on() {
    let states = one(|script| {
        script.acquire(0, 10, LOCK, 0x50).acquired(0, 20, LOCK, 0x50);
    });
    assert_eq!(states, [(1, Some(WorkSerial)), (10, Some(WaitLock)), (20, Some(WorkSerial))]);
}

#[test]
fn a_test_that_succeeds_was_a_wait_and_one_that_fails_was_none() {
    let succeeds = one(|script| {
        script.acquire(0, 10, TEST, 0x50).acquire(0, 20, TEST, 0x50).acquired(0, 25, TEST, 0x50);
    });
    assert_eq!(succeeds, [(1, Some(WorkSerial)), (20, Some(WaitLock)), (25, Some(WorkSerial))]);
    let fails = one(|script| {
        script.acquire(0, 10, TEST, 0x50).acquire(0, 20, TEST, 0x50);
    });
    assert_eq!(fails, [(1, Some(WorkSerial))]);
}

#[test]
fn a_request_that_comes_to_nothing_was_no_wait() {
    let states = one(|script| {
        script.acquire(0, 10, LOCK, 0x50).work(0, 20, Scope::BeginEnd, 4, ROOT, 1);
    });
    assert_eq!(states, [(1, Some(WorkSerial))]);
}

#[test]
fn a_wait_for_the_tool_lasts_as_long_as_it_says() {
    let states = one(|script| {
        script.once(0, 10, Wait { ticks: 30, reason: 1 });
    });
    assert_eq!(states, [(1, Some(WorkSerial)), (10, Some(OverheadTool)), (40, Some(WorkSerial))]);
}

#[test]
fn a_wait_for_the_tool_within_one_for_a_mutex_is_the_tools() {
    let states = one(|script| {
        script.acquire(0, 10, LOCK, 0x50).once(0, 20, Wait { ticks: 30, reason: 1 });
        script.acquired(0, 60, LOCK, 0x50);
    });
    let [mutex, tool, again] = [(10, WaitLock), (20, OverheadTool), (50, WaitLock)];
    let expected = [(1, WorkSerial), mutex, tool, again, (60, WorkSerial)];
    assert_eq!(states, expected.map(|(at, state)| (at, Some(state))));
}

/// The second thread's last record is the begin of its wait; the team's region ends later.
#[test]
fn a_worker_waits_in_the_closing_barrier_until_its_team_is_done_and_is_idle_then() {
    let (team, own) = (region(0, 1), implicit(1, 1));
    let mut script = Script::new();
    script.thread(0, 1, 1).once(1, 2, ThreadBegin { thread_type: 2 });
    script.fork(0, 10, team, ROOT, 2).implicit_begins(1, 20, team, own, (2, 1));
    script.create(1, 30, own, task(1, 2)).schedule(1, 40, own, task(1, 2), 7);
    script.schedule(1, 50, task(1, 2), own, 1).sync(1, 60, IMPLICIT, own);
    script.join(0, 100, team, ROOT).once(0, 200, ThreadEnd {});
    let expected = [
        (2, Some(Idle)),
        (20, Some(WorkParallel)),
        (60, Some(OverheadSync)),
        (61, Some(WaitBarrierImplicit)),
        (100, Some(Idle)),
    ];
    let states = states_of(&script.timeline(), 1);
    assert_eq!(states[..states.len() - 1], expected);
    // It is in the pool to the end.
    assert!(states.last().is_some_and(|(at, state)| *at >= 200 && state.is_none()), "{states:?}");
}

#[test]
fn work_without_a_core_is_none_and_waiting_needs_no_core() {
    let states = {
        let mut script = Script::new();
        script.thread(0, 1, 1);
        let run = &mut script.run;
        run.put_cores(0, 20, SwitchOut { cpu: 0, preempted: 1 });
        run.put_cores(0, 30, SwitchIn { cpu: 0 });
        run.put_cores(0, 50, SwitchOut { cpu: 0, preempted: 0 });
        run.put_cores(0, 70, SwitchIn { cpu: 0 });
        script.acquire(0, 40, LOCK, 0x50).acquired(0, 60, LOCK, 0x50);
        script.once(0, 100, ThreadEnd {});
        states_of(&script.timeline(), 0)
    };
    let expected = [
        (1, Some(WorkSerial)),
        (20, Some(OffCorePreempted)),
        (30, Some(WorkSerial)),
        (40, Some(WaitLock)),
        (60, Some(OffCoreBlocked)),
        (70, Some(WorkSerial)),
        (100, None),
    ];
    assert_eq!(states, expected);
}
