//! Logical threads: identity does not depend on the OS thread that executes them.

use crate::script::{IMPLICIT, Script, implicit, region};
use ompttrace_model::{Mark, SliceKind};
use ompttrace_recording::events::{ThreadBegin, ThreadEnd};
use ompttrace_recording::words::FLAG_INFERRED;
use ompttrace_recording::{Id, Scope};

const ROOT: Id = implicit(0, 0);

#[test]
fn a_thousand_nested_regions_are_a_handful_of_logical_threads() {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    let (outer, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.once(1, 5, ThreadBegin { thread_type: 2 });
    script.fork(0, 10, outer, ROOT, 2).implicit_begins(0, 11, outer, mine, (2, 0)).implicit_begins(
        1,
        12,
        outer,
        other,
        (2, 1),
    );
    for n in 0..1000u32 {
        let (at, inner) = (100 + 100 * u64::from(n), region(1, 10 + n));
        // A new OS thread each time, as dynamic adjustment brings them.
        let (worker, first) = (2 + n as usize, implicit(1, 10 + n));
        let second = implicit(worker as u64, 1);
        script.once(worker, at, ThreadBegin { thread_type: 2 }).fork(1, at + 1, inner, other, 2);
        script.implicit_begins(1, at + 2, inner, first, (2, 0)).implicit_begins(
            worker,
            at + 3,
            inner,
            second,
            (2, 1),
        );
        script.sync(worker, at + 10, IMPLICIT, second).sync(1, at + 20, IMPLICIT, first);
        script.sync_ends(1, at + 30, IMPLICIT, first).implicit_ends(1, at + 40, first, (2, 0));
        script.join(1, at + 41, inner, other);
        script.sync_ends(worker, at + 50, IMPLICIT, second).implicit_ends(
            worker,
            at + 52,
            second,
            (0, 1),
        );
        script.once(worker, at + 53, ThreadEnd {});
    }
    let timeline = script.timeline();
    assert_eq!(timeline.paths(), ["0", "0.0", "0.1", "0.1.0", "0.1.1"]);
    let logical_thread = timeline
        .slices
        .iter()
        .filter(|s| s.logical_thread == "0.1.1" && s.kind == SliceKind::ImplicitTask);
    assert_eq!(logical_thread.count(), 1000);
    assert!(timeline.regions.iter().all(|region| region.track.number == 0));
}

#[test]
fn roots_and_helpers_are_distinguished() {
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 5, 1).thread(2, 9, 1);
    script.once(3, 10, ThreadBegin { thread_type: 3 });
    script.implicit_task(3, 11, Scope::Begin, Id::NONE, implicit(3, 0), (1, 1), 1);
    let r = region(1, 1);
    script.fork(1, 20, r, implicit(1, 0), 1).implicit_begins(1, 21, r, implicit(1, 1), (1, 0));
    assert_eq!(script.timeline().paths(), ["0", "r1", "r2", "h0", "r1.0"]);
}

#[test]
fn a_league_and_the_teams_below_it() {
    let mut script = Script::new();
    script.thread(0, 1, 1).once(1, 5, ThreadBegin { thread_type: 2 });
    let (league, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.teams(0, 10, league, ROOT, 2);
    script.implicit_task(0, 11, Scope::Begin, league, mine, (2, 0), 1);
    script.implicit_task(1, 12, Scope::Begin, league, other, (2, 1), 1);
    let (team, inner) = (region(1, 1), implicit(1, 2));
    script.fork(1, 20, team, other, 1).implicit_begins(1, 21, team, inner, (1, 0));
    script.implicit_ends(1, 30, inner, (1, 0)).join(1, 31, team, other);
    script.sync(1, 40, 10, other).sync(0, 42, 10, mine).sync_ends(0, 50, 10, mine);
    script.implicit_task(0, 55, Scope::End, Id::NONE, mine, (2, 0), 1);
    script.join(0, 60, league, ROOT);
    let timeline = script.timeline();
    assert_eq!(timeline.paths(), ["0", "0.t0", "0.t1", "0.t1.0"]);
    assert_eq!(
        timeline.on(0, SliceKind::Region { league: true })[0].name.split(' ').next(),
        Some("teams")
    );
    assert_eq!(timeline.on(1, SliceKind::InitialTask)[0].span(), (12, 55));
    assert_eq!(timeline.regions.iter().map(|r| r.track.level).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn the_order_of_logical_threads_is_by_numbers() {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    let r = region(0, 1);
    script.fork(0, 10, r, ROOT, 12);
    for t in (0..12).rev() {
        script.implicit_begins(t, 20, r, implicit(t as u64, 1), (12, t as u64));
    }
    let mut logical_threads = script.timeline().logical_threads;
    logical_threads.sort_by(|one, other| one.order.cmp(&other.order));
    let paths: Vec<_> =
        logical_threads.iter().map(|logical_thread| logical_thread.path.as_str()).collect();
    assert_eq!(paths[..4], ["0", "0.0", "0.1", "0.2"]);
    assert_eq!(paths[12], "0.11");
}

/// A source with only forks and joins infers which threads were in the team.
#[test]
fn an_inferred_implicit_task_is_marked() {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    let (r, mine, seen) = (region(0, 1), implicit(0, 1), implicit(0, 2));
    for (at, task, flags) in [(10, mine, 2 | FLAG_INFERRED), (50, seen, 2)] {
        script.fork(0, at, r, ROOT, 0);
        script.implicit_task(0, at + 1, Scope::Begin, r, task, (1, 0), flags);
        script.implicit_task(0, at + 8, Scope::End, r, task, (1, 0), flags);
        script.join(0, at + 9, r, ROOT);
    }
    let timeline = script.timeline();
    let tasks = timeline.on(0, SliceKind::ImplicitTask);
    let marks: Vec<_> = tasks.iter().map(|task| (task.begin_mark, task.end_mark)).collect();
    assert_eq!(marks, [(Mark::Inferred, Mark::Inferred), (Mark::Observed, Mark::Observed)]);
}
