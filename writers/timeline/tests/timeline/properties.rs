//! Properties of late ends and of pairing, on runs made up by proptest:
//!
//! - whenever a worker says that its closing barrier and its implicit task are over (in time, at its next
//!   region, never), both end with its team at the latest, marked inferred exactly where it was later;
//! - between its teams a worker shows nothing, what it says late is absorbed, and nothing is dropped;
//! - however constructs nest, every begin gets the end that the runtime reported for it;
//! - a record that is lost harms its own construct only: all others keep their begins and ends, and
//!   every record that is left is interpreted, absorbed or dropped;
//! - however tasks are suspended and go on elsewhere, the segments that are reported are those that ran.
//!
//! The timeline's contract itself is checked on the way, by the sink.

use crate::script::{IMPLICIT, Script, TASKWAIT, implicit, region, task};
use ompttrace_model::{Mark, SliceKind};
use ompttrace_recording::events::{Masked, Reduction, SyncRegion, Target};
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::testing::{SeenSlice, Timeline};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

const ROOT: Id = implicit(0, 0);
const SWITCH: u64 = 7;
const COMPLETE: u64 = 1;

/// Every record is accounted for.
fn adds_up(timeline: &Timeline) -> TestCaseResult {
    let summary = &timeline.summary;
    let dropped: u64 = summary.dropped.iter().map(|(_, count)| count).sum();
    prop_assert_eq!(summary.records, summary.interpreted + summary.absorbed + dropped);
    Ok(())
}

/// Begin and end of slices, in the order of their begins.
fn spans(slices: &[&SeenSlice]) -> Vec<(u64, u64)> {
    let mut spans: Vec<_> = slices.iter().map(|slice| slice.span()).collect();
    spans.sort_unstable();
    spans
}

/// The time at which a worker reports its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum EndReport {
    InTime,
    /// The end of the worker's barrier is in time, that of its implicit task is not.
    Half,
    Late,
    Never,
}

fn end_report() -> impl Strategy<Value = EndReport> {
    prop::sample::select(vec![
        EndReport::InTime,
        EndReport::Half,
        EndReport::Late,
        EndReport::Never,
    ])
}

/// Regions with their workers, each with the number of its task and when it reports its ends.
fn regions() -> impl Strategy<Value = Vec<Vec<EndReport>>> {
    vec(vec(end_report(), 0..5), 1..8)
}

/// A region from 0 to 90 after `start`; what is late is said before a worker's next region.
fn one_region(
    script: &mut Script,
    start: u64,
    number: u32,
    workers: &[EndReport],
    owed: &mut [u32],
) {
    let (r, mine, size) = (region(0, number), implicit(0, number), workers.len() as u64 + 1);
    script.fork(0, start, r, ROOT, size).implicit_begins(0, start + 10, r, mine, (size, 0));
    for (worker, report) in (1..).zip(workers) {
        let other = implicit(worker as u64, number);
        pay(script, start + 5, worker, owed);
        script.implicit_begins(worker, start + 20, r, other, (size, worker as u64));
        script.sync(worker, start + 30, IMPLICIT, other);
        if matches!(report, EndReport::InTime | EndReport::Half) {
            script.sync_ends(worker, start + 60, IMPLICIT, other);
        }
        match report {
            EndReport::InTime => drop(script.implicit_ends(worker, start + 65, other, (size, 0))),
            EndReport::Half => owed[worker] = number | HALF,
            EndReport::Late => owed[worker] = number,
            EndReport::Never => {}
        }
    }
    script.sync(0, start + 40, IMPLICIT, mine).sync_ends(0, start + 60, IMPLICIT, mine);
    script.implicit_ends(0, start + 80, mine, (size, 0)).join(0, start + 90, r, ROOT);
}

/// Marks the number of a region whose barrier was reported in time.
const HALF: u32 = 1 << 31;

/// The worker says what it owes.
fn pay(script: &mut Script, at: u64, worker: usize, owed: &mut [u32]) {
    let number = std::mem::take(&mut owed[worker]);
    let task = implicit(worker as u64, number & !HALF);
    if number != 0 && number & HALF == 0 {
        script.sync_ends(worker, at, IMPLICIT, task);
    }
    if number != 0 {
        script.implicit_ends(worker, at + 2, task, (0, worker as u64));
    }
}

/// Tasks, their ends and what must be marked.
fn check_worker(worker: usize, regions: &[Vec<EndReport>], timeline: &Timeline) -> TestCaseResult {
    let (mut tasks, mut waits) = (Vec::new(), Vec::new());
    for (number, workers) in (1..).zip(regions) {
        let start = 1000 * number;
        let Some(report) = workers.get(worker - 1) else { continue };
        let mark = |observed| if observed { Mark::Observed } else { Mark::Inferred };
        let in_time = *report == EndReport::InTime;
        let waited = in_time || *report == EndReport::Half;
        let end = if in_time { start + 65 } else { start + 80 };
        tasks.push((start + 20, end, mark(in_time)));
        waits.push((start + 31, if waited { start + 60 } else { start + 80 }, mark(waited)));
    }
    let marked = |kind| -> Vec<_> {
        let slices = timeline.on(worker as u32, kind);
        slices.iter().map(|slice| (slice.begin, slice.end, slice.end_mark)).collect()
    };
    prop_assert_eq!(marked(SliceKind::ImplicitTask), &tasks[..]);
    prop_assert_eq!(marked(SliceKind::Wait(IMPLICIT.into())), waits);
    let its = timeline.slices.iter().filter(|slice| slice.thread == worker as u32);
    for slice in its {
        let inside = tasks.iter().any(|task| task.0 <= slice.begin && slice.end <= task.1);
        prop_assert!(inside, "{slice:?} outside of {tasks:?}");
    }
    Ok(())
}

/// A tree of constructs: how many steps until its begin, until its end, and what is inside.
#[derive(Clone, Debug)]
struct Tree(u64, u64, Vec<Tree>);

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = (1..50u64, 1..50u64).prop_map(|(before, inside)| Tree(before, inside, Vec::new()));
    leaf.prop_recursive(4, 24, 4, |inner| {
        (1..50u64, 1..50u64, vec(inner, 0..4))
            .prop_map(|(before, after, all)| Tree(before, after, all))
    })
}

/// A construct of another family for every depth, so that an end can mean one begin only.
fn put(script: &mut Script, at: u64, scope: Scope, depth: usize) {
    let (code, task) = (0x5000, ROOT.0);
    match depth {
        0 => drop(script.work(0, at, scope, 1, ROOT, 3)),
        1 => drop(script.put(0, at, scope, Masked { code, kind: 0, task })),
        2 => drop(script.put(0, at, scope, SyncRegion { code, kind: TASKWAIT, task })),
        3 => drop(script.put(0, at, scope, Reduction { code, kind: TASKWAIT, task })),
        _ => drop(script.put(0, at, scope, Target { code, kind: 1, device: 0, task, target: 9 })),
    }
}

/// Begins and ends of all constructs in their order: time, scope, depth and the construct's number.
type Steps = Vec<(u64, Scope, usize, usize)>;

fn steps(trees: &[Tree]) -> (Steps, usize) {
    fn walk(trees: &[Tree], depth: usize, now: &mut u64, made: &mut usize, steps: &mut Steps) {
        for Tree(before, after, inner) in trees {
            let number = std::mem::replace(made, *made + 1);
            *now += before;
            steps.push((*now, Scope::Begin, depth, number));
            walk(inner, depth + 1, now, made, steps);
            *now += after;
            steps.push((*now, Scope::End, depth, number));
        }
    }
    let (mut now, mut made, mut all) = (100, 0, Vec::new());
    walk(trees, 0, &mut now, &mut made, &mut all);
    (all, made)
}

fn is_construct(slice: &&SeenSlice) -> bool {
    use SliceKind::{Masked, Reduction, Sync, Target, Work};
    matches!(slice.kind, Work(_) | Masked | Sync(_) | Reduction(_) | Target(_))
}

/// The timeline of these steps, and the spans of the constructs that have both ends among them.
fn constructs(steps: &Steps, made: usize) -> (Timeline, Vec<(u64, u64)>) {
    let mut script = Script::new();
    script.thread(0, 10, 1);
    let mut spans = vec![(0, 0); made];
    for &(at, scope, depth, number) in steps {
        put(&mut script, at, scope, depth);
        let (begin, end) = &mut spans[number];
        *(if scope == Scope::Begin { begin } else { end }) = at;
    }
    script.implicit_task(0, 1 << 20, Scope::End, Id::NONE, ROOT, (0, 1), 1);
    spans.retain(|(begin, end)| *begin > 0 && *end > 0);
    (script.timeline(), spans)
}

/// The next step of a thread: it begins one of the tasks, or leaves the task that it runs, which is then complete or
/// suspended.
#[derive(Clone, Copy, Debug)]
struct Turn {
    thread: usize,
    task: usize,
    ends: bool,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = (0..3usize, 0..5usize, any::<bool>());
    vec(turn.prop_map(|(thread, task, ends)| Turn { thread, task, ends }), 0..80)
}

/// Three root threads and five tasks of the first; returns each task's segments.
fn play(turns: &[Turn]) -> (Timeline, Vec<(u32, u64, u64)>) {
    let mut script = Script::new();
    for t in 0..3 {
        script.thread(t, 10, 1);
    }
    let mut ids: Vec<Id> = (0..5).map(|n| task(0, n + 1)).collect();
    for (at, id) in (50..).zip(&ids) {
        script.create(0, at, ROOT, *id);
    }
    let (mut running, mut is_free) = ([None; 3], [true; 5]);
    let mut segments = Vec::new();
    for (at, turn) in (100u64..).step_by(10).zip(turns) {
        let (t, own) = (turn.thread, implicit(turn.thread as u64, 0));
        match running[t].take() {
            None if is_free[turn.task] => {
                script.schedule(t, at, own, ids[turn.task], SWITCH);
                ids[turn.task] = ids[turn.task].started();
                is_free[turn.task] = false;
                running[t] = Some((turn.task, at));
            }
            None => {}
            Some((task, since)) => {
                let status = if turn.ends { COMPLETE } else { SWITCH };
                script.schedule(t, at, ids[task], own, status);
                is_free[task] = !turn.ends;
                segments.push((t as u32, since, at));
            }
        }
    }
    for (t, (task, since)) in running.into_iter().enumerate().filter_map(|(t, r)| Some((t, r?))) {
        script.schedule(t, 9000, ids[task], implicit(t as u64, 0), COMPLETE);
        segments.push((t as u32, since, 9000));
    }
    segments.sort_unstable();
    (script.timeline(), segments)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn late_ends_are_those_of_the_team(regions in regions()) {
        let mut script = Script::new();
        script.thread(0, 10, 1);
        for worker in 1..5 {
            script.thread(worker, 20, 2);
        }
        let mut owed = [0; 5];
        for (number, workers) in (1..).zip(&regions) {
            one_region(&mut script, 1000 * u64::from(number), number, workers, &mut owed);
        }
        (1..5).for_each(|worker| pay(&mut script, 100_000, worker, &mut owed));
        script.implicit_task(0, 200_000, Scope::End, Id::NONE, ROOT, (0, 1), 1);
        let timeline = script.timeline();
        for worker in 1..5 {
            check_worker(worker, &regions, &timeline)?;
        }
        prop_assert!(timeline.summary.dropped.is_empty(), "{:?}", timeline.summary.dropped);
        adds_up(&timeline)?;
    }

    #[test]
    fn constructs_are_paired(trees in vec(tree(), 1..4)) {
        let (steps, made) = steps(&trees);
        let (timeline, mut expected) = constructs(&steps, made);
        expected.sort_unstable();
        let found: Vec<_> = timeline.slices.iter().filter(is_construct).collect();
        prop_assert_eq!(spans(&found), expected);
        prop_assert_eq!((timeline.summary.inferred, timeline.summary.cut), (0, 0));
        prop_assert!(timeline.summary.dropped.is_empty());
    }

    #[test]
    fn a_lost_record_harms_its_own_construct(
        trees in vec(tree(), 1..4),
        lost in any::<prop::sample::Index>(),
    ) {
        let (mut steps, made) = steps(&trees);
        let (_, scope, ..) = steps.remove(lost.index(steps.len()));
        let (timeline, expected) = constructs(&steps, made);
        let found: Vec<_> = timeline.slices.iter().filter(is_construct).collect();
        let found = spans(&found);
        for span in &expected {
            prop_assert!(found.contains(span), "{span:?} is not among {found:?}");
        }
        let cut = usize::from(scope == Scope::End);
        prop_assert_eq!(found.len(), expected.len() + cut);
        let dropped: u64 = timeline.summary.dropped.iter().map(|(_, count)| count).sum();
        prop_assert_eq!(dropped, u64::from(scope == Scope::Begin));
        adds_up(&timeline)?;
    }

    #[test]
    fn tasks_run_where_and_when_they_ran(turns in turns()) {
        let (timeline, segments) = play(&turns);
        let slices = timeline.of_kind(SliceKind::Task);
        let mut found: Vec<_> = slices.iter().map(|s| (s.thread, s.begin, s.end)).collect();
        found.sort_unstable();
        prop_assert_eq!(found, segments);
        prop_assert!(timeline.summary.dropped.is_empty(), "{:?}", timeline.summary.dropped);
        adds_up(&timeline)?;
    }
}
