//! Tasks and waits that resume only briefly, between two tasks that their thread runs.

use crate::script::{IMPLICIT, Script, TASKWAIT, implicit, task};
use ompttrace_model::ompt;
use ompttrace_model::{InstantKind, Mark, SliceKind};
use ompttrace_recording::Id;
use ompttrace_timeline::testing::{SeenSlice, Timeline};

const ROOT: Id = implicit(0, 0);
const A: Id = task(0, 1);
const B: Id = task(0, 2);
const C: Id = task(0, 3);

const COMPLETE: u64 = 1;
const SWITCH: u64 = 7;

fn spans(slices: &[&SeenSlice]) -> Vec<(u64, u64)> {
    slices.iter().map(|slice| slice.span()).collect()
}

fn unreported(timeline: &Timeline) -> (u64, u64) {
    (timeline.summary.unreported_resumes, timeline.summary.unreported_ns)
}

/// A waits for B and C: it resumes at 3,000 for `duration` in between.
fn between(duration: u64) -> Script {
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 20, ROOT, A).schedule(0, 100, ROOT, A, SWITCH);
    script.create(0, 200, A, B).create(0, 210, A, C).sync(0, 1_400, TASKWAIT, A);
    script.schedule(0, 1_500, A.started(), B, SWITCH);
    script.schedule(0, 3_000, B.started(), A.started(), COMPLETE);
    script.schedule(0, 3_000 + duration, A.started(), C, SWITCH);
    script
}

/// C completes at 6,000, and all else follows.
fn end(mut script: Script) -> Script {
    script.schedule(0, 6_000, C.started(), A.started(), COMPLETE);
    script.sync_ends(0, 6_100, TASKWAIT, A).schedule(0, 6_200, A.started(), ROOT, COMPLETE);
    script
}

#[test]
fn a_task_that_resumes_for_a_short_time_stays_suspended() {
    let script = end(between(1_999));
    let timeline = script.timeline_for_writers();
    let tasks = timeline.on(0, SliceKind::Task);
    assert_eq!(spans(&tasks), [(100, 1_500), (1_500, 3_000), (4_999, 6_000), (6_000, 6_200)]);
    let waits = timeline.on(0, SliceKind::Wait(TASKWAIT.into()));
    assert_eq!(spans(&waits), [(1_401, 1_500), (6_000, 6_100)]);
    assert_eq!(unreported(&timeline), (1, 1_999));
    assert_eq!(timeline.structure, script.timeline().structure);
}

#[test]
fn what_lasts_is_reported_to_the_nanosecond() {
    let timeline = end(between(2_000)).timeline_for_writers();
    let waits = timeline.on(0, SliceKind::Wait(TASKWAIT.into()));
    assert_eq!(spans(&waits), [(1_401, 1_500), (3_000, 5_000), (6_000, 6_100)]);
    assert_eq!(spans(&timeline.on(0, SliceKind::Task))[2], (3_000, 5_000));
    assert_eq!(unreported(&timeline), (0, 0));
    assert_eq!(timeline.slices, end(between(2_000)).timeline().slices);
}

#[test]
fn an_end_is_reported_however_soon_it_comes() {
    let timeline = end(between(1_999)).timeline_for_writers();
    let resumed: Vec<_> = timeline.slices.iter().filter(|slice| slice.resumed).collect();
    assert_eq!(spans(&resumed), [(6_000, 6_100), (6_000, 6_101), (6_000, 6_200)]);
    let outermost_first = resumed.iter().rev().map(|slice| slice.depth);
    assert_eq!(outermost_first.collect::<Vec<_>>(), [1, 2, 3]);
    // The flow from the creation continues at the task's own slice alone.
    assert_eq!(resumed.iter().map(|slice| slice.flows.len()).collect::<Vec<_>>(), [0, 0, 1]);
}

#[test]
fn a_short_resume_in_which_something_happens_is_reported() {
    let mut script = between(10);
    script.schedule(0, 3_500, C.started(), A.started(), SWITCH);
    script.create(0, 3_600, A, task(0, 4)).schedule(0, 3_700, A.started(), C.started(), SWITCH);
    let timeline = end(script).timeline_for_writers();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task))[3], (3_500, 3_700));
    assert_eq!(timeline.instants_of(InstantKind::TaskCreate)[3].at, 3_600);
    // C's first segment is not a resumption: it is reported, and its second one follows.
    assert_eq!(spans(&timeline.on(0, SliceKind::Task))[2], (3_010, 3_500));
    assert_eq!(unreported(&timeline), (1, 10));
}

#[test]
fn an_implicit_tasks_wait_is_left_out_likewise() {
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 2, ROOT, A).create(0, 3, ROOT, B).create(0, 4, ROOT, C);
    script.sync(0, 10, IMPLICIT, ROOT).schedule(0, 100, ROOT, A, SWITCH);
    script.schedule(0, 200, A.started(), ROOT, COMPLETE).schedule(0, 300, ROOT, B, SWITCH);
    script.schedule(0, 400, B.started(), ROOT, COMPLETE).schedule(0, 3_000, ROOT, C, SWITCH);
    script.schedule(0, 3_100, C.started(), ROOT, COMPLETE).sync_ends(0, 3_200, IMPLICIT, ROOT);
    let timeline = script.timeline_for_writers();
    let waits = timeline.on(0, SliceKind::Wait(IMPLICIT.into()));
    assert_eq!(spans(&waits), [(11, 100), (400, 3_000), (3_100, 3_200)]);
    assert_eq!(unreported(&timeline), (1, 100));
    assert_eq!(timeline.structure, script.timeline().structure);
}

#[test]
fn the_end_of_the_recording_cuts_what_has_just_gone_on() {
    let mut script = between(10);
    script.schedule(0, 6_000, C.started(), A.started(), COMPLETE);
    let timeline = script.timeline_for_writers();
    let waits = timeline.on(0, SliceKind::Wait(TASKWAIT.into()));
    assert_eq!((waits[1].span(), waits[1].end_mark), ((6_000, 6_000), Mark::Cut));
}

#[test]
fn a_wait_for_a_mutex_lies_within_its_task() {
    let mut script = between(10);
    script.schedule(0, 3_500, C.started(), A.started(), SWITCH).acquire(0, 3_600, 1, 0x77);
    script.acquired(0, 3_700, 1, 0x77).released(0, 3_800, 1, 0x77);
    script.schedule(0, 3_900, A.started(), C.started(), SWITCH);
    let timeline = end(script).timeline_for_writers();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task))[3], (3_500, 3_900));
    assert_eq!(timeline.on(0, SliceKind::MutexWait(ompt::Mutex::Lock))[0].depth, 4);
}

#[test]
fn structure_events_make_a_short_resume_reported() {
    let resumed = |script: &mut Script| {
        script.schedule(0, 3_500, C.started(), A.started(), SWITCH);
    };
    let mut released = Script::new();
    released.thread(0, 1, 1).acquire(0, 10, 1, 0x77).acquired(0, 11, 1, 0x77);
    released.create(0, 20, ROOT, A).schedule(0, 100, ROOT, A, SWITCH);
    released.schedule(0, 200, A.started(), C, SWITCH);
    resumed(&mut released);
    released.released(0, 3_600, 1, 0x77);
    let mut acquired = between(10);
    resumed(&mut acquired);
    acquired.acquired(0, 3_600, 1, 0x77);
    let mut fulfilled = between(10);
    fulfilled.create(0, 3_100, C, B);
    resumed(&mut fulfilled);
    fulfilled.schedule(0, 3_600, B, Id::NONE, 6);
    for mut script in [released, acquired, fulfilled] {
        script.schedule(0, 3_700, A.started(), C.started(), SWITCH);
        let timeline = script.timeline_for_writers();
        let tasks = spans(&timeline.on(0, SliceKind::Task));
        assert!(tasks.contains(&(3_500, 3_700)), "{tasks:?}");
    }
}
