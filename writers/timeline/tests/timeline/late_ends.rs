//! Workers' ends that come at the next region: idleness is distinguished from waiting.

use crate::script::{IMPLICIT, Script, implicit, region, task};
use ompttrace_model::ompt;
use ompttrace_model::{Mark, SliceKind};
use ompttrace_recording::events::CodeSite;
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::testing::Timeline;

const ROOT: Id = implicit(0, 0);

/// ompt_task_status_t.
const COMPLETE: u64 = 1;
const SWITCH: u64 = 7;

/// Two threads, one region from 100 to 200; the worker waits from 150.
fn one_region(script: &mut Script, start: u64, number: u32) {
    let (r, mine, other) = (region(0, number), implicit(0, number), implicit(1, number));
    script.fork(0, start, r, ROOT, 2).implicit_begins(0, start + 10, r, mine, (2, 0));
    script.implicit_begins(1, start + 12, r, other, (2, 1)).sync(1, start + 50, IMPLICIT, other);
    script.sync(0, start + 80, IMPLICIT, mine).sync_ends(0, start + 90, IMPLICIT, mine);
    script.implicit_ends(0, start + 95, mine, (2, 0)).join(0, start + 100, r, ROOT);
}

/// The worker's ends of region `number`, late.
fn late(script: &mut Script, at: u64, number: u32) {
    let task = implicit(1, number);
    script.sync_ends(1, at, IMPLICIT, task).implicit_ends(1, at + 2, task, (0, 1));
}

fn two_regions() -> Script {
    let mut script = Script::new();
    script.thread(0, 10, 1).thread(1, 50, 2);
    one_region(&mut script, 100, 1);
    late(&mut script, 990, 1);
    one_region(&mut script, 1000, 2);
    late(&mut script, 5000, 2);
    script.implicit_task(0, 4000, Scope::End, Id::NONE, ROOT, (0, 1), 1);
    script
}

#[test]
fn a_workers_closing_barrier_ends_with_its_team() {
    let timeline = two_regions().timeline();
    let spans: Vec<_> =
        timeline.on(1, SliceKind::Wait(IMPLICIT.into())).iter().map(|s| s.span()).collect();
    assert_eq!(spans, [(151, 195), (1051, 1095)]);
    let tasks = timeline.on(1, SliceKind::ImplicitTask);
    assert_eq!(tasks.iter().map(|s| s.span()).collect::<Vec<_>>(), [(112, 195), (1012, 1095)]);
    assert!(
        tasks.iter().all(|slice| slice.end_mark == Mark::Inferred && slice.logical_thread == "0.1")
    );
    assert_eq!(timeline.summary.absorbed, 6);
    assert!(timeline.summary.dropped.is_empty());
}

#[test]
fn the_primarys_own_slices_are_observed() {
    let timeline = two_regions().timeline();
    let task = timeline.on(0, SliceKind::ImplicitTask)[0];
    assert_eq!(
        (task.span(), task.end_mark, task.logical_thread.as_str()),
        ((110, 195), Mark::Observed, "0.0")
    );
    let region = timeline.on(0, SliceKind::Region { league: false })[0];
    assert_eq!((region.span(), region.logical_thread.as_str()), ((100, 200), "0"));
    assert_eq!(timeline.regions.len(), 2);
    assert_eq!((timeline.regions[0].begin, timeline.regions[0].end), (100, 200));
    assert_eq!(timeline.paths(), ["0", "0.0", "0.1"]);
}

#[test]
fn a_fork_flows_to_each_worker() {
    let timeline = two_regions().timeline();
    let region = timeline.on(0, SliceKind::Region { league: false })[0];
    assert_eq!(timeline.on(1, SliceKind::ImplicitTask)[0].flow_ends, region.flows);
    assert!(timeline.on(0, SliceKind::ImplicitTask)[0].flow_ends.is_empty());
}

#[test]
fn a_runtime_that_is_never_late_needs_no_repair() {
    let mut script = Script::new();
    script.thread(0, 10, 1).thread(1, 50, 2);
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.fork(0, 100, r, ROOT, 2).implicit_begins(0, 110, r, mine, (2, 0)).implicit_begins(
        1,
        112,
        r,
        other,
        (2, 1),
    );
    script.sync(1, 150, IMPLICIT, other).sync_ends(1, 185, IMPLICIT, other);
    script
        .implicit_ends(1, 190, other, (2, 1))
        .implicit_ends(0, 195, mine, (2, 0))
        .join(0, 200, r, ROOT);
    let timeline = script.timeline();
    assert_eq!(timeline.on(1, SliceKind::ImplicitTask)[0].span(), (112, 190));
    assert_eq!((timeline.summary.inferred, timeline.summary.absorbed), (0, 0));
}

#[test]
fn one_barrier_may_hold_several_waits() {
    use ompttrace_recording::events::SyncRegionWait;
    let mut script = Script::new();
    script.thread(0, 10, 1).sync(0, 100, 3, ROOT);
    script.put(0, 110, Scope::End, SyncRegionWait { code: 0, kind: 3, task: ROOT.0 });
    script.put(0, 120, Scope::Begin, SyncRegionWait { code: 0, kind: 3, task: ROOT.0 });
    script.sync_ends(0, 130, 3, ROOT).implicit_task(0, 200, Scope::End, Id::NONE, ROOT, (0, 1), 1);
    let timeline = script.timeline();
    let spans: Vec<_> = timeline
        .on(0, SliceKind::Wait(ompt::SyncRegion::BarrierExplicit))
        .iter()
        .map(|s| s.span())
        .collect();
    assert_eq!(spans, [(101, 110), (120, 130)]);
    assert_eq!(
        timeline.on(0, SliceKind::Sync(ompt::SyncRegion::BarrierExplicit))[0].span(),
        (100, 131)
    );
    assert_eq!(timeline.summary.inferred, 0);
}

#[test]
fn a_wait_that_begins_again_has_lost_its_end() {
    use ompttrace_recording::events::SyncRegionWait;
    let mut script = Script::new();
    script.thread(0, 10, 1).sync(0, 100, 3, ROOT);
    script.put(0, 120, Scope::Begin, SyncRegionWait { code: 0, kind: 3, task: ROOT.0 });
    script.sync_ends(0, 130, 3, ROOT).implicit_task(0, 200, Scope::End, Id::NONE, ROOT, (0, 1), 1);
    let timeline = script.timeline();
    let spans: Vec<_> = timeline
        .on(0, SliceKind::Wait(ompt::SyncRegion::BarrierExplicit))
        .iter()
        .map(|s| s.span())
        .collect();
    assert_eq!(spans, [(101, 120), (120, 130)]);
    assert_eq!(timeline.summary.inferred, 1);
}

#[test]
fn idleness_that_is_reported_ends_what_has_lost_its_end() {
    use ompttrace_recording::events::SyncRegionWait;
    use ompttrace_recording::kinds::IDLE;
    let idle = SyncRegionWait { code: 0, kind: IDLE, task: 0 };
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    let mut script = Script::new();
    script.thread(0, 10, 1).thread(1, 50, 2).put(1, 60, Scope::Begin, idle);
    script.fork(0, 100, r, ROOT, 2).implicit_begins(0, 110, r, mine, (2, 0));
    // The first end of idleness is missing, then the implicit task's own.
    script.implicit_begins(1, 112, r, other, (2, 1)).put(1, 150, Scope::Begin, idle);
    script.put(1, 170, Scope::End, idle).implicit_ends(1, 175, other, (2, 1));
    script.implicit_ends(0, 195, mine, (2, 0)).join(0, 200, r, ROOT);
    let timeline = script.timeline();
    let spans: Vec<_> =
        timeline.on(1, SliceKind::Wait(IDLE.into())).iter().map(|s| s.span()).collect();
    assert_eq!(spans, [(60, 112), (150, 170)]);
    assert_eq!(timeline.on(1, SliceKind::ImplicitTask)[0].span(), (112, 150));
    assert_eq!((timeline.summary.inferred, timeline.summary.absorbed), (2, 1));
}

#[test]
fn an_inner_teams_workers_are_closed_by_their_own_region() {
    let mut script = Script::new();
    script.thread(0, 10, 1).thread(1, 50, 2).thread(2, 60, 2);
    let (outer, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script
        .fork(0, 100, outer, ROOT, 2)
        .implicit_begins(0, 110, outer, mine, (2, 0))
        .implicit_begins(1, 112, outer, other, (2, 1));
    let (inner, first, second) = (region(1, 1), implicit(1, 2), implicit(2, 1));
    script.fork(1, 120, inner, other, 2).implicit_begins(1, 121, inner, first, (2, 0));
    script.implicit_begins(2, 125, inner, second, (2, 1)).sync(2, 130, IMPLICIT, second);
    script.sync(1, 140, IMPLICIT, first).sync_ends(1, 150, IMPLICIT, first);
    script.implicit_ends(1, 155, first, (2, 0)).join(1, 160, inner, other);
    script
        .sync(1, 170, IMPLICIT, other)
        .sync(0, 175, IMPLICIT, mine)
        .sync_ends(0, 180, IMPLICIT, mine);
    script.implicit_ends(0, 190, mine, (2, 0)).join(0, 200, outer, ROOT);
    let timeline = script.timeline();
    let inner = timeline.on(2, SliceKind::ImplicitTask)[0];
    assert_eq!((inner.span(), inner.logical_thread.as_str()), ((125, 155), "0.1.1"));
    let levels: Vec<_> = timeline.regions.iter().map(|region| region.track.level).collect();
    assert_eq!(levels, [2, 1]);
    assert_eq!(
        timeline.on(1, SliceKind::ImplicitTask).iter().map(|s| s.span()).collect::<Vec<_>>(),
        [(121, 155), (112, 190)]
    );
}

/// LLVM's runtimes and Intel's of 2024 may name another thread's region at the end of an inner one, whose
/// team that thread has taken over by then: the task that encountered it decides which ends.
#[test]
fn an_end_that_names_another_region_ends_the_tasks_own() {
    ends_its_own(implicit(1, 0));
}

/// So does the thread, where the events of tasks are left out.
#[test]
fn so_does_an_end_that_names_no_task() {
    ends_its_own(Id::NONE);
}

/// Two roots with a region each; the second's end names `by` and the first one's region.
fn ends_its_own(by: Id) {
    let mut script = Script::new();
    let (root, other) = (ROOT, implicit(1, 0));
    let (first, second) = (region(0, 7), region(1, 7));
    script.thread(0, 10, 1).thread(1, 11, 1);
    script.implicit_task(0, 20, Scope::Begin, Id::NONE, root, (1, 1), 1);
    script.implicit_task(1, 21, Scope::Begin, Id::NONE, other, (1, 1), 1);
    script.fork(0, 100, first, root, 1).fork(1, 110, second, by, 1);
    script.join(1, 150, first, by).join(0, 200, first, root);
    let timeline = script.timeline();
    let spans = |thread| timeline.on(thread, SliceKind::Region { league: false })[0].span();
    assert_eq!((spans(0), spans(1)), ((100, 200), (110, 150)));
    assert!(timeline.summary.dropped.is_empty());
}

/// A worker that runs tasks while it waits at its region's end, where switches call its implicit task
/// `named`: a task that is left and taken up again, and one inside which is another.
fn tasks_in_a_closing_wait(named: Id) -> Timeline {
    let mut script = Script::new();
    script.thread(0, 10, 1).thread(1, 50, 2);
    let (mine, a, b, c) = (implicit(0, 1), task(0, 5), task(0, 6), task(1, 7));
    script.create(0, 115, mine, a).create(0, 116, mine, b);
    one_region(&mut script, 100, 1);
    script.schedule(1, 152, named, a, SWITCH).schedule(1, 155, a.started(), named, SWITCH);
    script.schedule(1, 158, named, b, SWITCH).create(1, 159, b, c);
    script.schedule(1, 160, b.started(), c, SWITCH);
    script.schedule(1, 164, c.started(), b.started(), COMPLETE);
    script.schedule(1, 166, b.started(), named, COMPLETE);
    script.schedule(1, 168, named, a.started(), SWITCH);
    script.schedule(1, 170, a.started(), named, COMPLETE);
    late(&mut script, 990, 1);
    script.timeline()
}

#[test]
fn switches_need_not_name_an_implicit_task_that_waits_at_its_regions_end() {
    let [with, without] = [implicit(1, 1), Id::NONE].map(tasks_in_a_closing_wait);
    assert_eq!(with.slices, without.slices);
    assert_eq!(with.instants, without.instants);
    assert_eq!(with.counters, without.counters);
    assert_eq!(with.structure, without.structure);
    let waits = without.on(1, SliceKind::Wait(IMPLICIT.into()));
    let waits: Vec<_> = waits.iter().map(|wait| wait.span()).collect();
    assert_eq!(waits, [(151, 152), (155, 158), (166, 168), (170, 195)]);
    assert_eq!((without.summary.absorbed, without.summary.dropped.len()), (3, 0));
}

/// Runtimes report the location of a region's closing barrier on its primary thread, if at all.
#[test]
fn a_closing_barrier_stands_where_its_region_does() {
    const SITE: u64 = 5;
    const WORKSHARE: u64 = 8;
    let mut script = Script::new();
    script.thread(0, 10, 1).thread(1, 50, 2);
    script.once(0, 90, CodeSite { code: 0x1000, kind: 0, site: SITE });
    let r = Id::region(Id::thread_part(0), 1, SITE);
    let [mine, other] = [0, 1].map(|t| Id::implicit_task(Id::thread_part(t), 1, r));
    script.fork(0, 100, r, ROOT, 2).implicit_begins(0, 110, r, mine, (2, 0)).implicit_begins(
        1,
        112,
        r,
        other,
        (2, 1),
    );
    script.sync(1, 120, WORKSHARE, other).sync_ends(1, 130, WORKSHARE, other);
    script.sync(1, 150, IMPLICIT, other);
    script.sync(0, 180, IMPLICIT, mine).sync_ends(0, 190, IMPLICIT, mine);
    script.implicit_ends(0, 195, mine, (2, 0)).join(0, 200, r, ROOT);
    let timeline = script.timeline();
    let region = timeline.on(0, SliceKind::Region { league: false })[0].source;
    assert_ne!(region, 0);
    for kind in [SliceKind::Sync(IMPLICIT.into()), SliceKind::Wait(IMPLICIT.into())] {
        let sources: Vec<_> = timeline.of_kind(kind).iter().map(|slice| slice.source).collect();
        assert_eq!(sources, [region, region], "{kind:?}");
    }
    assert_eq!(
        timeline.on(1, SliceKind::Sync(WORKSHARE.into()))[0].source,
        0,
        "of a loop nothing is known"
    );
}
