//! GCC's libgomp, recorded by the library in front of it: programs run as without it, and their events
//! are those that the same programs have on a runtime with a tool interface.

mod barriers;
mod chunks;
mod counts;
mod endings;
mod entries;
mod several;
mod traces;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::programs::Program;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};
use ompttrace_tests::{build, programs};

const LIMIT: Duration = Duration::from_secs(60);

/// Runs a program, built by GCC, on libgomp with the library in front of it.
fn run(program: &Program, settings: &[(&str, &str)]) -> Result<(Finished, Scratch)> {
    let settings: Vec<_> = [RECORD_ONLY].iter().chain(settings).copied().collect();
    let Traced { run, scratch } = traced::run_as_linked(program, By::Gomp, &settings)?;
    Ok((run, scratch))
}

/// A program of this test, built by GCC.
fn of_this_test(name: &str) -> Result<Program> {
    Ok(programs::of_test(&format!("tests/gomp/{name}.c"))?.by_gcc())
}

/// A command that is free of the caller's own settings, with the library in front of libgomp.
fn command(scratch: &Scratch, program: &Path) -> Result<Command> {
    let mut command = Command::new(program);
    process::without_settings(&mut command);
    scratch.attach(&mut command, By::Gomp)?;
    command.env(RECORD_ONLY.0, RECORD_ONLY.1).env("OMP_NUM_THREADS", "4");
    command.current_dir(scratch.path());
    Ok(command)
}

/// A source file of this test.
fn source(name: &str) -> PathBuf {
    build::root().join("tests/gomp").join(name)
}
