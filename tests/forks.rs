//! Forked, spawned and cloned processes: one that uses OpenMP has a recording of its own with nothing
//! of another's in it, and one that does not leaves nothing behind.

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

/// Time of the fork, way of the fork, and number of processes that call OpenMP, including the first one.
type Case = (&'static str, &'static str, usize);

const CASES: &[Case] = &[
    ("before", "idle", 1),
    ("before", "idle _exit", 1),
    ("before", "exec idle", 1),
    ("before", "exec", 2),
    ("before", "region", 2),
    ("before", "serial", 2),
    ("before", "deep", 3),
    ("before", "killed", 2),
    ("before", "vfork", 1),
    ("before", "posix_spawn", 2),
    ("before", "system", 2),
    ("between", "idle", 1),
    ("between", "idle _exit", 1),
    ("between", "exec idle", 1),
    ("between", "exec", 2),
    ("between", "region", 2),
    ("between", "serial", 2),
    ("between", "killed", 2),
    ("between", "deep", 3),
    ("between", "vfork", 1),
    ("between", "vfork exec", 2),
    ("between", "posix_spawn", 2),
    ("between", "system", 2),
    ("between", "clone", 2),
    ("twice", "region", 3),
    ("twice", "deep", 5),
    ("inside", "idle _exit", 1),
    ("inside", "exec idle", 1),
    ("inside", "exec", 2),
    ("inside", "serial", 2),
    ("inside", "vfork exec", 2),
    ("inside", "posix_spawn", 2),
    ("inside", "system", 2),
];

#[test]
fn each_process_has_its_own_on_libomp() -> Result<()> {
    check_all(&runtimes::libomp_19()?, CASES.iter())
}

#[cfg(target_arch = "x86_64")]
#[test]
fn each_process_has_its_own_on_intels_runtime() -> Result<()> {
    check_all(&runtimes::by_name("intel-2026")?, extent::some(CASES, 4))
}

/// libgomp's threads do not come along: a child hangs in a region if its parent had one before, which
/// these cases have.
fn hangs_on_libgomp(when: &str, how: &str) -> bool {
    how == "deep" || (when != "before" && ["region", "killed"].contains(&how))
}

#[test]
fn each_process_has_its_own_on_libgomp() -> Result<()> {
    for case in CASES.iter().filter(|(when, how, _)| !hangs_on_libgomp(when, how)) {
        check(case, None, &[By::Gomp]).with_context(|| format!("{case:?} on libgomp"))?;
    }
    Ok(())
}

fn check_all<'c>(runtime: &Runtime, mut cases: impl Iterator<Item = &'c Case>) -> Result<()> {
    cases.try_for_each(|case| {
        check(case, Some(runtime), &[By::Runtime, By::Preload])
            .with_context(|| format!("{case:?}, {}", runtime.name))
    })
}

/// No runtime: the program is built by GCC, and runs on the one that it is linked with.
fn check(
    (when, how, processes): &(&str, &str, usize),
    runtime: Option<&Runtime>,
    ways: &[By],
) -> Result<()> {
    let mut program = programs::of_test("tests/forks/forks.c")?;
    if runtime.is_none() {
        program = program.by_gcc();
    }
    program.directives.args = vec![when.to_string(), how.to_string()];
    program.inputs.push(build::root().join("tests/programs/counted.h"));
    let alone = run(&program, runtime, &Scratch::new()?, |_| Ok(()))?;
    ensure!(alone.ended_by(program.directives.end), "alone {alone:?}");
    for by in ways {
        let scratch = Scratch::new()?;
        let traced = run(&program, runtime, &scratch, |command| scratch.attach(command, *by))?;
        check_traced(&alone, &traced, &scratch, *processes).with_context(|| format!("{by:?}"))?;
    }
    Ok(())
}

fn check_traced(
    alone: &Finished,
    traced: &Finished,
    scratch: &Scratch,
    processes: usize,
) -> Result<()> {
    ensure!(traced.status == alone.status, "{traced:?}, alone {alone:?}");
    ensure!(traced.stdout == alone.stdout, "{traced:?}, alone {alone:?}");
    // The runtime has words of its own on forks in a region.
    let more: Vec<_> = traced.stderr.lines().filter(|line| !line.starts_with("OMP: ")).collect();
    let ours = more.iter().filter(|line| line.starts_with("ompttrace: ")).count();
    ensure!(more.len() == ours && ours <= processes, "{}", traced.stderr);
    check_runs(scratch, processes).with_context(|| traced.stderr.clone())
}

fn run(
    program: &Program,
    runtime: Option<&Runtime>,
    scratch: &Scratch,
    trace: impl FnOnce(&mut Command) -> Result<()>,
) -> Result<Finished> {
    let mut command = match runtime {
        Some(runtime) => program.command(runtime)?,
        None => program.command_as_linked()?,
    };
    own_counts::attach(&mut command, scratch);
    trace(&mut command)?;
    process::run(&mut command, program.directives.timeout)
}

/// Every process that counted has one run folder with what it counted, and nobody else has one.
fn check_runs(scratch: &Scratch, processes: usize) -> Result<()> {
    let folders = scratch.names()?.into_iter().filter(|name| name.starts_with("run.")).count();
    let mut checked = 0;
    for pid in own_counts::pids(scratch)? {
        if own_counts::read(scratch, pid).is_err() {
            continue;
        }
        let runs = scratch.runs_of(pid.into());
        ensure!(runs.len() == 1, "process {pid} has {runs:?}");
        let said = own_counts::check(scratch, pid, &runs)?;
        ensure!(said.is_empty(), "process {pid}\n{said}");
        let mut judged = Judged::open(&runs[0])?;
        let faults = judged.judge().stats_errors()?;
        ensure!(faults.is_empty(), "{faults:?}");
        ensure!(
            number(&judged.info, "/process/pid")? == u64::from(pid),
            "{}",
            judged.info["process"]
        );
        checked += 1;
    }
    ensure!(checked == processes, "{checked} processes counted");
    ensure!(folders == processes, "{folders} run folders");
    let pools = traced::pools_in_memory(scratch)?;
    ensure!(pools.is_empty(), "left: {pools:?}");
    Ok(())
}
