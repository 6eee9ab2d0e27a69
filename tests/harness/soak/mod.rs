//! Random programs, each checked for exactness: `plan` says what a seed stands for, `judge` looks at
//! what a run left, and here one is run.

mod group;
mod judge;
mod plan;

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fmt, fs};

use anyhow::{Context, Result, ensure};

use crate::oracle::Counts;
use crate::process::{self, Finished};
use crate::programs::{self, Program};
use crate::runtimes::{self, Runtime};
use crate::traced::{RECORD_ONLY, Scratch};
use crate::{build, own_counts};
pub use plan::Plan;

/// A run that takes longer hangs, where each thread that wants a core has one.
const LIMIT: Duration = Duration::from_secs(40);
const FOLDER: &str = "tests/soak";

/// Result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The plan of the run.
    pub plan: Plan,
    /// Faults, one per line; empty if there are none.
    pub said: String,
    /// Folder of the run, which is kept if it has faults.
    pub kept: Option<PathBuf>,
    /// Number of callbacks that returned, in all processes of the run.
    pub events: u64,
    /// Number of processes with a runtime that called the tool.
    pub processes: usize,
    /// Failure of the program without the tool, which excuses the faults; None if it does not fail.
    pub alone: Option<Alone>,
}

/// Failure of a program without the tool, by its own fault or its runtime's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// The program does not end.
    Hangs,
    /// The program ends in a different way than planned.
    Fails,
}

impl fmt::Display for Alone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Alone::Hangs => "hangs without the tool too",
            Alone::Fails => "fails without the tool too",
        })
    }
}

/// Runtimes on which a seed is tried.
pub fn runtimes() -> Result<Vec<Runtime>> {
    let intel = cfg!(target_arch = "x86_64").then_some("intel-2026");
    ["libomp-19"].into_iter().chain(intel).map(runtimes::by_name).collect()
}

/// Runs the program of a plan and looks at all it left.
pub fn run(plan: Plan, runtime: &Runtime) -> Result<Outcome> {
    let (program, scratch) = (program(&plan)?, Scratch::new()?);
    let run = traced(&plan, &program, runtime, &scratch)?;
    let mut said = judge::ending(&plan, &run);
    let alone = if said.is_empty() { None } else { alone(&plan, &program, runtime)? };
    if said.is_empty() {
        said =
            judge::left(&plan, &run, &scratch).unwrap_or_else(|error| format!("    {error:#}\n"));
    }
    let counts = scratch.counts().unwrap_or_default();
    let returned =
        |one: &Counts| one.events.values().map(|event| event.returned.sum()).sum::<u64>();
    let is_wrong = !said.is_empty() && alone.is_none();
    Ok(Outcome {
        plan,
        said,
        kept: is_wrong.then(|| scratch.keep()),
        events: counts.iter().map(returned).sum(),
        processes: counts.len(),
        alone,
    })
}

/// Runs the program of a plan for its recordings alone: no trace is made, and nothing is judged.
pub fn record(mut plan: Plan, runtime: &Runtime) -> Result<Scratch> {
    plan.settings.retain(|(name, _)| *name != RECORD_ONLY.0);
    plan.settings.push((RECORD_ONLY.0, RECORD_ONLY.1.to_owned()));
    let (program, scratch) = (program(&plan)?, Scratch::new()?);
    traced(&plan, &program, runtime, &scratch)?;
    Ok(scratch)
}

/// The one program of all seeds.
fn program(plan: &Plan) -> Result<Program> {
    let mut program = programs::of_test(&format!("{FOLDER}/soak.c"))?;
    let include = build::root().join("tracer/tool/include");
    for entry in fs::read_dir(build::root().join(FOLDER))? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == "c") && path != program.source {
            program.before.push(path);
        } else {
            program.inputs.push(path);
        }
    }
    program.inputs.push(build::root().join("tests/programs/counted.h"));
    program.inputs.push(include.join("ompttrace.h"));
    program.directives.flags.push(format!("-I{}", include.display()));
    program.directives.args =
        vec![plan.seed.to_string(), plan.ending.name.to_string(), plan.allowed.clone()];
    Ok(program)
}

fn traced(
    plan: &Plan,
    program: &Program,
    runtime: &Runtime,
    scratch: &Scratch,
) -> Result<Finished> {
    let mut command = command(plan, program, runtime)?;
    scratch.attach(&mut command, plan.by)?;
    command.envs(plan.settings.iter().cloned()).current_dir(scratch.path());
    if plan.counts_itself() {
        own_counts::attach(&mut command, scratch);
    }
    match plan.killed_after {
        None => {
            run_to_its_end(&mut command, limit(), &mut |group| group::keep_stacks(group, scratch))
        }
        Some(pause) => run_and_kill(&mut command, scratch, pause),
    }
}

/// [`LIMIT`] on this machine now: whoever yields in a storm lets all others go first.
fn limit() -> Duration {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    LIMIT.mul_f64(f64::max(1.0, load / cores))
}

fn command(plan: &Plan, program: &Program, runtime: &Runtime) -> Result<Command> {
    let mut command = program.command(runtime)?;
    command.envs(plan.environment.iter().copied()).process_group(0);
    Ok(command)
}

/// Whoever is left of a program that hangs is ended with it, after a look at all of them.
fn run_to_its_end(
    command: &mut Command,
    limit: Duration,
    look: &mut dyn FnMut(u32),
) -> Result<Finished> {
    let mut run = process::run_looking(command, limit, look)?;
    // A team thread that calls exit() waits for no child of another.
    if !group::ends(run.pid, if run.status.is_some() { limit } else { Duration::ZERO })? {
        group::kill(run.pid)?;
        run.status = None;
    }
    Ok(run)
}

/// Waits until it has reported an event, and kills it a little later.
fn run_and_kill(command: &mut Command, scratch: &Scratch, pause: Duration) -> Result<Finished> {
    let said = scratch.path().join("said");
    let output = fs::File::create(&said)?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let (mut child, started) = (command.spawn()?, Instant::now());
    let has_begun = |pid| {
        let counts = Counts::read(&scratch.counts_file(pid));
        counts.is_ok_and(|counts| counts.event("thread_begin").returned.sum() > 0)
    };
    while !has_begun(child.id()) && child.try_wait()?.is_none() && started.elapsed() < LIMIT {
        sleep(Duration::from_millis(1));
    }
    sleep(pause);
    child.kill()?;
    let status = child.wait()?;
    ensure!(started.elapsed() < LIMIT, "no events came");
    let said = fs::read_to_string(&said).context("what it said")?;
    let (pid, status, elapsed) = (child.id(), Some(status), started.elapsed());
    Ok(Finished { pid, status, stdout: String::new(), stderr: said, elapsed })
}

/// Runtimes have faults of their own, and few of them at every time.
fn alone(plan: &Plan, program: &Program, runtime: &Runtime) -> Result<Option<Alone>> {
    const TIMES: usize = 8;
    for _ in 0..TIMES {
        // What does not end by itself shall at least not do so before.
        let limit = if plan.killed_after.is_some() { Duration::from_secs(2) } else { limit() };
        let run = run_to_its_end(&mut command(plan, program, runtime)?, limit, &mut |_| {})?;
        match run.status {
            None if plan.killed_after.is_some() => {}
            None => return Ok(Some(Alone::Hangs)),
            Some(_) if judge::ending(plan, &run).is_empty() => {}
            Some(_) => return Ok(Some(Alone::Fails)),
        }
    }
    Ok(None)
}
