//! Every ending on each runtime, with the tool loaded in each way: the program ends as it would
//! without us, and what it had counted for itself until then is in the recording and can be judged
//! as a trace.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, Scratch};
use ompttrace_tests::{build, extent, oracle, otf2_judge, own_counts};
use serde_json::Value;

use super::Left;

/// The program, its argument, and what is left of a traced run.
pub type Ending = (&'static str, &'static str, Left);

pub const ENDS: &str = "ends.c";
const ENDINGS: &[Ending] = &[
    (ENDS, "return", Left::All),
    (ENDS, "exit", Left::All),
    (ENDS, "exit in primary", Left::Cut),
    (ENDS, "exit in worker", Left::Cut),
    (ENDS, "_exit", Left::Recording),
    (ENDS, "quick_exit", Left::Recording),
    (ENDS, "abort", Left::Recording),
    (ENDS, "SIGTERM", Left::Recording),
    (ENDS, "SIGINT", Left::Recording),
    (ENDS, "SIGSEGV", Left::Recording),
    (ENDS, "exec", Left::Recording),
    (ENDS, "root lives", Left::All),
    (ENDS, "pause soft", Left::All),
    (ENDS, "pause hard", Left::All),
    (ENDS, "control end", Left::All),
    // Hangs on its own too, and is then killed.
    (ENDS, "pthread_exit", Left::Recording),
    ("throws.cpp", "", Left::Recording),
    ("unloads.c", "", Left::All),
    ("children.c", "prints", Left::All),
    ("children.c", "ends", Left::All),
    ("children.c", "ignores", Left::All),
    ("children.c", "blocks", Left::All),
];

/// Time limit of a program that ends.
pub const LIMIT: Duration = Duration::from_secs(20);
/// Time after the first output of a program that hangs, which it prints when its work is done, until it is killed.
const PATIENCE: Duration = Duration::from_secs(2);

#[test]
fn every_ending_on_libomp() -> Result<()> {
    ENDINGS.iter().try_for_each(|ending| check(ending, &runtimes::libomp_19()?))
}

#[cfg(target_arch = "x86_64")]
#[test]
fn every_ending_on_intels_runtime() -> Result<()> {
    let runtime = runtimes::by_name("intel-2026")?;
    // There a program with a root thread that lives on crashes in one of a hundred runs, by any tool that takes its time when a thread
    // ends (docs/decisions/runtime-defects.md).
    let endings: Vec<_> = ENDINGS.iter().filter(|ending| ending.1 != "root lives").collect();
    extent::some(&endings, 4).try_for_each(|ending| check(ending, &runtime))
}

fn check(ending: &Ending, runtime: &Runtime) -> Result<()> {
    let program = program(ending)?;
    let alone = run(&program, runtime, &Scratch::new()?, None)?;
    for by in [By::Runtime, By::Preload] {
        let scratch = Scratch::new()?;
        let traced = run(&program, runtime, &scratch, Some(by))?;
        check_run(ending.2, &alone, &traced, &scratch, by)
            .with_context(|| format!("{} {:?}, {}, {by:?}", ending.0, ending.1, runtime.name))?;
    }
    Ok(())
}

pub fn program(ending: &Ending) -> Result<Program> {
    let mut program = programs::of_test(&format!("tests/endings/{}", ending.0))?;
    program.directives.args = vec![ending.1.to_string()];
    program.inputs.push(build::root().join("tests/programs/counted.h"));
    Ok(program)
}

fn run(
    program: &Program,
    runtime: &Runtime,
    scratch: &Scratch,
    by: Option<By>,
) -> Result<Finished> {
    let mut command = command(program, runtime, scratch)?;
    if let Some(by) = by {
        scratch.attach(&mut command, by)?;
    }
    if program.directives.args == ["pthread_exit"] {
        return process::run_hanging(&mut command, LIMIT, PATIENCE);
    }
    process::run(&mut command, LIMIT)
}

pub fn command(program: &Program, runtime: &Runtime, scratch: &Scratch) -> Result<Command> {
    let mut command = program.command(runtime)?;
    own_counts::attach(&mut command, scratch);
    let source = build::root().join("tests/endings/plugin.c");
    let flags = ["-g", "-O1", "-fopenmp", "-fPIC", "-shared"];
    command.env("PLUGIN", oracle::compiled(&[source], "endings/libplugin.so", &flags)?);
    Ok(command)
}

fn check_run(
    left: Left,
    alone: &Finished,
    traced: &Finished,
    scratch: &Scratch,
    by: By,
) -> Result<()> {
    ensure!(traced.status == alone.status, "{traced:?}, alone {alone:?}");
    ensure!(traced.stdout == alone.stdout, "{:?}, alone {:?}", traced.stdout, alone.stdout);
    let ours = traced.stderr.strip_prefix(&alone.stderr).context("other words on stderr")?;
    let lines = usize::from(left != Left::Recording);
    ensure!(
        ours.lines().count() == lines && ours.matches("ompttrace: ").count() == lines,
        "{ours}"
    );
    let is_cut = ours.contains("cut where the program ended");
    ensure!(is_cut == (left == Left::Cut), "{ours}");
    let runs = scratch.runs_of(traced.pid.into());
    let [run] = &runs[..] else { anyhow::bail!("not one run folder: {runs:?}") };
    let info = Product::find()?.info(run)?;
    let over = [&info["finalized"], &info["closed"]].map(|said| said == true);
    ensure!(over == [left == Left::All; 2], "finalized, closed: {over:?}");
    let pool = traced::pool_of(run)?.context("a run has a pool")?;
    ensure!(pool.exists() == (left != Left::All), "{}", pool.display());
    if left != Left::Recording {
        check_own_trace(run)?;
    }
    // A program that hangs has reported its last event before.
    let during_work = left != Left::All && alone.status.is_some();
    check_recording(scratch, traced.pid, during_work)?;
    // What the tool got in by makes no difference to what reads its recordings: one format each.
    match by {
        By::Runtime => check_drawn(scratch, traced.pid, &mut Judged::exact(run)?),
        _ if during_work => check_archives(run),
        _ => Ok(()),
    }
}

/// The trace that the process made itself while it ended.
fn check_own_trace(run: &Path) -> Result<()> {
    let mut judged = Judged::of(&run.join("trace.pftrace"), Value::Null, Value::Null)?;
    let faults = judged.judge().stats_errors()?;
    ensure!(faults.is_empty(), "its own trace: {faults:?}");
    let slices = judged.count("select count(*) from slice")?;
    ensure!(slices > 0, "nothing is in its own trace");
    Ok(())
}

/// The program's own counts against the recording, before and after its buffers were moved, and a
/// trace without a fault.
fn check_recording(scratch: &Scratch, pid: u32, during_work: bool) -> Result<()> {
    let runs = scratch.runs_of(pid.into());
    let said = own_counts::check(scratch, pid, &runs)?;
    ensure!(said.is_empty(), "recorded\n{said}");
    for run in &runs {
        let pool = traced::pool_of(run)?.context("a run has a pool")?;
        let mut judged = Judged::open(run)?;
        let faults = judged.judge().stats_errors()?;
        ensure!(faults.is_empty(), "{faults:?}");
        ensure!(number(&judged.export, "/lost")? == 0, "{}", judged.export);
        let cut = number(&judged.export, "/truncated")?;
        ensure!(cut > 0 || !during_work, "nothing is marked as cut");
        ensure!(!pool.exists(), "{} is still there", pool.display());
    }
    let said = own_counts::check(scratch, pid, &runs)?;
    ensure!(said.is_empty(), "after the export\n{said}");
    Ok(())
}

/// Each thread's critical sections are drawn, as many as it counted.
fn check_drawn(scratch: &Scratch, pid: u32, judged: &mut Judged) -> Result<()> {
    for (thread, own) in own_counts::read(scratch, pid)? {
        let drawn = judged.count(&format!(
            "select count(*) from slice s join thread_track t on t.id = s.track_id \
             join thread using (utid) where tid = {thread} and what(s.name) glob 'wait: critical*'"
        ))?;
        ensure!((own.done..=own.begun).contains(&drawn), "thread {thread}: {drawn} of {own:?}");
    }
    Ok(())
}

/// Archives of a truncated recording are complete for OTF2's readers.
fn check_archives(run: &Path) -> Result<()> {
    let mut export = Command::new(Product::find()?.program);
    export.args(["export", "--json", "--format", "otf2", "--view", "both"]).arg(run);
    let said: Value = serde_json::from_slice(&build::run(&mut export, "")?)?;
    let archives: Vec<&str> =
        said["traces"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    ensure!(archives.len() == 2, "{said}");
    for archive in archives {
        otf2_judge::check(Path::new(archive).parent().context("a folder")?)?;
    }
    Ok(())
}
