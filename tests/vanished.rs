//! Threads that end without a word where they are, and may have a lock of ours: nobody waits for them, neither the
//! program's other threads nor its end, and what they had recorded stays.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::process;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs;
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};

/// So many that some have a lock when they end: with the smallest buffers they spend most of their time in writes.
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
    let mut program = programs::of_test("tests/vanished/exits.c")?;
    program.directives.args = vec![THREADS.to_string()];
    let mut command = match by {
        By::Gomp => {
            program = program.by_gcc();
            program.command_as_linked()?
        }
        _ => program.command(&runtimes::libomp_19()?)?,
    };
    let scratch = Scratch::new()?;
    scratch.attach(&mut command, by)?;
    command.env(RECORD_ONLY.0, RECORD_ONLY.1).env("OMPTTRACE_BUFFER", "4K");
    command.env("OMPTTRACE_OVERFLOW", policy).current_dir(scratch.path());
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end), "{run:?}");
    ensure!(run.last_line() == program.last_line(), "{run:?}");
    ensure!(run.stderr.lines().count() <= 3, "{run:?}");
    let taken = run.stdout.lines().find_map(|line| line.strip_prefix("taken "));
    is_kept(&scratch, taken.context("its count")?.parse()?)
}

/// All locks are recorded or counted as lost, but for the last one of each thread that vanished.
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
