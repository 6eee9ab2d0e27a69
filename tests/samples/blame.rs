//! Attribution of samples: the frames that are charged with others' waiting, the work of OpenMP as a frame, and tasks where they
//! were created and where they were executed. All of these are known for the program.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::traced::By;
use serde_json::Value;

use super::formats::{folded, report};
use super::{is_allowed, run};

/// A sum over the samples in a function that works.
fn of_function(report: &Value, function: &str, what: &str) -> Result<u64> {
    let functions = report["samples"]["functions"].as_array().context("functions")?;
    let is_it = |one: &&Value| one["function"] == function && one["doing"].is_null();
    Ok(functions.iter().filter(is_it).filter_map(|one| one[what].as_u64()).sum())
}

#[test]
fn waiting_is_charged_to_what_causes_it() -> Result<()> {
    let run = run("blamed", By::Runtime, "500")?;
    if !is_allowed(&run) {
        return Ok(());
    }
    let report = report(&run.scratch.only_run()?)?;
    let share = |function, what| -> Result<f64> {
        let time = of_function(&report, function, "time_ns")?;
        ensure!(time > 100_000_000, "{function}: {time} ns of at least 300 ms");
        Ok(of_function(&report, function, what)? as f64 / time as f64)
    };
    let mutex = share("much", "others_mutex_ns")?;
    ensure!((0.4..0.6).contains(&mutex), "{mutex}: a half, while the other waits for the critical");
    let barrier = share("much", "others_wait_ns")?;
    ensure!(
        (0.4..0.6).contains(&barrier),
        "{barrier}: a half, while the other waits at the barrier"
    );
    let single = share("little", "others_wait_ns")?;
    ensure!(single > 0.9, "{single}: all of it, while the other waits behind the single");
    ensure!(share("little", "others_mutex_ns")? == 0.0, "nobody waits for a mutex");
    Ok(())
}

#[test]
fn tasks_stand_where_they_were_created_or_executed() -> Result<()> {
    let run = run("blamed", By::Runtime, "500")?;
    if !is_allowed(&run) {
        return Ok(());
    }
    let folder = run.scratch.only_run()?;
    let by = [folded(&folder, &[])?, folded(&folder, &["--task-stacks", "execution"])?];
    let sums = by.each_ref().map(|stacks| stacks.iter().map(|(_, samples)| samples).sum::<u64>());
    ensure!(sums[0] == sums[1] && sums[0] > 100, "{sums:?}");
    for (stacks, waits) in by.iter().zip([false, true]) {
        let is_chore = |stack: &[String]| stack.last().is_some_and(|last| last == "chore");
        let chores: Vec<_> = stacks.iter().filter(|(stack, _)| is_chore(stack)).collect();
        ensure!(!chores.is_empty(), "{stacks:?}");
        for (stack, _) in chores {
            let task = stack.iter().position(|frame| frame.starts_with("task samples.c:"));
            let task = task.with_context(|| format!("no task: {stack:?}"))?;
            let around = &stack[..task];
            let is_wait = |frame: &String| frame.starts_with("<OMP-implicit_barrier>");
            ensure!(around.iter().any(is_wait) == waits, "{stack:?}");
        }
    }
    let is_task = |frame: &String| frame.contains("implicit task") || frame.starts_with("task ");
    for (stack, _) in &by[0] {
        let inside = stack.iter().position(is_task).and_then(|at| stack.get(at..));
        let strange = ["main", "start_thread", "clone3", "clone"];
        let mut frames = inside.unwrap_or_default().iter();
        ensure!(
            !frames.any(|frame| strange.contains(&frame.as_str())),
            "outside of tasks: {stack:?}"
        );
    }
    Ok(())
}
