//! Programs that change what the tool stands on (descriptors, folders, rights, limits, the process itself): they
//! notice nothing of it, and all that they counted is in the recording.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::extent;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::number;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, Scratch};
use ompttrace_tests::{build, own_counts};

/// Changes that the program makes to its process, the number of processes that count, and true if the program itself can close
/// and export the recording.
const UPHEAVALS: &[(&str, usize, bool)] = &[
    ("closes", 1, true),
    ("closes during", 1, true),
    ("folder", 1, true),
    ("root", 1, false),
    ("rights", 1, false),
    ("mask", 1, true),
    ("descriptors", 1, false),
    ("daemon", 2, true),
    ("stopped", 1, true),
    ("traced", 1, true),
    ("leaps", 1, true),
    ("small stacks", 1, true),
];

#[test]
fn all_upheavals_on_libomp() -> Result<()> {
    check_all(&runtimes::libomp_19()?, UPHEAVALS.iter())
}

#[cfg(target_arch = "x86_64")]
#[test]
fn all_upheavals_on_intels_runtime() -> Result<()> {
    check_all(&runtimes::by_name("intel-2026")?, extent::some(UPHEAVALS, 3))
}

fn check_all<'u>(
    runtime: &Runtime,
    upheavals: impl Iterator<Item = &'u (&'static str, usize, bool)>,
) -> Result<()> {
    for (what, processes, closes) in upheavals {
        let mut program = programs::of_test("tests/upheavals/upheavals.c")?;
        program.directives.args = vec![what.to_string()];
        program.inputs.push(build::root().join("tests/programs/counted.h"));
        let alone = run(&program, runtime, &Scratch::new()?, |_| Ok(()))?;
        ensure!(alone.ended_by(program.directives.end), "{what:?} alone {alone:?}");
        for by in [By::Runtime, By::Preload] {
            let scratch = Scratch::new()?;
            let traced = run(&program, runtime, &scratch, |command| scratch.attach(command, by))?;
            check(&alone, &traced, *closes)
                .and_then(|()| check_runs(&scratch, *processes))
                .with_context(|| format!("{what:?}, {}, {by:?}: {traced:?}", runtime.name))?;
        }
    }
    Ok(())
}

fn run(
    program: &Program,
    runtime: &Runtime,
    scratch: &Scratch,
    trace: impl FnOnce(&mut Command) -> Result<()>,
) -> Result<Finished> {
    let mut command = program.command(runtime)?;
    own_counts::attach(&mut command, scratch);
    command.current_dir(scratch.path());
    trace(&mut command)?;
    process::run(&mut command, program.directives.timeout)
}

fn check(alone: &Finished, traced: &Finished, closes: bool) -> Result<()> {
    ensure!(traced.status == alone.status && traced.stdout == alone.stdout, "alone {alone:?}");
    let ours = traced.stderr.strip_prefix(&alone.stderr).context("other words on stderr")?;
    ensure!(ours.lines().all(|line| line.starts_with("ompttrace: ")), "not ours");
    if closes {
        // As it is called from where the program was started, wherever it went.
        let found = ours.lines().filter(|line| line.starts_with("ompttrace: run.")).count();
        // One thread's descriptor may have become another's file while all were being closed.
        let replaced = ours.lines().filter(|line| line.contains("replaced this tool's")).count();
        ensure!(found + replaced == ours.lines().count(), "said to be where nobody can find it");
        // A daemon has closed its stderr.
        ensure!(found <= 1 && !ours.contains("lost and counted"), "too many words");
    } else {
        // After a chroot the facts are in the folder all the same, whose descriptor was kept.
        let is_written = !ours.contains("cannot be updated");
        ensure!(is_written || ours.contains("it lacks 0 lost records "), "facts");
        ensure!(ours.contains("run `ompttrace export "), "nobody knows what to do");
    }
    Ok(())
}

fn check_runs(scratch: &Scratch, processes: usize) -> Result<()> {
    let pids = own_counts::pids(scratch)?;
    ensure!(pids.len() == processes, "{pids:?} counted");
    for pid in pids {
        let runs = scratch.runs_of(pid.into());
        let [run] = &runs[..] else { anyhow::bail!("process {pid} has {runs:?}") };
        let said = own_counts::check(scratch, pid, &runs)?;
        ensure!(said.is_empty(), "process {pid}\n{said}");
        let mut judged = Judged::open(run)?;
        let faults = judged.judge().stats_errors()?;
        ensure!(faults.is_empty(), "{faults:?}");
        ensure!(number(&judged.export, "/lost")? == 0, "{}", judged.export);
        let said = own_counts::check(scratch, pid, &runs)?;
        ensure!(said.is_empty(), "process {pid}, after the export\n{said}");
    }
    let pools = traced::pools_in_memory(scratch)?;
    ensure!(pools.is_empty(), "left: {pools:?}");
    Ok(())
}
