//! Attachments to a program that is busy, which has to end with the right result.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::programs;
use serde_json::Value;

use super::hanging::{On, Running, json, look};

/// Time that the program has to end after the last inspection.
const LIMIT: Duration = Duration::from_secs(60);
/// Seconds that a look may take before the program ends by itself: mean of all.
const EACH: usize = 10;

/// Results of repeated inspections of a running program.
#[derive(Debug)]
pub struct Looks {
    /// Total time of all inspections.
    pub took: Duration,
    /// Number of inspections with the call stacks of all threads.
    pub whole: usize,
    /// Number of inspections for which OMPD answered.
    pub answers: usize,
}

/// Inspects a program that solves the n-queens problem `count` times, with these options of `ompttrace inspect`.
pub fn attach(on: &On, count: usize, options: &[&str]) -> Result<Looks> {
    let mut program = programs::of_test("tests/inspect/queens.c")?;
    program.directives.env.push(("OMP_DEBUG".into(), "enabled".into()));
    let folder = tempfile::tempdir()?;
    let end = folder.path().join("end");
    let limit = LIMIT.as_secs() as usize + EACH * count;
    let mut running =
        Running::start(&program, on, &[&end.display().to_string(), &limit.to_string()])?;
    running.until(|seen| seen["threads"].as_array().is_some_and(|threads| threads.len() == 4))?;
    let pid = running.child.id().to_string();
    let arguments: Vec<&str> = std::iter::once(&*pid).chain(options.iter().copied()).collect();
    let started = Instant::now();
    let (mut whole, mut answers) = (0, 0);
    for at in 0..count {
        let seen = look(&arguments)?;
        let snapshot = json(&seen)?.with_context(|| format!("look {at}: {seen:?}"))?;
        let threads = snapshot["threads"].as_array().context("no threads")?;
        ensure!(threads.len() == 4, "look {at}: {snapshot}");
        // On a machine with much to do a thread may get no core in time to stop, which is said.
        let is_said = |os: &Value| !os["stack"][0].is_null() || os["stack_note"].is_string();
        ensure!(threads.iter().all(|thread| is_said(&thread["os"])), "look {at}: {snapshot}");
        let stacks = threads.iter().filter(|thread| !thread["os"]["stack"][0].is_null());
        whole += usize::from(stacks.count() == 4);
        answers += usize::from(snapshot["ompd"].is_object());
    }
    let took = started.elapsed();
    std::fs::write(end, "")?;
    let started = Instant::now();
    while running.child.try_wait()?.is_none() {
        ensure!(started.elapsed() < LIMIT, "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = running.child.wait()?;
    ensure!(status.success(), "{status} after {count} looks");
    ensure!(whole > 0, "no look had all call stacks");
    ensure!(options.is_empty() || answers > 0, "OMPD never answered");
    Ok(Looks { took, whole, answers })
}
