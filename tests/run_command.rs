//! `ompttrace run` and `doctor`: the program behaves as without it, and every process that used OpenMP has its
//! trace when the command ends.

mod arguments;
mod doctor;
mod endings;
mod families;
mod live;
mod namespaces;
mod planted;
mod probe;
mod program_kind;
mod reports;
mod settings;
mod signals;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::traced::{self, Scratch};

const LIMIT: Duration = Duration::from_secs(60);

/// `ompttrace run` with these options, in a scratch folder; a program and its arguments follow.
fn command(scratch: &Scratch, options: &[&str]) -> Result<Command> {
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.env("OMP_NUM_THREADS", "4").env_remove("LD_PRELOAD").current_dir(scratch.path());
    command.arg("run").args(options).arg("--");
    Ok(command)
}

/// A run that is over, with what it left.
struct Ran {
    run: Finished,
    scratch: Scratch,
}

/// Runs a program by `ompttrace run` with these options.
fn run<S: AsRef<OsStr>>(options: &[&str], program: &[S]) -> Result<Ran> {
    run_with(options, program, &[])
}

/// Runs a program by `ompttrace run` with these options and environment variables.
fn run_with<S: AsRef<OsStr>>(
    options: &[&str],
    program: &[S],
    variables: &[(&str, &str)],
) -> Result<Ran> {
    let scratch = Scratch::new()?;
    let mut command = command(&scratch, options)?;
    command.args(program).envs(variables.iter().copied());
    Ok(Ran { run: process::run(&mut command, LIMIT)?, scratch })
}

impl Ran {
    /// The exit status; a signal has none.
    fn code(&self) -> Option<i32> {
        self.run.status.and_then(|status| status.code())
    }

    /// Every run folder's trace is there, holds what its recording holds, and has its own line.
    fn check_traces(&self, count: usize) -> Result<Vec<PathBuf>> {
        let runs = self.scratch.runs()?;
        ensure!(runs.len() == count, "{runs:?}: {}", self.run.stderr);
        for run in &runs {
            let trace = run.join("trace.pftrace");
            ensure!(trace.is_file(), "no {}: {}", trace.display(), self.run.stderr);
            let recorded = number(&Product::find()?.info(run)?, "/events/recorded")?;
            ensure!(recorded > 0, "{}: nothing recorded", run.display());
            let name = run.file_name().unwrap_or_default().to_string_lossy();
            let line = format!("ompttrace: {name}/trace.pftrace: {recorded} events, 0 lost; ");
            ensure!(self.run.stderr.contains(&line), "{line} is not in {}", self.run.stderr);
            let pool = traced::pool_of(run)?.filter(|pool| pool.starts_with("/dev/shm"));
            ensure!(!pool.is_some_and(|pool| pool.exists()), "a pool is left: {}", run.display());
        }
        Ok(runs)
    }
}

/// A program of this folder or, with `c/`, of all tests; built.
fn built(name: &str) -> Result<(Program, PathBuf)> {
    let program = match name.split_once('/') {
        Some(("c", _)) => programs::by_name(name)?,
        _ => programs::of_test(&format!("tests/{name}.c"))?,
    };
    let binary = program.build()?;
    Ok((program, binary))
}
