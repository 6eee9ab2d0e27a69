//! Cancelled constructs: a loop of which nothing more is said, ends that come all the same, discarded tasks.

use crate::script::{IMPLICIT, Script, implicit, region, task};
use ompttrace_model::ompt;
use ompttrace_model::{InstantKind, Mark, SliceKind};
use ompttrace_recording::events::{Cancel, Dispatch, Wait};
use ompttrace_recording::{Id, Scope};

const ROOT: Id = implicit(0, 0);
const SECTIONS: u64 = 2;
const SINGLE: u64 = 3;
const DYNAMIC: u64 = 11;
const CHUNK: u64 = 3;
/// ompt_sync_region_barrier_implicit_workshare.
const WORKSHARE: u64 = 8;

/// ompt_cancel_flag_t.
const PARALLEL: u64 = 0x01;
const OF_SECTIONS: u64 = 0x02;
const LOOP: u64 = 0x04;
const TASKGROUP: u64 = 0x08;
const ACTIVATED: u64 = 0x10;
const DETECTED: u64 = 0x20;
const DISCARDED: u64 = 0x40;

fn cancel(script: &mut Script, at: u64, task: Id, flags: u64) {
    script.once(0, at, Cancel { code: 0x5000, kind: 0, task: task.started().0, flags });
}

/// A construct with one chunk, cancelled at 50.
fn cancelled(kind: u64, flags: u64) -> Script {
    let mut script = Script::new();
    script.thread(0, 1, 1).work(0, 10, Scope::Begin, kind, ROOT, 100);
    script.once(0, 20, Dispatch { kind: CHUNK, first: 0, count: 1 });
    cancel(&mut script, 50, ROOT, flags);
    script
}

#[test]
fn a_loop_of_which_nothing_more_is_said_ends_where_it_is_cancelled() {
    for flags in [LOOP | ACTIVATED, LOOP | DETECTED] {
        let mut script = cancelled(DYNAMIC, flags);
        script.sync(0, 55, WORKSHARE, ROOT).sync_ends(0, 60, WORKSHARE, ROOT);
        script.work(0, 90, Scope::Begin, DYNAMIC, ROOT, 5).work(
            0,
            95,
            Scope::End,
            DYNAMIC,
            ROOT,
            0,
        );
        let timeline = script.timeline();
        let loops = timeline.on(0, SliceKind::Work(DYNAMIC.into()));
        assert_eq!((loops[0].span(), loops[0].end_mark), ((10, 50), Mark::Inferred));
        assert_eq!((loops[1].span(), loops[1].end_mark), ((90, 95), Mark::Observed));
        let chunk = timeline.on(0, SliceKind::Dispatch(CHUNK.into()))[0];
        assert_eq!((chunk.span(), chunk.end_mark), ((20, 50), Mark::Observed));
        assert_eq!(timeline.on(0, SliceKind::Sync(WORKSHARE.into()))[0].depth, 1);
        assert_eq!(timeline.instants_of(InstantKind::Cancel)[0].at, 50);
        assert_eq!(timeline.summary.inferred, 1);
    }
}

#[test]
fn an_end_that_is_reported_next_counts() {
    let mut script = cancelled(SECTIONS, OF_SECTIONS | ACTIVATED);
    script.work(0, 54, Scope::End, SECTIONS, ROOT, 0).sync(0, 55, WORKSHARE, ROOT);
    script.sync_ends(0, 60, WORKSHARE, ROOT);
    let timeline = script.timeline();
    let sections = timeline.on(0, SliceKind::Work(SECTIONS.into()))[0];
    assert_eq!((sections.span(), sections.end_mark), ((10, 54), Mark::Observed));
    assert_eq!((timeline.summary.inferred, timeline.summary.absorbed), (0, 0));
}

/// Something else may happen between the cancellation and the end, such as a destructor's lock, or the tool's own
/// drain.
#[test]
fn an_end_that_comes_later_is_absorbed() {
    let mut script = cancelled(SECTIONS, OF_SECTIONS | DETECTED);
    script.once(0, 52, Wait { ticks: 2, reason: 1 }).work(0, 58, Scope::End, SECTIONS, ROOT, 0);
    script.work(0, 70, Scope::Begin, DYNAMIC, ROOT, 5).work(0, 75, Scope::End, DYNAMIC, ROOT, 0);
    let timeline = script.timeline();
    assert_eq!(timeline.on(0, SliceKind::Work(SECTIONS.into()))[0].span(), (10, 50));
    assert_eq!(timeline.on(0, SliceKind::ToolWait)[0].depth, 1);
    assert_eq!((timeline.summary.absorbed, timeline.summary.dropped.len()), (1, 0));
    assert_eq!(timeline.on(0, SliceKind::Work(DYNAMIC.into()))[0].span(), (70, 75));
}

/// A recording without cancellations: no barrier and no other loop may be inside a loop.
#[test]
fn a_loop_without_an_end_ends_before_the_barrier() {
    for kind in [DYNAMIC, SECTIONS] {
        let mut script = Script::new();
        script.thread(0, 1, 1).work(0, 10, Scope::Begin, kind, ROOT, 100);
        script.once(0, 20, Dispatch { kind: CHUNK, first: 0, count: 1 });
        script.sync(0, 55, WORKSHARE, ROOT).sync_ends(0, 60, WORKSHARE, ROOT);
        let timeline = script.timeline();
        let work = timeline.on(0, SliceKind::Work(kind.into()))[0];
        assert_eq!((work.span(), work.end_mark), ((10, 55), Mark::Inferred));
        assert_eq!(timeline.on(0, SliceKind::Dispatch(CHUNK.into()))[0].span(), (20, 55));
        assert_eq!(timeline.on(0, SliceKind::Sync(WORKSHARE.into()))[0].depth, 1);
    }
}

#[test]
fn cancelling_something_else_does_not_end_a_loop() {
    for flags in [TASKGROUP | ACTIVATED, OF_SECTIONS | ACTIVATED, LOOP | DISCARDED] {
        let mut script = cancelled(DYNAMIC, flags);
        script.once(0, 70, Dispatch { kind: CHUNK, first: 1, count: 1 });
        script.work(0, 90, Scope::End, DYNAMIC, ROOT, 0);
        let timeline = script.timeline();
        assert_eq!(
            timeline.on(0, SliceKind::Work(DYNAMIC.into()))[0].span(),
            (10, 90),
            "{flags:#x}"
        );
        assert_eq!(timeline.summary.inferred, 0);
    }
}

/// Constructs that the thread has open in the region end when it leaves the region; the region itself goes on.
#[test]
fn cancelling_a_region_ends_what_is_open_in_it() {
    let (r, mine) = (region(0, 1), implicit(0, 1));
    let mut script = Script::new();
    script.thread(0, 1, 1).fork(0, 10, r, ROOT, 1).implicit_begins(0, 11, r, mine, (1, 0));
    script.work(0, 20, Scope::Begin, SINGLE, mine, 1);
    cancel(&mut script, 50, mine, PARALLEL | DETECTED);
    script.sync(0, 60, IMPLICIT, mine).sync_ends(0, 70, IMPLICIT, mine);
    script.implicit_ends(0, 75, mine, (1, 0)).join(0, 80, r, ROOT);
    let timeline = script.timeline();
    assert_eq!(timeline.on(0, SliceKind::Work(SINGLE.into()))[0].span(), (20, 50));
    assert_eq!(timeline.on(0, SliceKind::ImplicitTask)[0].span(), (11, 75));
    assert_eq!(timeline.on(0, SliceKind::Sync(IMPLICIT.into()))[0].span(), (60, 71));
}

/// A team that ends while a thread has said nothing since it cancelled.
#[test]
fn a_cancellation_may_be_a_threads_last_word() {
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 2).fork(0, 10, r, ROOT, 2).implicit_begins(
        0,
        11,
        r,
        mine,
        (2, 0),
    );
    script.implicit_begins(1, 12, r, other, (2, 1)).work(1, 20, Scope::Begin, DYNAMIC, other, 9);
    let event = Cancel { code: 0, kind: 0, task: other.0, flags: LOOP | DETECTED };
    script.once(1, 30, event);
    script.implicit_ends(0, 75, mine, (2, 0)).join(0, 80, r, ROOT);
    let timeline = script.timeline();
    assert_eq!(timeline.on(1, SliceKind::Work(DYNAMIC.into()))[0].span(), (20, 30));
}

#[test]
fn a_task_that_is_discarded_never_runs() {
    const CANCELLED: u64 = 3;
    const A: Id = task(0, 1);
    let mut script = Script::new();
    script.thread(0, 1, 1).sync(0, 10, 6, ROOT).create(0, 15, ROOT, A);
    script.once(0, 30, Cancel { code: 0, kind: 0, task: A.0, flags: TASKGROUP | DISCARDED });
    script.schedule(0, 31, A, ROOT, CANCELLED).sync_ends(0, 40, 6, ROOT);
    let timeline = script.timeline();
    assert!(timeline.on(0, SliceKind::Task).is_empty());
    assert_eq!(timeline.on(0, SliceKind::Wait(ompt::SyncRegion::Taskgroup))[0].span(), (11, 40));
    assert_eq!(timeline.instants_of(InstantKind::TaskStatus)[0].name, "task cancelled");
    assert_eq!((timeline.summary.inferred, timeline.summary.dropped.len()), (0, 0));
}
