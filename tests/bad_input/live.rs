//! Many tasks alive at a time: those that have not begun cost an export nothing, those that are suspended
//! some bytes each, and those that are over nothing again.

use std::io;

use anyhow::{Result, ensure};
use ompttrace_perfetto::{PerfettoSink, View};
use ompttrace_recording::events::{ParallelBegin, TaskCreate, TaskSchedule, ThreadBegin};
use ompttrace_recording::{Id, Recording, Scope};
use ompttrace_timeline::testing::RunBuilder;

use super::memory;

/// Upper bound of the bytes for a suspended task, when the capacity of their table has just doubled.
const BYTES_OF_A_TASK: usize = 400;
const SWITCH: u64 = 7;
const COMPLETE: u64 = 1;

/// A thread that makes this many tasks at a time, begins them all first if they are to be suspended, ends
/// them, and makes more until there were `tasks`.
fn tasks(tasks: u64, at_a_time: u64, suspended: bool) -> RunBuilder {
    let part = Id::thread_part(0);
    let (region, own) = (Id::region(part, 1, 0).0, Id::implicit_task(part, 1, Id::NONE).0);
    let mut run = RunBuilder::new();
    let mut now = 0;
    let mut next = || {
        now += 10;
        now
    };
    run.put(0, next(), Scope::None, ThreadBegin { thread_type: 1 });
    let begin = ParallelBegin { region, requested: 1, ..ParallelBegin::default() };
    run.put(0, next(), Scope::None, begin);
    for first in (0..tasks).step_by(at_a_time as usize) {
        let ids: Vec<Id> =
            (first..first + at_a_time).map(|n| Id::fresh_task(part, n as u32 + 1, 0)).collect();
        for id in &ids {
            let made = TaskCreate { task: own, new_task: id.0, flags: 4, ..TaskCreate::default() };
            run.put(0, next(), Scope::None, made);
        }
        let goes_on = |next: u64, id: Id, run: &mut RunBuilder| {
            let goes_on = TaskSchedule { prior: own, next: id.0, status: SWITCH };
            run.put(0, next, Scope::None, goes_on);
        };
        for id in ids.iter().filter(|_| suspended) {
            goes_on(next(), *id, &mut run);
            let left = TaskSchedule { prior: id.started().0, next: own, status: SWITCH };
            run.put(0, next(), Scope::None, left);
        }
        for id in &ids {
            goes_on(next(), if suspended { id.started() } else { *id }, &mut run);
            let ends = TaskSchedule { prior: id.started().0, next: own, status: COMPLETE };
            run.put(0, next(), Scope::None, ends);
        }
    }
    run
}

/// The most that an export of it holds.
fn held(run: &RunBuilder) -> Result<usize> {
    let folder = run.write()?;
    let recording = Recording::open(folder.path())?;
    let sink = PerfettoSink::new(io::sink(), View::Both);
    let (reported, held) = memory::most_of(|| ompttrace_timeline::run(&recording, sink));
    ensure!(reported?.1.dropped.is_empty());
    Ok(held)
}

const FEW: u64 = 10_000;
const MORE: u64 = 50_000;

/// Bytes by which an export's peak memory grows with `MORE` tasks; `at_a_time` gives the number of live tasks of a total.
fn more(at_a_time: impl Fn(u64) -> u64, suspended: bool) -> Result<usize> {
    let held = |all| memory::alone(|| held(&tasks(all, at_a_time(all), suspended)));
    Ok(held(FEW + MORE)?.saturating_sub(held(FEW)?))
}

/// Tasks that have not begun take no memory: their ids say all that is known of them.
#[test]
fn tasks_that_have_not_begun_cost_nothing() -> Result<()> {
    let more = more(|all| all, false)?;
    ensure!(more < 1 << 20, "{more} bytes");
    Ok(())
}

#[test]
fn suspended_tasks_cost_some_bytes_each() -> Result<()> {
    let each = more(|all| all, true)? / MORE as usize;
    println!("{each} bytes for each suspended task");
    ensure!((16..=BYTES_OF_A_TASK).contains(&each), "{each} bytes each");
    Ok(())
}

#[test]
fn tasks_that_are_over_are_forgotten() -> Result<()> {
    let more = more(|_| 100, true)?;
    ensure!(more < 1 << 20, "{more} bytes");
    Ok(())
}
