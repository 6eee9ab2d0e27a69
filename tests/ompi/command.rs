//! `ompttrace run`, `doctor` and `info` in front of programs with contains OMPi's runtime.

use super::linked;
use anyhow::{Context, Result, ensure};
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::Scratch;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn command(scratch: &Scratch, words: &[&str], program: &Path) -> Result<Finished> {
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.args(words).arg(program).current_dir(scratch.path());
    process::run(&mut command, LIMIT)
}

#[test]
fn a_program_that_is_linked_for_it_is_run() -> Result<()> {
    let scratch = Scratch::new()?;
    let run = command(&scratch, &["run", "--output", "run.1", "--"], &linked::program()?)?;
    ensure!(run.status.is_some_and(|status| status.success()), "{run:?}");
    ensure!(scratch.path().join("run.1/trace.pftrace").is_file(), "{run:?}");
    ensure!(run.stderr.lines().count() == 1 && run.stderr.contains(" events, 0 lost"), "{run:?}");
    let doctor = command(&scratch, &["doctor"], &linked::program()?)?;
    let about = doctor.stdout.lines().find(|line| line.contains(" program ")).context("a line")?;
    ensure!(about.starts_with("ok") && about.contains("contains OMPi's runtime"), "{about}");
    Ok(())
}

/// A program without the archive runs all the same, and both commands say how to build it.
#[test]
fn for_a_program_that_is_not_both_say_how_to_build_it() -> Result<()> {
    let scratch = Scratch::new()?;
    let run = command(&scratch, &["run", "--"], &linked::program_alone()?)?;
    let doctor = command(&scratch, &["doctor"], &linked::program_alone()?)?;
    ensure!(run.stdout.ends_with(" done\n") && scratch.runs()?.is_empty(), "{run:?}");
    for said in [&run.stderr, &doctor.stdout] {
        let how = said.lines().any(|line| {
            line.contains("contains OMPi's runtime") && line.contains("`ompicc --ort=ompttrace`")
        });
        ensure!(how, "{said}");
    }
    Ok(())
}
