//! Threads that the program cancels: the tool's own files and waits are no cancellation points of the program, so
//! that a cancellation that is pending acts where it does untraced, and finds nothing of ours half done.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::process;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use serde_json::Value;

/// A thread is cancelled in each of these steps as it is without the tool. libomp has cancellation points of its own where it
/// starts, forks and ends, and a cancellation there crashes it without the tool as well.
#[test]
fn a_pending_cancellation_acts_where_it_does_untraced() -> Result<()> {
    check("runtime", By::Preload, None)?;
    for by in [By::Runtime, By::Preload] {
        check("control", by, Some("parallel_begin"))?;
        check("drain", by, Some("parallel_begin"))?;
    }
    for step in ["start", "control", "drain", "fork"] {
        check(step, By::Gomp, Some("parallel_begin"))?;
    }
    Ok(())
}

/// Another thread of the program's may continue, so the recording is not closed.
#[test]
fn a_thread_that_is_to_be_cancelled_ends_the_process() -> Result<()> {
    let program = pending("exit")?.by_gcc();
    let scratch = as_alone(&program, By::Gomp)?;
    let info = Product::find()?.info(&scratch.only_run()?)?;
    ensure!(info["life"]["ended"]["by"] == "exit", "{info}");
    recorded(&info, "parallel_begin")
}

/// A thread is cancelled wherever in the tool's code the cancellation reaches it.
#[test]
fn threads_may_be_cancelled_at_any_instruction() -> Result<()> {
    for by in [By::Runtime, By::Gomp] {
        let program = programs::of_test("tests/cancelled/at_once.c")?;
        let scratch = as_alone(&built_for(program, by), by)?;
        is_whole(&scratch, Some("mutex_acquired"))?;
    }
    Ok(())
}

fn check(step: &str, by: By, event: Option<&str>) -> Result<()> {
    let scratch = as_alone(&built_for(pending(step)?, by), by)?;
    is_whole(&scratch, event).with_context(|| format!("{step}, {by:?}"))
}

fn pending(step: &str) -> Result<Program> {
    let mut program = programs::of_test("tests/cancelled/pending.c")?;
    program.directives.args = vec![step.to_owned()];
    Ok(program)
}

fn built_for(program: Program, by: By) -> Program {
    if by == By::Gomp { program.by_gcc() } else { program }
}

/// Checks that the program exits and prints with the tool as it does without it.
fn as_alone(program: &Program, by: By) -> Result<Scratch> {
    let what = format!("{} {:?}, {by:?}", program.name, program.directives.args);
    let scratch = Scratch::new()?;
    let alone = process::run(&mut command(program, by)?, program.directives.timeout)?;
    let mut traced = command(program, by)?;
    scratch.attach(&mut traced, by)?;
    traced.env(RECORD_ONLY.0, RECORD_ONLY.1).env("OMPTTRACE_BUFFER", "4K");
    let run = process::run(traced.current_dir(scratch.path()), program.directives.timeout)?;
    ensure!(alone.status.is_some_and(|status| status.code().is_some()), "{what}: {alone:?}");
    ensure!(!alone.stdout.contains("WRONG"), "{what}: {alone:?}");
    ensure!((run.status, &run.stdout) == (alone.status, &alone.stdout), "{what}: {run:?}");
    Ok(scratch)
}

fn command(program: &Program, by: By) -> Result<Command> {
    match by {
        By::Gomp => program.command_as_linked(),
        _ => program.command(&runtimes::libomp_19()?),
    }
}

/// The first recording is closed, without a loss, and has such events.
fn is_whole(scratch: &Scratch, event: Option<&str>) -> Result<()> {
    let runs = scratch.runs()?;
    let first = Product::find()?.info(runs.first().context("a recording")?)?;
    ensure!(first["closed"] == true && number(&first, "/events/lost")? == 0, "{first}");
    event.map_or(Ok(()), |event| recorded(&first, event))
}

fn recorded(info: &Value, event: &str) -> Result<()> {
    ensure!(number(info, &format!("/callbacks/{event}/recorded"))? > 0, "{info}");
    Ok(())
}
