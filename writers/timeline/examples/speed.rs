//! Measures how many records a second the timeline interprets, with a sink that does nothing: on synthetic recordings, or on the run
//! folders that are named: `cargo run --release -p ompttrace-timeline --features testing --example speed`.

use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary};
use ompttrace_recording::events::*;
use ompttrace_recording::{Id, Recording, Scope};
use ompttrace_timeline::testing::RunBuilder;
use std::convert::Infallible;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant as Now;

/// Takes everything and does nothing.
struct Nothing;

impl Sink for Nothing {
    type Output = ();
    type Error = Infallible;
    fn start(&mut self, _: &RunInfo<'_>) {}
    fn event(&mut self, _: &Definitions, at: u64, event: &Event<'_>) {
        black_box((at, event));
    }
    fn finish(self, _: &Definitions, _: &Summary) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A team of `threads` in one region; what its threads do is up to the caller.
fn team(threads: usize) -> (RunBuilder, Vec<Id>) {
    let mut run = RunBuilder::new();
    let root = Id::implicit_task(0, 0, Id::NONE);
    let region = Id::region(0, 1, 0);
    run.put(0, 1, Scope::None, ThreadBegin { thread_type: 1 });
    let initial = ImplicitTask { region: 0, task: root.0, team_size: 1, thread_num: 1, flags: 1 };
    run.put(0, 2, Scope::Begin, initial);
    let requested = threads as u64;
    let begin = ParallelBegin {
        code: 0x1000,
        kind: 0,
        region: region.0,
        task: root.0,
        requested,
        flags: 2,
    };
    run.put(0, 3, Scope::None, begin);
    let mut tasks = Vec::new();
    for t in 0..threads {
        let task = Id::implicit_task(Id::thread_part(t as u64), 1, region);
        let (team_size, thread_num) = (threads as u64, t as u64);
        let event =
            ImplicitTask { region: region.0, task: task.0, team_size, thread_num, flags: 2 };
        run.put(t, 4, Scope::Begin, event);
        tasks.push(task);
    }
    (run, tasks)
}

/// Locks: asked, taken, given back.
fn locks(threads: usize, rounds: u64) -> RunBuilder {
    let (mut run, _) = team(threads);
    for round in 0..rounds {
        for t in 0..threads {
            let at = 100 + round * 300 + 100 * t as u64;
            let wait_id = 0x5000 + 64 * (round % 4);
            let ask = MutexAcquire { code: 0x3000, kind: 1, wait_id, hint: 0, implementation: 2 };
            run.put(t, at, Scope::None, ask);
            run.put(t, at + 20, Scope::None, MutexAcquired { code: 0x3000, kind: 1, wait_id });
            run.put(t, at + 60, Scope::None, MutexReleased { code: 0x3010, kind: 1, wait_id });
        }
    }
    run
}

/// Loops with chunks and barriers.
fn loops(threads: usize, rounds: u64) -> RunBuilder {
    let (mut run, tasks) = team(threads);
    for round in 0..rounds {
        for (t, task) in tasks.iter().enumerate() {
            let at = 100 + round * 1000 + t as u64;
            let task = task.0;
            let work = Work { code: 0x4000, kind: 11, task, count: 1000 };
            run.put(t, at, Scope::Begin, work);
            for chunk in 0..4 {
                let event = Dispatch { kind: 3, first: chunk * 250, count: 250 };
                run.put(t, at + 10 + 100 * chunk, Scope::None, event);
            }
            run.put(t, at + 500, Scope::End, work);
            let sync = SyncRegion { code: 0x4100, kind: 8, task };
            let wait = SyncRegionWait { code: 0x4100, kind: 8, task };
            run.put(t, at + 510, Scope::Begin, sync);
            run.put(t, at + 520, Scope::Begin, wait);
            run.put(t, at + 600, Scope::End, wait);
            run.put(t, at + 610, Scope::End, sync);
        }
    }
    run
}

/// Tasks that one thread creates and all run, in the barrier.
fn tasks(threads: usize, rounds: u64) -> RunBuilder {
    let (mut run, implicit_tasks) = team(threads);
    for (t, task) in implicit_tasks.iter().enumerate() {
        let task = task.0;
        run.put(t, 50, Scope::Begin, SyncRegion { code: 0x4100, kind: 8, task });
        run.put(t, 60, Scope::Begin, SyncRegionWait { code: 0x4100, kind: 8, task });
    }
    let mut counter = 0;
    for round in 0..rounds {
        for (t, implicit_task) in implicit_tasks.iter().enumerate() {
            let at = 100 + round * 400 + 200 * t as u64;
            counter += 1;
            let new = Id::fresh_task(Id::thread_part(0), counter, 0);
            let create = TaskCreate {
                code: 0x2000,
                kind: 0,
                task: implicit_tasks[0].0,
                new_task: new.0,
                flags: 4,
            };
            run.put(0, at, Scope::None, create);
            let start = TaskSchedule { prior: implicit_task.0, next: new.0, status: 7 };
            run.put(t, at + 50, Scope::None, start);
            let end = TaskSchedule { prior: new.started().0, next: implicit_task.0, status: 1 };
            run.put(t, at + 150, Scope::None, end);
        }
    }
    run
}

/// Tasks that wait for a child each: suspended and resumed.
fn nested_tasks(threads: usize, rounds: u64) -> RunBuilder {
    let (mut run, implicit_tasks) = team(threads);
    let mut counter = 0;
    for round in 0..rounds {
        for (t, implicit_task) in implicit_tasks.iter().enumerate() {
            let at = 100 + round * 1000 + t as u64;
            let part = Id::thread_part(t as u64);
            let (parent, child) =
                (Id::fresh_task(part, counter, 0), Id::fresh_task(part, counter + 1, 0));
            counter += 2;
            let task = parent.started().0;
            let create = |by: u64, new: Id| TaskCreate {
                code: 0x2000,
                kind: 0,
                task: by,
                new_task: new.0,
                flags: 4,
            };
            run.put(t, at, Scope::None, create(implicit_task.0, parent));
            run.put(
                t,
                at + 50,
                Scope::None,
                TaskSchedule { prior: implicit_task.0, next: parent.0, status: 7 },
            );
            run.put(t, at + 100, Scope::None, create(task, child));
            run.put(t, at + 110, Scope::Begin, SyncRegion { code: 0x2100, kind: 5, task });
            run.put(t, at + 120, Scope::Begin, SyncRegionWait { code: 0x2100, kind: 5, task });
            run.put(
                t,
                at + 130,
                Scope::None,
                TaskSchedule { prior: task, next: child.0, status: 7 },
            );
            run.put(
                t,
                at + 200,
                Scope::None,
                TaskSchedule { prior: child.started().0, next: task, status: 1 },
            );
            run.put(t, at + 210, Scope::End, SyncRegionWait { code: 0x2100, kind: 5, task });
            run.put(t, at + 220, Scope::End, SyncRegion { code: 0x2100, kind: 5, task });
            run.put(
                t,
                at + 300,
                Scope::None,
                TaskSchedule { prior: task, next: implicit_task.0, status: 1 },
            );
        }
    }
    run
}

fn measure(name: &str, run: &RunBuilder) {
    let (_folder, recording) = run.open().expect("a run folder");
    measure_recording(name, &recording);
}

fn measure_recording(name: &str, recording: &Recording) {
    let (mut best, mut records, mut count_best) = (f64::MAX, 0, f64::MAX);
    for _ in 0..5 {
        let start = Now::now();
        black_box(ompttrace_timeline::count(recording));
        count_best = count_best.min(start.elapsed().as_secs_f64());
        let start = Now::now();
        let (_, summary) = ompttrace_timeline::run(recording, Nothing).expect("a timeline");
        best = best.min(start.elapsed().as_secs_f64());
        records = summary.records;
    }
    let rate = |seconds: f64| records as f64 / seconds / 1e6;
    let each = best / records as f64 * 1e9;
    println!(
        "{name:24} {records:>9} records {:6.1} M/s ({each:5.1} ns each), first pass alone {:6.1} M/s",
        rate(best),
        rate(count_best)
    );
}

fn main() {
    let runs: Vec<_> = std::env::args().skip(1).collect();
    for run in &runs {
        measure_recording(run, &Recording::open(Path::new(run)).expect("a run folder"));
    }
    if !runs.is_empty() {
        return;
    }
    measure("locks, 2 threads", &locks(2, 800_000));
    measure("locks, 64 threads", &locks(64, 25_000));
    measure("loops, 2 threads", &loops(2, 250_000));
    measure("loops, 512 threads", &loops(512, 1_000));
    measure("tasks, 2 threads", &tasks(2, 800_000));
    measure("tasks, 64 threads", &tasks(64, 25_000));
    measure("nested tasks, 2 threads", &nested_tasks(2, 250_000));
}
