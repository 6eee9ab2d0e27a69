//! Recordings with missing parts: cuts, lost begins, a start in the middle.

use crate::script::{IMPLICIT, Script, TASKWAIT, implicit, region, task};
use ompttrace_model::ompt;
use ompttrace_model::{Mark, SliceKind};
use ompttrace_recording::events::{Control, ThreadBegin, ThreadEnd};
use ompttrace_recording::{Id, Scope};

const ROOT: Id = implicit(0, 0);

#[test]
fn what_is_open_at_the_cut_ends_behind_the_last_record() {
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 5, 2);
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.fork(0, 10, r, ROOT, 2).implicit_begins(0, 11, r, mine, (2, 0)).implicit_begins(
        1,
        12,
        r,
        other,
        (2, 1),
    );
    script.sync(1, 20, IMPLICIT, other).work(0, 500, Scope::Begin, 11, mine, 9);
    let timeline = script.timeline();
    assert!(timeline.slices.iter().all(|slice| (slice.end, slice.end_mark) == (501, Mark::Cut)));
    assert_eq!(timeline.slices.len(), 7);
    assert_eq!((timeline.regions[0].end, timeline.regions[0].end_mark), (501, Mark::Cut));
}

#[test]
fn a_lost_fork_is_made_up_from_its_team_threads() {
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 5, 2);
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.implicit_begins(1, 12, r, other, (2, 1)).implicit_begins(0, 15, r, mine, (2, 0));
    script.sync(1, 20, IMPLICIT, other).implicit_ends(0, 60, mine, (2, 0)).join(0, 70, r, ROOT);
    let timeline = script.timeline();
    let made = timeline.on(0, SliceKind::Region { league: false })[0];
    assert_eq!(
        (made.span(), made.begin_mark, made.end_mark),
        ((12, 70), Mark::Inferred, Mark::Observed)
    );
    assert_eq!(timeline.on(1, SliceKind::ImplicitTask)[0].span(), (12, 60));
    assert_eq!(timeline.paths(), ["0", "0.1", "0.0"]);
}

#[test]
fn a_recording_may_begin_in_the_middle() {
    let mut script = Script::new();
    let (mine, other, child) = (implicit(0, 1), implicit(1, 1), task(1, 9).started());
    // In a region: a barrier's end, a loop, a taskwait of a task that began before.
    script.sync_ends(0, 10, 3, mine).work(0, 20, Scope::Begin, 1, mine, 5).work(
        0,
        30,
        Scope::End,
        1,
        mine,
        5,
    );
    script.sync(1, 21, TASKWAIT, child).sync_ends(1, 40, TASKWAIT, child);
    script.schedule(1, 50, child, other, 1).work(1, 60, Scope::Begin, 1, other, 5);
    let timeline = script.timeline();
    assert_eq!(timeline.summary.dropped, [("end without a begin", 2)]);
    let made = timeline.on(0, SliceKind::InitialTask)[0];
    assert_eq!(
        (made.begin, made.begin_mark, made.logical_thread.as_str()),
        (20, Mark::Inferred, "0")
    );
    let segment = timeline.on(1, SliceKind::Task)[0];
    assert_eq!(
        (segment.span(), segment.logical_thread.as_str(), segment.resumed),
        ((21, 50), "", true)
    );
    assert_eq!(timeline.on(1, SliceKind::ImplicitTask)[0].begin, 50);
}

#[test]
fn what_was_open_before_a_pause_is_not_believed_after_it() {
    let mut script = Script::new();
    let pause = |command| Control { command, modifier: 0, origin: 0 };
    script.thread(0, 1, 1).thread(1, 5, 2);
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.fork(0, 10, r, ROOT, 2).implicit_begins(0, 11, r, mine, (2, 0)).implicit_begins(
        1,
        12,
        r,
        other,
        (2, 1),
    );
    script.once(0, 20, pause(2)).once(0, 900, pause(1));
    // Another region, whose begin was not recorded.
    let later = implicit(1, 2);
    script.work(1, 910, Scope::Begin, 1, later, 3).work(1, 920, Scope::End, 1, later, 3);
    script.sync(0, 950, 3, ROOT).sync_ends(0, 960, 3, ROOT);
    let timeline = script.timeline();
    let tasks = timeline.on(1, SliceKind::ImplicitTask);
    assert_eq!((tasks[0].span(), tasks[0].end_mark), ((12, 12), Mark::Inferred));
    assert_eq!((tasks[1].begin, tasks[1].begin_mark), (910, Mark::Inferred));
    assert_eq!(timeline.on(0, SliceKind::ImplicitTask)[0].end, 950);
}

#[test]
fn a_team_thread_that_works_after_its_team_ends_with_its_last_record() {
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 5, 2);
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.fork(0, 10, r, ROOT, 2).implicit_begins(0, 11, r, mine, (2, 0)).implicit_begins(
        1,
        12,
        r,
        other,
        (2, 1),
    );
    script
        .work(1, 30, Scope::Begin, 11, other, 5)
        .implicit_ends(0, 80, mine, (2, 0))
        .join(0, 90, r, ROOT);
    let timeline = script.timeline();
    assert_eq!(timeline.on(1, SliceKind::Work(ompt::Work::LoopDynamic))[0].span(), (30, 30));
}

#[test]
fn a_threads_end_closes_what_it_left() {
    let mut script = Script::new();
    script.thread(0, 1, 1).once(1, 2, ThreadBegin { thread_type: 1 });
    script.implicit_task(1, 3, Scope::Begin, Id::NONE, implicit(1, 0), (1, 1), 1);
    script.once(1, 40, ThreadEnd {}).sync(0, 90, 3, ROOT);
    let slice = script.timeline().on(1, SliceKind::InitialTask)[0].clone();
    assert_eq!((slice.span(), slice.end_mark), ((3, 40), Mark::Inferred));
}

#[test]
fn an_empty_recording_is_a_timeline_too() {
    let timeline = Script::new().timeline();
    assert_eq!((timeline.summary.records, timeline.slices.len()), (0, 0));
}

#[test]
fn implicit_tasks_that_are_never_reported_do_not_pile_up() {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    for n in 1..100 {
        let (at, task) = (10 * u64::from(n), implicit(0, n));
        script.work(0, at, Scope::Begin, 1, task, 5).work(0, at + 5, Scope::End, 1, task, 5);
    }
    let timeline = script.timeline();
    assert!(timeline.slices.iter().all(|slice| slice.depth <= 2));
    assert_eq!(timeline.on(0, SliceKind::ImplicitTask).len(), 99);
}

#[test]
fn a_root_that_was_never_reported_has_a_logical_thread_all_the_same() {
    let mut script = Script::new();
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.once(1, 5, ThreadBegin { thread_type: 2 });
    script.fork(0, 10, r, Id::NONE, 2).implicit_begins(0, 11, r, mine, (2, 0)).implicit_begins(
        1,
        12,
        r,
        other,
        (2, 1),
    );
    script.implicit_ends(0, 50, mine, (2, 0)).join(0, 60, r, Id::NONE);
    script.implicit_task(0, 90, Scope::End, Id::NONE, Id::NONE, (0, 1), 1);
    let timeline = script.timeline();
    assert_eq!(timeline.paths(), ["0", "0.0", "0.1"]);
    let root = timeline.on(0, SliceKind::InitialTask)[0];
    assert_eq!(
        (root.span(), root.begin_mark, root.end_mark),
        ((10, 90), Mark::Inferred, Mark::Observed)
    );
}
