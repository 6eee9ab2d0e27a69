//! Attachments to a program that is busy, which has to end with the right result.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::programs;

use super::hanging::{On, Running, json, look};

/// Time that the program has for its end.
const LIMIT: Duration = Duration::from_secs(60);

/// Looks so often at n queens, with these options; how long the looks took together.
pub fn attach(on: &On, count: usize, options: &[&str]) -> Result<Duration> {
    let mut program = programs::of_test("tests/inspect/queens.c")?;
    program.directives.env.push(("OMP_DEBUG".into(), "enabled".into()));
    let folder = tempfile::tempdir()?;
    let end = folder.path().join("end");
    let mut running = Running::start(&program, on, &[&end.display().to_string()])?;
    running.until(|seen| seen["threads"].as_array().is_some_and(|threads| threads.len() == 4))?;
    let pid = running.child.id().to_string();
    let arguments: Vec<&str> = std::iter::once(&*pid).chain(options.iter().copied()).collect();
    let started = Instant::now();
    for at in 0..count {
        let seen = look(&arguments)?;
        let snapshot = json(&seen)?.with_context(|| format!("look {at}: {seen:?}"))?;
        let threads = snapshot["threads"].as_array().context("no threads")?;
        let stacks = threads.iter().filter(|thread| !thread["os"]["stack"][0].is_null()).count();
        ensure!(stacks == 4, "look {at}: {stacks} call stacks: {snapshot}");
        ensure!(options.is_empty() || snapshot["ompd"].is_object(), "look {at}: {seen:?}");
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
    Ok(took)
}
