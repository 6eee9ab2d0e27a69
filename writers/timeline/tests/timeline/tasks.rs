//! Explicit tasks: segments, suspended slices, migration, detached tasks, lost switches.

use crate::script::{IMPLICIT, Script, TASKWAIT, implicit, task};
use ompttrace_model::ompt;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Counter, InstantKind, Item, Mark, SliceKind, Variable,
};
use ompttrace_recording::events::{Dependence, Dependences, TaskCreate, TaskDependence, Wait};
use ompttrace_recording::kinds::TASK_BEGINS;
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::testing::{SeenSlice, Timeline};

const ROOT: Id = implicit(0, 0);
const A: Id = task(0, 1);
const B: Id = task(0, 2);

const COMPLETE: u64 = 1;
const SWITCH: u64 = 7;

fn spans(slices: &[&SeenSlice]) -> Vec<(u64, u64)> {
    slices.iter().map(|slice| slice.span()).collect()
}

/// The initial task and A in it; A has just begun at 30.
fn in_a() -> Script {
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 20, ROOT, A).schedule(0, 30, ROOT, A, SWITCH);
    script
}

#[test]
fn a_taskwait_is_left_and_taken_up_again_with_its_task() {
    let mut script = in_a();
    script.create(0, 40, A, B).sync(0, 50, TASKWAIT, A);
    script.schedule(0, 60, A.started(), B, SWITCH).schedule(
        0,
        80,
        B.started(),
        A.started(),
        COMPLETE,
    );
    script.sync_ends(0, 90, TASKWAIT, A).schedule(0, 100, A.started(), ROOT, COMPLETE);
    let timeline = script.timeline();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task)), [(30, 60), (60, 80), (80, 100)]);
    assert_eq!(spans(&timeline.on(0, SliceKind::Wait(TASKWAIT.into()))), [(51, 60), (80, 90)]);
    assert_eq!(spans(&timeline.on(0, SliceKind::Sync(TASKWAIT.into()))), [(50, 60), (80, 91)]);
    let again: Vec<_> = timeline.slices.iter().filter(|slice| slice.resumed).collect();
    assert_eq!(again.len(), 3);
    assert!(again.iter().all(|slice| slice.task == A.started() && slice.begin == 80));
    assert_eq!(timeline.summary.inferred, 0);
}

/// LLVM's runtimes of 2014 report the switch before the completion, which then has nothing of its own to show;
/// a completion of any other task has.
#[test]
fn a_completion_right_behind_the_switch_is_no_instant() {
    let mut script = in_a();
    script.create(0, 35, A, B);
    script.schedule(0, 40, A.started(), ROOT, SWITCH).schedule(
        0,
        41,
        A.started(),
        Id::NONE,
        COMPLETE,
    );
    let timeline = script.timeline();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task)), [(30, 40)]);
    assert_eq!(timeline.instants_of(InstantKind::TaskStatus).len(), 0);
    script.schedule(0, 50, ROOT, B, SWITCH).schedule(0, 60, B.started(), ROOT, SWITCH);
    script.schedule(0, 65, ROOT, Id::NONE, SWITCH);
    script.schedule(0, 70, B.started(), Id::NONE, COMPLETE);
    let seen = script.timeline();
    let instants = seen.instants_of(InstantKind::TaskStatus);
    assert_eq!(instants.iter().map(|instant| instant.at).collect::<Vec<_>>(), [70]);
}

/// A task of a source that reports where tasks begin to run.
fn begins(script: &mut Script, at: u64, by: Id, new: Id) {
    let (task, new_task, flags) = (by.started().0, new.0, 4 | TASK_BEGINS);
    script.once(0, at, TaskCreate { code: 0x2000, kind: 0, task, new_task, flags });
}

/// LLVM's runtimes of 2014 report no switch to an undeferred task: it runs from its begin to its end, and then what
/// ran before it continues.
#[test]
fn a_task_that_begins_without_a_switch_runs_inside_of_what_ran_before() {
    let mut script = in_a();
    begins(&mut script, 40, A, B);
    script.sync(0, 45, TASKWAIT, B).sync_ends(0, 50, TASKWAIT, B);
    script.schedule(0, 60, B.started(), Id::NONE, COMPLETE);
    script.sync(0, 65, TASKWAIT, A).sync_ends(0, 70, TASKWAIT, A);
    script.schedule(0, 80, A.started(), ROOT, COMPLETE);
    let timeline = script.timeline();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task)), [(30, 40), (40, 60), (60, 80)]);
    assert_eq!(spans(&timeline.on(0, SliceKind::Sync(TASKWAIT.into()))), [(45, 51), (65, 71)]);
    let created = timeline.instants_of(InstantKind::TaskCreate);
    let marks: Vec<_> = created.iter().map(|instant| (instant.at, instant.mark)).collect();
    assert_eq!(marks, [(20, Mark::Observed), (40, Mark::Inferred)]);
    assert_eq!((timeline.summary.inferred, timeline.summary.dropped.len()), (1, 0));
}

/// A task that begins to run, and is reported with the switches of a deferred task as well: the switch to it changes
/// nothing.
#[test]
fn a_task_that_began_already_is_switched_to_once() {
    let mut script = Script::new();
    script.thread(0, 1, 1).sync(0, 10, IMPLICIT, ROOT);
    begins(&mut script, 40, ROOT, B);
    script.schedule(0, 42, ROOT, B.started(), SWITCH).schedule(0, 60, B.started(), ROOT, SWITCH);
    script.schedule(0, 61, B.started(), Id::NONE, COMPLETE).sync_ends(0, 70, IMPLICIT, ROOT);
    let timeline = script.timeline();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task)), [(40, 60)]);
    assert_eq!(spans(&timeline.on(0, SliceKind::Wait(IMPLICIT.into()))), [(11, 40), (60, 70)]);
    assert_eq!(timeline.instants_of(InstantKind::TaskStatus).len(), 0);
}

#[test]
fn the_creation_flows_to_every_segment() {
    let mut script = in_a();
    script.schedule(0, 40, A.started(), ROOT, SWITCH).schedule(0, 50, ROOT, A.started(), SWITCH);
    script.schedule(0, 60, A.started(), ROOT, COMPLETE);
    let timeline = script.timeline();
    let created = timeline.instants_of(InstantKind::TaskCreate)[0];
    let segments = timeline.on(0, SliceKind::Task);
    assert_eq!((segments.len(), created.flows.len()), (2, 1));
    assert!(segments.iter().all(|segment| segment.flows == created.flows));
    assert_eq!(segments[0].arg(ArgKey::Task), Some(ArgValue::Id(A.started())));
}

#[test]
fn an_untied_task_carries_its_slices_to_another_thread() {
    let mut script = in_a();
    let other = implicit(1, 0);
    script.thread(1, 5, 1).sync(0, 40, 6, A).schedule(0, 50, A.started(), ROOT, SWITCH);
    script.schedule(1, 70, other, A.started(), SWITCH).sync_ends(1, 80, 6, A);
    script.schedule(1, 90, A.started(), other, COMPLETE);
    let timeline = script.timeline();
    assert_eq!(spans(&timeline.on(0, SliceKind::Sync(ompt::SyncRegion::Taskgroup))), [(40, 50)]);
    assert_eq!(spans(&timeline.on(1, SliceKind::Sync(ompt::SyncRegion::Taskgroup))), [(70, 81)]);
    assert_eq!(timeline.on(1, SliceKind::Task)[0].logical_thread, "r1");
    assert_eq!(timeline.summary.inferred, 0);
}

#[test]
fn waiting_in_a_barrier_stops_while_tasks_run() {
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 5, ROOT, A).create(0, 6, ROOT, B).sync(0, 10, IMPLICIT, ROOT);
    script.schedule(0, 20, ROOT, A, SWITCH).schedule(0, 30, A.started(), ROOT, COMPLETE);
    script.schedule(0, 35, ROOT, B, SWITCH).schedule(0, 45, B.started(), ROOT, COMPLETE);
    script.sync_ends(0, 60, IMPLICIT, ROOT);
    let timeline = script.timeline();
    assert_eq!(
        spans(&timeline.on(0, SliceKind::Wait(IMPLICIT.into()))),
        [(11, 20), (30, 35), (45, 60)]
    );
    assert_eq!(spans(&timeline.on(0, SliceKind::Sync(IMPLICIT.into()))), [(10, 61)]);
    assert_eq!(timeline.on(0, SliceKind::Task)[0].depth, 2);
}

#[test]
fn a_detached_task_completes_later() {
    let mut script = in_a();
    script.schedule(0, 40, A.started(), ROOT, 4).schedule(0, 70, A.started(), Id::NONE, 6);
    let timeline = script.timeline();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task)), [(30, 40)]);
    let status = timeline.instants_of(InstantKind::TaskStatus);
    assert_eq!(
        (status.len(), status[0].at, status[0].name.as_str()),
        (1, 70, "detached task complete")
    );
    assert_eq!(live_at_end(&timeline), 0);
}

/// The arrow to the one that waits passes the completion, and leaves there if there was no begin to leave from.
#[test]
fn what_waits_for_a_detached_task_waits_for_its_completion() {
    const C: Id = task(0, 3);
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 20, ROOT, A).create(0, 21, ROOT, B);
    script.once(0, 22, TaskDependence { src: A.0, sink: B.0 }).schedule(0, 30, ROOT, A, SWITCH);
    script.schedule(0, 40, A.started(), ROOT, 4).create(0, 50, ROOT, C);
    script.once(0, 51, TaskDependence { src: A.started().0, sink: C.0 });
    script.schedule(0, 70, A.started(), Id::NONE, 6);
    script.schedule(0, 80, ROOT, B, SWITCH).schedule(0, 90, B.started(), ROOT, COMPLETE);
    script.schedule(0, 91, ROOT, C, SWITCH).schedule(0, 99, C.started(), ROOT, COMPLETE);
    let timeline = script.timeline();
    let (tasks, complete) =
        (timeline.on(0, SliceKind::Task), timeline.instants_of(InstantKind::TaskStatus)[0]);
    assert_eq!((complete.at, complete.flows.len()), (70, 2));
    assert_eq!([&tasks[1].flow_ends[..], &tasks[2].flow_ends].concat(), complete.flows);
    assert!(tasks[0].flows.contains(&complete.flows[0]));
    assert!(!tasks[0].flows.contains(&complete.flows[1]));
}

/// A task that runs may still be detached; where it is complete with its code, there is nothing to leave from.
#[test]
fn a_dependence_on_a_running_task_flows_only_from_a_completion_of_its_own() {
    for (status, flows) in [(4, 1), (COMPLETE, 0)] {
        let mut script = in_a();
        script.create(0, 32, A, B).once(0, 33, TaskDependence { src: A.started().0, sink: B.0 });
        script.schedule(0, 40, A.started(), ROOT, status);
        if status == 4 {
            script.schedule(0, 70, A.started(), Id::NONE, 6);
        }
        script.schedule(0, 80, ROOT, B, SWITCH).schedule(0, 90, B.started(), ROOT, COMPLETE);
        let timeline = script.timeline();
        assert_eq!(timeline.on(0, SliceKind::Task)[1].flow_ends.len(), flows);
    }
}

#[test]
fn a_taskwait_with_dependences_is_no_running_task() {
    let mut script = Script::new();
    let event = TaskCreate { code: 0, kind: 0, task: ROOT.0, new_task: A.0, flags: 0x4800_0010 };
    script.thread(0, 1, 1).once(0, 10, event).schedule(0, 30, A, Id::NONE, 8);
    let timeline = script.timeline();
    assert!(timeline.on(0, SliceKind::Task).is_empty());
    assert_eq!(timeline.instants_of(InstantKind::TaskStatus)[0].name, "taskwait complete");
    assert_eq!(live_at_end(&timeline), 0);
}

#[test]
fn a_switch_that_was_lost_is_inferred_from_the_next_event() {
    let mut script = in_a();
    // A's completion is missing: the initial task goes on by itself.
    script.sync(0, 50, 3, ROOT).sync_ends(0, 60, 3, ROOT);
    let timeline = script.timeline();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task)), [(30, 50)]);
    assert_eq!(timeline.on(0, SliceKind::Sync(ompt::SyncRegion::BarrierExplicit))[0].depth, 1);
}

#[test]
fn dependences_stand_on_the_creation_and_flow_from_task_to_task() {
    let mut script = Script::new();
    let create = |new: Id| TaskCreate { code: 0, kind: 1, task: ROOT.0, new_task: new.0, flags: 4 };
    let list = |task: Id| Dependences { task: task.0, count: 1 };
    script.thread(0, 1, 1);
    script.once(0, 10, create(A)).once(0, 11, list(A)).once(
        0,
        11,
        Dependence { variable: 0x77, kind: 2 },
    );
    script.once(0, 20, create(B)).once(0, 21, list(B)).once(
        0,
        21,
        Dependence { variable: 0x77, kind: 1 },
    );
    script.once(0, 22, TaskDependence { src: A.0, sink: B.0 });
    script.schedule(0, 30, ROOT, A, SWITCH).schedule(0, 40, A.started(), ROOT, COMPLETE);
    script.schedule(0, 50, ROOT, B, SWITCH).schedule(0, 60, B.started(), ROOT, COMPLETE);
    let timeline = script.timeline();
    let created = timeline.instants_of(InstantKind::TaskCreate);
    assert_eq!(created.iter().map(|created| created.at).collect::<Vec<_>>(), [10, 20]);
    let on = |kind| [Item::Dependence { kind, variable: Variable::Address(0x77) }];
    assert_eq!((&created[0].items[..], &created[1].items[..]), (&on("out")[..], &on("in")[..]));
    let tasks = timeline.on(0, SliceKind::Task);
    assert_eq!(tasks[1].flow_ends, tasks[0].flows[1..]);
    assert_eq!(timeline.instants_of(InstantKind::TaskDependence).len(), 1);
}

/// The thread's buffer may be full anywhere.
#[test]
fn a_list_goes_on_behind_a_wait_for_the_tool() {
    for wait_before in 0..3 {
        let mut script = Script::new();
        script.thread(0, 1, 1);
        let event = TaskCreate { code: 0, kind: 1, task: ROOT.0, new_task: A.0, flags: 4 };
        script.once(0, 10, event);
        for part in 0..3 {
            if part == wait_before {
                script.once(0, 20, Wait { ticks: 50, reason: 1 });
            }
            let at = if part < wait_before { 11 } else { 70 };
            match part {
                0 => script.once(0, at, Dependences { task: A.0, count: 2 }),
                _ => script.once(0, at, Dependence { variable: 0x77, kind: part }),
            };
        }
        script.schedule(0, 90, ROOT, A, SWITCH).schedule(0, 95, A.started(), ROOT, COMPLETE);
        let timeline = script.timeline();
        let created = timeline.instants_of(InstantKind::TaskCreate)[0];
        assert_eq!(
            (created.at, created.items.len(), created.args.len()),
            (10, 2, 1),
            "{wait_before}"
        );
        assert_eq!(timeline.on(0, SliceKind::ToolWait)[0].span(), (20, 70), "{wait_before}");
        assert!(timeline.summary.dropped.is_empty(), "{:?}", timeline.summary.dropped);
    }
}

#[test]
fn how_many_entries_of_a_list_are_not_there_is_said() {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    let event = TaskCreate { code: 0, kind: 1, task: ROOT.0, new_task: A.0, flags: 4 };
    script.once(0, 10, event).once(0, 11, Dependences { task: A.0, count: 100 });
    for variable in 0..90 {
        script.once(0, 12, Dependence { variable, kind: 3 });
    }
    script.schedule(0, 30, ROOT, A, SWITCH).schedule(0, 40, A.started(), ROOT, COMPLETE);
    let timeline = script.timeline();
    let created = timeline.instants_of(InstantKind::TaskCreate)[0];
    let left_out = Arg { key: ArgKey::LeftOut, value: ArgValue::Number(100 - 64) };
    assert_eq!((created.items.len(), created.args.last()), (64, Some(&left_out)));
}

#[test]
fn deep_recursion_of_tasks_keeps_one_stack_each() {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    let depth = 1000;
    let nth = |n: u32| if n == 0 { ROOT } else { task(0, n) };
    for n in 0..depth {
        let at = 100 + 10 * u64::from(n);
        script.create(0, at, nth(n), nth(n + 1)).sync(0, at + 1, TASKWAIT, nth(n));
        script.schedule(0, at + 5, nth(n).started(), nth(n + 1), SWITCH);
    }
    for n in (0..depth).rev() {
        let at = 100_000 + 10 * u64::from(depth - n);
        script.schedule(0, at, nth(n + 1).started(), nth(n).started(), COMPLETE);
        script.sync_ends(0, at + 2, TASKWAIT, nth(n));
    }
    let timeline = script.timeline();
    assert_eq!(timeline.on(0, SliceKind::Task).len(), 2 * depth as usize - 1);
    assert!(timeline.slices.iter().all(|slice| slice.depth < 8));
    assert_eq!((timeline.summary.inferred, live_at_end(&timeline)), (0, 0));
}

#[test]
fn a_cancelled_task_is_said_to_be() {
    let mut script = in_a();
    script.schedule(0, 40, A.started(), ROOT, 3);
    let timeline = script.timeline();
    assert_eq!(timeline.instants_of(InstantKind::TaskStatus)[0].name, "task cancelled");
    assert_eq!(timeline.on(0, SliceKind::Task)[0].end_mark, Mark::Observed);
}

fn live_at_end(timeline: &Timeline) -> i64 {
    let counters = timeline.counters.iter().rev();
    let mut of_tasks = counters.filter(|(_, counter, _)| *counter == Counter::LiveTasks);
    of_tasks.next().map_or(0, |(_, _, value)| *value)
}

#[test]
fn a_scope_none_is_counted_as_dropped() {
    use ompttrace_recording::events::Masked;
    let mut script = Script::new();
    script.thread(0, 1, 1).put(0, 5, Scope::None, Masked { code: 0, kind: 0, task: ROOT.0 });
    assert_eq!(script.timeline().summary.dropped, [("neither begin nor end", 1)]);
}

#[test]
fn a_task_may_go_on_elsewhere_before_it_was_left() {
    let mut script = in_a();
    let other = implicit(1, 0);
    script.thread(1, 5, 1).schedule(1, 48, other, A.started(), SWITCH);
    script.schedule(0, 50, A.started(), ROOT, SWITCH);
    // Suspended and resumed once more, in good order.
    script.schedule(1, 60, A.started(), other, SWITCH).schedule(0, 70, ROOT, A.started(), SWITCH);
    script.schedule(0, 80, A.started(), ROOT, COMPLETE);
    let timeline = script.timeline();
    assert_eq!(spans(&timeline.on(0, SliceKind::Task)), [(30, 50), (70, 80)]);
    assert_eq!(spans(&timeline.on(1, SliceKind::Task)), [(48, 60)]);
}
