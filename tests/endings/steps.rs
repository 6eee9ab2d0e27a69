//! A kill before, during and after every system call with which the tool begins, drains, flushes and closes: what the
//! program had counted for itself until then is in the recording, once.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{By, Scratch};
use ompttrace_tests::{build, oracle, own_counts};

use super::Left;
use super::matrix::{ENDS, command, program};

/// A number of steps greater than that of any of these programs.
const MANY: usize = 400;
/// A number of steps less than that of any of these programs.
const FEW: usize = 20;

#[test]
fn a_kill_at_every_step() -> Result<()> {
    let other = if cfg!(target_arch = "x86_64") { "intel-2026" } else { "libomp-19" };
    all_steps("return", By::Preload, &runtimes::libomp_19()?)?;
    // It flushes before it ends.
    all_steps("control end", By::Runtime, &runtimes::by_name(other)?)
}

fn all_steps(how: &'static str, by: By, runtime: &Runtime) -> Result<()> {
    let step = |way, at| {
        step(how, by, runtime, way, at)
            .with_context(|| format!("{how}, {by:?}, {}, {way} step {at}", runtime.name))
    };
    let mut steps = 0;
    while step("before", steps + 1)? {
        steps += 1;
        ensure!(steps < MANY, "{how} never ends by itself");
    }
    ensure!(steps > FEW, "{how}: {steps} steps");
    let mut torn = 0;
    for at in 1..=steps {
        step("after", at)?;
        torn += usize::from(step("half", at)?);
    }
    ensure!((FEW / 4..steps).contains(&torn), "{how}: {torn} of {steps} are writes");
    Ok(())
}

/// Runs the program until that step; whether it came so far and was killed. Only writes can be half done.
fn step(how: &'static str, by: By, runtime: &Runtime, way: &str, at: usize) -> Result<bool> {
    let scratch = Scratch::new()?;
    let mut command = command(&program(&(ENDS, how, Left::Recording))?, runtime, &scratch)?;
    scratch.attach(&mut command, by)?;
    runtimes::prepend(&mut command, "LD_PRELOAD", &killer()?);
    command.env("STEPS_PATH", scratch.path().join("run."));
    command.env("STEPS_AT", at.to_string()).env("STEPS_KILL", way);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // Of an earlier process of the same number, which somebody else left.
    let others = pools_of(None)?;
    let mut child = command.spawn()?;
    let status = child.wait()?;
    let is_killed = status.signal() == Some(9);
    ensure!(is_killed || status.code().is_some(), "{status:?}");
    // Whoever was killed before it counted anything has nothing to lose.
    let counted = own_counts::read(&scratch, child.id()).is_ok();
    let checked = if counted { check(&scratch, child.id()) } else { Ok(()) };
    let mut pools = pools_of(Some(child.id()))?;
    pools.retain(|pool| !others.contains(pool));
    pools.iter().try_for_each(fs::remove_file)?;
    checked?;
    ensure!(pools.is_empty() || !counted, "left: {pools:?}");
    Ok(is_killed)
}

/// Pools in /dev/shm, of one process by the number in their names: one that was killed early has not written whose it
/// is.
fn pools_of(pid: Option<u32>) -> Result<Vec<PathBuf>> {
    let number = pid.map_or(String::new(), |pid| format!("{pid}."));
    let beginning = format!("/dev/shm/ompttrace.{number}");
    let mut paths = Vec::new();
    for entry in fs::read_dir("/dev/shm")? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.to_string_lossy().starts_with(&beginning));
    Ok(paths)
}

fn killer() -> Result<PathBuf> {
    let source = build::root().join("tests/endings/steps.c");
    let flags = ["-O1", "-fPIC", "-shared", "-ldl"];
    oracle::compiled(&[source], "endings/libsteps.so", &flags)
}

fn check(scratch: &Scratch, pid: u32) -> Result<()> {
    let run = scratch.only_run()?;
    let said = own_counts::check(scratch, pid, std::slice::from_ref(&run))?;
    ensure!(said.is_empty(), "recorded\n{said}");
    let export = Product::find()?.export(&run)?;
    ensure!(number(&export, "/lost")? == 0, "{export}");
    let said = own_counts::check(scratch, pid, std::slice::from_ref(&run))?;
    ensure!(said.is_empty(), "after the export\n{said}");
    Ok(())
}
