//! Threads that end without a word where they are, and may have a lock of ours: nobody waits for them, neither the
//! program's other threads nor its end, and what they had recorded stays.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};

/// Number of threads, with which some have a lock when they end: with the smallest buffers they mostly write.
const THREADS: u64 = 40;

#[test]
fn nobody_waits_for_a_thread_that_has_vanished() -> Result<()> {
    for (by, policy) in
        [(By::Runtime, "wait"), (By::Gomp, "wait"), (By::Runtime, "drop"), (By::Runtime, "ring")]
    {
        check(by, policy).with_context(|| format!("{by:?}, {policy}"))?;
    }
    Ok(())
}

fn check(by: By, policy: &str) -> Result<()> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_BUFFER", "4K"), ("OMPTTRACE_OVERFLOW", policy)];
    let traced = traced::run_own("tests/vanished/exits.c", &[&THREADS.to_string()], by, &settings)?;
    let Traced { run, scratch } = traced;
    ensure!(run.last_line() == "ok exits", "{run:?}");
    ensure!(run.stderr.lines().count() <= 3, "{run:?}");
    let taken = run.stdout.lines().find_map(|line| line.strip_prefix("taken "));
    is_kept(&scratch, taken.context("its count")?.parse()?)
}

/// All locks are recorded or counted as lost, except for the last one of each thread that vanished.
fn is_kept(scratch: &Scratch, taken: u64) -> Result<()> {
    let run = scratch.only_run()?;
    let info = Product::find()?.info(&run)?;
    let recorded = Recorded::read(&run)?;
    ensure!(recorded.unreadable == 0 && recorded.backwards == 0, "{recorded:?}");
    let count = |what| number(&info, &format!("/callbacks/mutex_acquired/{what}"));
    let found = count("recorded")? + count("lost")?;
    ensure!(found.abs_diff(taken) <= THREADS, "{found} of {taken}");
    Ok(())
}
