//! Taskwaits with dependences: tasks in the tools interface, waits otherwise.

use crate::script::{IMPLICIT, Script, TASKWAIT, implicit, task};
use ompttrace_model::ompt;
use ompttrace_model::{ArgKey, ArgValue, Counter, InstantKind, Item, Mark, SliceKind};
use ompttrace_recording::events::{Dependence, Dependences, TaskCreate, TaskDependence};
use ompttrace_recording::facts::Runtime;
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::testing::{SeenSlice, Timeline};

const ROOT: Id = implicit(0, 0);
const A: Id = task(0, 1);
const B: Id = task(0, 2);
const WAIT: Id = task(0, 11);
const INNER: Id = task(0, 12);

/// ompt_work_single_executor.
const SINGLE: u64 = 3;
const COMPLETE: u64 = 1;
const SWITCH: u64 = 7;
const TASKWAIT_COMPLETE: u64 = 8;

fn spans(slices: &[&SeenSlice]) -> Vec<(u64, u64)> {
    slices.iter().map(|slice| slice.span()).collect()
}

/// Task `by` begins to wait, as runtimes say it: nothing after the creation names the taskwait.
fn waits(script: &mut Script, at: u64, by: Id, wait: Id) {
    let (task, new_task) = (by.started().0, wait.0);
    script.once(0, at, TaskCreate { code: 0x7000, kind: 1, task, new_task, flags: 0x4800_0010 });
    script.once(0, at + 1, Dependences { task: 0, count: 1 });
    script.once(0, at + 1, Dependence { variable: 0x77, kind: 1 });
}

fn ends(script: &mut Script, at: u64) {
    script.schedule(0, at, Id::NONE, Id::NONE, TASKWAIT_COMPLETE);
}

fn of_taskwait(timeline: &Timeline) -> [Vec<(u64, u64)>; 2] {
    [SliceKind::Sync(TASKWAIT.into()), SliceKind::Wait(TASKWAIT.into())]
        .map(|kind| spans(&timeline.on(0, kind)))
}

#[test]
fn one_lasts_from_its_creation_to_its_completion() {
    let mut script = Script::new();
    script.thread(0, 1, 1).work(0, 5, Scope::Begin, SINGLE, ROOT, 1);
    waits(&mut script, 10, ROOT, WAIT);
    ends(&mut script, 50);
    script.work(0, 60, Scope::End, SINGLE, ROOT, 1);
    let timeline = script.timeline();
    assert_eq!(of_taskwait(&timeline), [[(10, 50)], [(10, 50)]]);
    assert_eq!(timeline.on(0, SliceKind::Work(SINGLE.into()))[0].span(), (5, 60));
    let sync = timeline.on(0, SliceKind::Sync(TASKWAIT.into()))[0];
    let wait = timeline.on(0, SliceKind::Wait(TASKWAIT.into()))[0];
    assert_eq!((sync.name.as_str(), wait.name.as_str()), ("taskwait", "wait: taskwait"));
    assert_eq!((sync.task, sync.arg(ArgKey::Task)), (ROOT, Some(ArgValue::Id(WAIT.started()))));
    assert_eq!(wait.depth, sync.depth + 1);
    let made = timeline.instants_of(InstantKind::TaskCreate);
    assert_eq!((made.len(), made[0].at), (1, 10));
    let on = |item: &Item| item.text(|_| "").ends_with(" 0x77");
    assert!(made[0].items.iter().any(on), "{:?}", made[0].items);
    assert_eq!(timeline.instants_of(InstantKind::TaskStatus)[0].name, "taskwait complete");
    assert_eq!((timeline.summary.inferred, timeline.summary.dropped.len()), (0, 0));
}

#[test]
fn it_is_no_live_task() {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    waits(&mut script, 10, ROOT, WAIT);
    ends(&mut script, 50_000);
    let timeline = script.timeline();
    let tasks = timeline.counters.iter().filter(|(_, of, _)| *of == Counter::LiveTasks);
    assert_eq!(tasks.map(|(_, _, value)| *value).max().unwrap_or(0), 0);
}

#[test]
fn tasks_that_the_thread_runs_meanwhile_are_no_waiting() {
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 5, ROOT, A).create(0, 6, ROOT, B);
    waits(&mut script, 10, ROOT, WAIT);
    script.schedule(0, 20, ROOT, A, SWITCH).schedule(0, 30, A.started(), ROOT, COMPLETE);
    script.schedule(0, 35, ROOT, B, SWITCH).schedule(0, 45, B.started(), ROOT, COMPLETE);
    ends(&mut script, 50);
    script.work(0, 60, Scope::BeginEnd, 4, ROOT, 1);
    let timeline = script.timeline();
    assert_eq!(of_taskwait(&timeline)[0], [(10, 50)]);
    assert_eq!(of_taskwait(&timeline)[1], [(10, 20), (30, 35), (45, 50)]);
    assert_eq!(spans(&timeline.on(0, SliceKind::Task)), [(20, 30), (35, 45)]);
    assert_eq!(timeline.on(0, SliceKind::Work(ompt::Work::SingleOther))[0].depth, 1);
    assert_eq!(timeline.summary.inferred, 0);
}

#[test]
fn one_may_be_inside_another() {
    let mut script = Script::new();
    script.thread(0, 1, 1).create(0, 5, ROOT, A).create(0, 6, ROOT, B);
    waits(&mut script, 10, ROOT, WAIT);
    script.schedule(0, 20, ROOT, A, SWITCH);
    waits(&mut script, 25, A, INNER);
    script.schedule(0, 30, A.started(), B, SWITCH).schedule(
        0,
        40,
        B.started(),
        A.started(),
        COMPLETE,
    );
    ends(&mut script, 45);
    script.schedule(0, 50, A.started(), ROOT, COMPLETE);
    ends(&mut script, 60);
    let timeline = script.timeline();
    let [syncs, waits] = of_taskwait(&timeline);
    assert_eq!(syncs, [(25, 30), (40, 45), (10, 60)]);
    assert_eq!(waits, [(10, 20), (25, 30), (40, 45), (50, 60)]);
    let status = timeline.instants_of(InstantKind::TaskStatus);
    let over: Vec<_> = status.iter().map(|instant| (instant.at, instant.task)).collect();
    assert_eq!(over, [(45, INNER.started()), (60, WAIT.started())]);
    assert_eq!((timeline.summary.inferred, timeline.summary.dropped.len()), (0, 0));
}

#[test]
fn the_arrow_of_its_dependence_ends_at_its_completion() {
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 1).create(0, 5, ROOT, A);
    waits(&mut script, 10, ROOT, WAIT);
    script.once(0, 12, TaskDependence { src: A.0, sink: 0 });
    script.schedule(1, 20, implicit(1, 0), A, SWITCH);
    script.schedule(1, 40, A.started(), implicit(1, 0), COMPLETE);
    ends(&mut script, 50);
    let timeline = script.timeline();
    let complete = timeline.instants_of(InstantKind::TaskStatus)[0];
    assert_eq!(complete.flow_ends.len(), 1);
    assert!(timeline.on(1, SliceKind::Task)[0].flows.contains(&complete.flow_ends[0]));
}

#[test]
fn one_without_an_end_ends_before_what_its_task_does_next() {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    waits(&mut script, 10, ROOT, WAIT);
    script.sync(0, 40, IMPLICIT, ROOT).sync_ends(0, 50, IMPLICIT, ROOT);
    waits(&mut script, 60, ROOT, INNER);
    waits(&mut script, 70, ROOT, INNER);
    ends(&mut script, 80);
    let timeline = script.timeline();
    assert_eq!(of_taskwait(&timeline)[0], [(10, 40), (60, 70), (70, 80)]);
    assert_eq!(of_taskwait(&timeline)[1], [(10, 40), (60, 70), (70, 80)]);
    assert_eq!(timeline.on(0, SliceKind::Sync(IMPLICIT.into()))[0].depth, 1);
    assert_eq!(timeline.on(0, SliceKind::Wait(TASKWAIT.into()))[0].end_mark, Mark::Inferred);
}

/// Without switches the end of one is unknown.
#[test]
fn none_is_drawn_where_its_end_is_not_recorded() {
    let mut script = Script::new();
    let mut runtime = Runtime::default();
    runtime.callbacks.insert("task_schedule".into(), "not wanted".into());
    script.run.facts.runtimes.push(runtime);
    script.thread(0, 1, 1);
    waits(&mut script, 10, ROOT, WAIT);
    script.work(0, 60, Scope::BeginEnd, 4, ROOT, 1);
    let timeline = script.timeline();
    assert_eq!(of_taskwait(&timeline), [[], []] as [[(u64, u64); 0]; 2]);
    assert_eq!(timeline.instants_of(InstantKind::TaskCreate).len(), 1);
}
