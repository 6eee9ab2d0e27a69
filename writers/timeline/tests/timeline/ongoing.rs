//! Recording that resumes inside a region, from its records: what was running, what no longer exists.

use crate::script::{IMPLICIT, Script, implicit, region, task};
use ompttrace_model::ompt;
use ompttrace_model::{Mark, SliceKind};
use ompttrace_recording::events::{Control, OngoingTask, Work};
use ompttrace_recording::{Id, Scope};

const ROOT: Id = implicit(0, 0);
const REGION: SliceKind = SliceKind::Region { league: false };
/// ompt_sync_region_barrier_explicit.
const EXPLICIT: u64 = 3;

const fn initial(task: Id) -> OngoingTask {
    OngoingTask { region: 0, task: task.0, team_size: 1, thread_num: 0, flags: 1, left: 0 }
}

const fn implicit_task(region: Id, task: Id, thread_num: u64) -> OngoingTask {
    OngoingTask { region: region.0, task: task.0, team_size: 2, thread_num, flags: 2, left: 0 }
}

const fn explicit(task: Id) -> OngoingTask {
    OngoingTask { region: 0, task: task.0, team_size: 0, thread_num: 0, flags: 4, left: 0 }
}

impl Script {
    fn was_in(&mut self, t: usize, at: u64, tasks: &[OngoingTask]) -> &mut Script {
        for (task, left) in tasks.iter().zip((0..tasks.len() as u64).rev()) {
            self.once(t, at, OngoingTask { left, ..*task });
        }
        self
    }

    fn pause(&mut self, t: usize, at: u64) -> &mut Script {
        self.once(t, at, Control { command: 2, modifier: 0, origin: 0 })
    }
}

/// The primary thread switches on inside a loop; the worker's first event is the end of a barrier.
#[test]
fn what_was_running_begins_with_the_command() {
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    let mut script = Script::new();
    script.was_in(0, 100, &[initial(ROOT), implicit_task(r, mine, 0)]);
    script.was_in(1, 101, &[implicit_task(r, other, 1)]);
    script.put(0, 150, Scope::End, Work { code: 0x4000, kind: 1, task: mine.0, count: 0 });
    script.sync_ends(1, 180, EXPLICIT, other).sync(1, 190, IMPLICIT, other);
    script.sync(0, 200, IMPLICIT, mine).sync_ends(0, 210, IMPLICIT, mine);
    script.implicit_ends(0, 220, mine, (2, 0)).join(0, 230, r, ROOT);
    script.sync_ends(1, 900, IMPLICIT, other).implicit_ends(1, 905, other, (0, 1));
    let timeline = script.timeline();
    let spans = |t, kind| timeline.on(t, kind).iter().map(|s| s.span()).collect::<Vec<_>>();
    assert_eq!(spans(0, REGION), [(100, 230)]);
    assert_eq!(spans(0, SliceKind::ImplicitTask), [(100, 220)]);
    assert_eq!(spans(0, SliceKind::Work(ompt::Work::Loop)), [(100, 150)]);
    assert_eq!(spans(1, SliceKind::ImplicitTask), [(101, 220)]);
    assert_eq!(spans(1, SliceKind::Sync(EXPLICIT.into())), [(101, 181)]);
    assert_eq!(spans(1, SliceKind::Sync(IMPLICIT.into())), [(190, 220)]);
    assert!(timeline.of_kind(REGION)[0].begin_mark == Mark::Cut);
    assert_eq!(timeline.paths(), ["0", "0.0", "0.1"]);
    assert_eq!((timeline.summary.absorbed, timeline.summary.dropped.len()), (3, 0));
}

/// A worker that waits at the end of a region that is over, as far as its primary thread says.
#[test]
fn a_late_end_of_a_region_that_is_over_is_no_task() {
    let other = implicit(1, 1);
    let mut script = Script::new();
    script.was_in(0, 100, &[initial(ROOT)]);
    script.was_in(1, 200, &[implicit_task(Id::NONE, other, 1)]);
    script.sync_ends(1, 900, IMPLICIT, other).implicit_ends(1, 905, other, (0, 1));
    script.sync(0, 910, EXPLICIT, ROOT).sync_ends(0, 920, EXPLICIT, ROOT);
    let timeline = script.timeline();
    assert!(timeline.of_kind(SliceKind::ImplicitTask).is_empty());
    assert_eq!((timeline.summary.absorbed, timeline.summary.dropped.len()), (3, 0));
}

/// A region with a worker in a barrier, and a pause by the primary thread at 50.
fn until_a_pause() -> (Script, Id, Id, Id) {
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 5, 2);
    script.fork(0, 10, r, ROOT, 2).implicit_begins(0, 11, r, mine, (2, 0)).implicit_begins(
        1,
        12,
        r,
        other,
        (2, 1),
    );
    script.sync(1, 20, EXPLICIT, other).pause(0, 50);
    (script, r, mine, other)
}

#[test]
fn what_is_still_there_goes_on_and_its_barrier_does_not() {
    let (mut script, r, mine, other) = until_a_pause();
    script.was_in(0, 100, &[initial(ROOT), implicit_task(r, mine, 0)]);
    script.was_in(1, 101, &[implicit_task(r, other, 1)]);
    script.sync(1, 150, IMPLICIT, other).sync(0, 160, IMPLICIT, mine);
    script
        .sync_ends(0, 170, IMPLICIT, mine)
        .implicit_ends(0, 180, mine, (2, 0))
        .join(0, 190, r, ROOT);
    let timeline = script.timeline();
    assert_eq!(timeline.on(0, REGION)[0].span(), (10, 190));
    assert_eq!(timeline.on(1, SliceKind::ImplicitTask)[0].span(), (12, 180));
    let barrier = timeline.on(1, SliceKind::Sync(EXPLICIT.into()))[0];
    assert_eq!((barrier.span(), barrier.end_mark), ((20, 50), Mark::Cut));
    assert_eq!(timeline.on(1, SliceKind::Sync(IMPLICIT.into()))[0].span(), (150, 180));
}

#[test]
fn a_barrier_that_ends_after_the_pause_goes_on_through_it() {
    let (mut script, r, _, other) = until_a_pause();
    script.was_in(1, 101, &[implicit_task(r, other, 1)]).sync_ends(1, 150, EXPLICIT, other);
    let timeline = script.timeline();
    assert_eq!(timeline.on(1, SliceKind::Sync(EXPLICIT.into()))[0].span(), (20, 151));
}

#[test]
fn what_is_there_no_more_ends_with_the_pause() {
    let (mut script, ..) = until_a_pause();
    script.was_in(0, 100, &[initial(ROOT)]).sync(0, 900, EXPLICIT, ROOT);
    let timeline = script.timeline();
    let ended = [(0, REGION), (0, SliceKind::ImplicitTask), (1, SliceKind::ImplicitTask)];
    for (t, kind) in ended {
        let slice = timeline.on(t, kind)[0];
        assert_eq!((slice.end, slice.end_mark), (50, Mark::Cut), "{kind:?}");
    }
    assert_eq!((timeline.regions[0].end, timeline.regions[0].end_mark), (50, Mark::Cut));
}

/// A task that encountered a region, and inside that one that runs while a barrier waits.
#[test]
fn tasks_stand_between_the_regions_that_they_encountered() {
    let (outer, inner) = (region(0, 1), region(0, 2));
    let (mine, second) = (implicit(0, 1), implicit(0, 2));
    let (a, b) = (task(0, 9).started(), task(0, 10).started());
    let mut script = Script::new();
    let chain = [
        initial(ROOT),
        implicit_task(outer, mine, 0),
        explicit(a),
        implicit_task(inner, second, 0),
    ];
    script.was_in(0, 100, &[&chain[..], &[explicit(b)]].concat());
    script.schedule(0, 150, b, second, 1).sync_ends(0, 160, IMPLICIT, second);
    script.implicit_ends(0, 170, second, (1, 0)).join(0, 180, inner, a);
    script.schedule(0, 190, a, mine, 1);
    script.implicit_ends(0, 200, mine, (2, 0)).join(0, 210, outer, ROOT);
    let timeline = script.timeline();
    let spans = |kind| timeline.on(0, kind).iter().map(|s| s.span()).collect::<Vec<_>>();
    assert_eq!(spans(REGION), [(100, 180), (100, 210)]);
    assert_eq!(spans(SliceKind::ImplicitTask), [(100, 170), (100, 200)]);
    assert_eq!(spans(SliceKind::Task), [(100, 150), (100, 190)]);
    // What waits while a task runs in it is not waiting then.
    assert_eq!(spans(SliceKind::Wait(IMPLICIT.into())), [(150, 160)]);
    assert!(timeline.summary.dropped.is_empty());
}
