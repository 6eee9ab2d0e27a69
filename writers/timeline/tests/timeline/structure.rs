//! Tests of the events for writers of a program's structure: team threads, the running task, locks.

use crate::script::{IMPLICIT, Script, implicit, region, task};
use ompttrace_recording::Id;
use ompttrace_recording::events::{Dependence, Dependences, TaskCreate};
use ompttrace_timeline::testing::Timeline;

const ROOT: Id = implicit(0, 0);
const A: Id = task(0, 1);
const COMPLETE: u64 = 1;
const SWITCH: u64 = 7;

fn structure(timeline: &Timeline) -> Vec<(u64, u32, &str)> {
    timeline.structure.iter().map(|(at, thread, text)| (*at, *thread, text.as_str())).collect()
}

#[test]
fn tasks_run_are_left_and_end_in_turn() {
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 5, ROOT, A);
    script.schedule(0, 10, ROOT, A, SWITCH).schedule(0, 20, A.started(), ROOT, SWITCH);
    script.schedule(0, 30, ROOT, A.started(), SWITCH).schedule(0, 40, A.started(), ROOT, COMPLETE);
    let timeline = script.timeline();
    let expected = [
        (1, 0, "0 of 1 begins"),
        (5, 0, "a task is made"),
        (10, 0, "0.1 runs"),
        (20, 0, "i0.0 runs"),
        (30, 0, "0.1 runs"),
        (40, 0, "0.1 is over (task complete)"),
        (40, 0, "i0.0 runs"),
        (40, 0, "team thread ends"),
    ];
    assert_eq!(structure(&timeline), expected);
}

#[test]
fn a_task_that_the_recording_cuts_is_over_and_its_team_thread_ends() {
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 5, ROOT, A).schedule(0, 10, ROOT, A, SWITCH);
    let timeline = script.timeline();
    let tail =
        [(10, 0, "0.1 is over (inferred)"), (10, 0, "i0.0 runs"), (10, 0, "team thread ends")];
    assert_eq!(structure(&timeline)[3..], tail);
}

#[test]
fn team_threads_end_with_their_region_however_late_they_say_so() {
    let (fork, own, other) = (region(0, 1), implicit(0, 1), implicit(1, 0));
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 2).fork(0, 10, fork, ROOT, 2);
    script.implicit_begins(0, 11, fork, own, (2, 0)).implicit_begins(1, 12, fork, other, (2, 1));
    script.sync(0, 20, IMPLICIT, own).sync(1, 20, IMPLICIT, other);
    script
        .sync_ends(0, 30, IMPLICIT, own)
        .implicit_ends(0, 32, own, (2, 0))
        .join(0, 33, fork, ROOT);
    script.sync_ends(1, 50, IMPLICIT, other).implicit_ends(1, 52, other, (2, 1));
    let timeline = script.timeline();
    let expected = [
        (1, 0, "0 of 1 begins"),
        (11, 0, "0 of 2 begins"),
        (12, 1, "1 of 2 begins"),
        (32, 0, "team thread ends"),
        (32, 1, "team thread ends"),
        (52, 0, "team thread ends"),
    ];
    assert_eq!(structure(&timeline), expected);
}

#[test]
fn locks_are_reported_at_the_threads_own_stamps() {
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 1).acquire(0, 10, 1, 0x77).acquired(0, 12, 1, 0x77);
    script.acquire(1, 13, 1, 0x77).acquired(1, 20, 1, 0x77).released(0, 22, 1, 0x77);
    script.released(1, 30, 1, 0x77);
    let timeline = script.timeline();
    let locks: Vec<_> =
        structure(&timeline).into_iter().filter(|(_, _, text)| text.starts_with("lock")).collect();
    let expected = [
        (12, 0, "lock 0 acquired"),
        (20, 1, "lock 0 acquired"),
        (22, 0, "lock 0 released"),
        (30, 1, "lock 0 released"),
    ];
    assert_eq!(locks, expected);
}

#[test]
fn a_task_with_dependences_is_made_before_another_thread_runs_it() {
    let create = TaskCreate { code: 0, kind: 1, task: ROOT.0, new_task: A.0, flags: 4 };
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 1).once(0, 10, create);
    script.once(0, 11, Dependences { task: A.0, count: 1 });
    script.once(0, 11, Dependence { variable: 0x77, kind: 2 });
    script.schedule(1, 20, implicit(1, 0), A, SWITCH);
    script.schedule(1, 30, A.started(), implicit(1, 0), COMPLETE).create(0, 40, ROOT, task(0, 2));
    let timeline = script.timeline();
    let expected = [(10, 0, "a task is made"), (20, 1, "0.1 runs")];
    assert_eq!(structure(&timeline)[2..4], expected);
}
