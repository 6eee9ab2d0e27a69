//! A kill at any instant, from the first callback on to the end of the exporter, and in the midst of
//! the recovery after that: what the program had counted for itself is in the recording.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{self, By, Scratch};
use ompttrace_tests::{own_counts, runtimes};

use super::matrix::{ENDS, LIMIT, command, program};
use super::{Left, kills, some_number};

#[test]
fn in_the_midst_of_work() -> Result<()> {
    rounds("killed", |_, scratch, child| {
        wait_for_counts(scratch, child)?;
        sleep(Duration::from_micros(some_number() % 40_000));
        Ok(())
    })
}

/// The program is killed at a random time; in every other round the time begins when it records events, so that these rounds
/// are checked.
#[test]
fn from_the_beginning_to_the_end() -> Result<()> {
    rounds("return", |round, scratch, child| {
        if round % 2 == 0 {
            wait_for_counts(scratch, child)?;
        }
        sleep(Duration::from_micros(some_number() % 120_000));
        Ok(())
    })
}

fn wait_for_counts(scratch: &Scratch, child: &Child) -> Result<()> {
    let started = Instant::now();
    while own_counts::read(scratch, child.id()).is_err() {
        ensure!(started.elapsed() < LIMIT, "it does not begin");
        sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn rounds(how: &'static str, wait: impl Fn(usize, &Scratch, &Child) -> Result<()>) -> Result<()> {
    let mut checked = 0;
    let program = program(&(ENDS, how, Left::Recording))?;
    let intel = if cfg!(target_arch = "x86_64") { "intel-2026" } else { "libomp-19" };
    for round in 0..kills() {
        let by = [By::Runtime, By::Preload][round % 2];
        let runtime = runtimes::by_name(["libomp-19", intel][round / 2 % 2])?;
        let buffer = ["16K", "4K", "4K@run", "64K"][round / 4 % 4];
        let scratch = Scratch::new()?;
        let mut command = command(&program, &runtime, &scratch)?;
        scratch.attach(&mut command, by)?;
        command.env("OMPTTRACE_BUFFER", buffer).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let waited = wait(round, &scratch, &child);
        child.kill()?;
        child.wait()?;
        // Whoever was killed before it counted anything has nothing to lose.
        let counted = own_counts::read(&scratch, child.id()).is_ok();
        checked += usize::from(counted);
        waited
            .and_then(|()| if counted { check_killed(&scratch, child.id()) } else { Ok(()) })
            .with_context(|| format!("{how}, round {round}: {by:?} {} {buffer}", runtime.name))?;
    }
    ensure!(checked >= kills() / 2, "{checked} of {} had counted anything", kills());
    Ok(())
}

fn check_killed(scratch: &Scratch, pid: u32) -> Result<()> {
    let run = scratch.only_run()?;
    // The exporter is a process of its own and may still be at work.
    let said = own_counts::check(scratch, pid, std::slice::from_ref(&run))?;
    ensure!(said.is_empty(), "recorded\n{said}");
    kill_exporters(&run)?;
    let faults = Judged::open(&run)?.judge().stats_errors()?;
    ensure!(faults.is_empty(), "{faults:?}");
    let said = own_counts::check(scratch, pid, std::slice::from_ref(&run))?;
    ensure!(said.is_empty(), "after the export\n{said}");
    let pool = traced::pool_of(&run)?.context("a run has a pool")?;
    ensure!(pool.starts_with(fs::canonicalize(&run)?) || !pool.exists(), "{}", pool.display());
    Ok(())
}

/// Exports that are killed on their way: what they have moved and named so far is whole.
fn kill_exporters(run: &Path) -> Result<()> {
    for _ in 0..2 {
        let mut export = Command::new(Product::find()?.program);
        export.arg("export").arg(run).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = export.spawn()?;
        sleep(Duration::from_micros(some_number() % 10_000));
        child.kill()?;
        child.wait()?;
    }
    Ok(())
}
