//! `ompttrace scale --ranks`: records a program as jobs of so many MPI ranks and threads, and reports their efficiencies.

use super::{Folder, in_order};
use crate::arguments::ScaleArguments;
use crate::job::{self, Job};
use crate::jobs::Jobs;
use crate::{compare, say};
use anyhow::{Context, Result, bail};
use ompttrace_report::job::{JobReport, scale};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;

pub fn run(arguments: &ScaleArguments) -> Result<()> {
    let threads = match &arguments.threads[..] {
        [] => vec![1],
        threads => in_order(threads),
    };
    let sizes = in_order(&arguments.ranks);
    let sizes = sizes.iter().flat_map(|ranks| threads.iter().map(|threads| (*ranks, *threads)));
    let mut jobs: Vec<((u32, u32), Vec<JobReport>)> =
        sizes.map(|size| (size, Vec::new())).collect();
    let folder = Folder::new(arguments.keep.as_deref())?;
    // All sizes in turn, as with threads alone.
    for repetition in 1..=arguments.repeat {
        for ((ranks, threads), reports) in &mut jobs {
            let name = format!("ranks-{ranks}.threads-{threads}.run-{repetition}.ompttrace");
            let output = folder.path().join(name);
            record(arguments, (*ranks, *threads), &output)?;
            reports.push(report((*ranks, *threads), &output)?);
            folder.done_with(&output)?;
        }
    }
    let executable = arguments.program.first().map(|name| name.to_string_lossy().into_owned());
    let cores = available_parallelism().ok().map(|cores| cores.get() as u32);
    let scaling = scale::scaling(&executable.unwrap_or_default(), &jobs, cores);
    if let Some(file) = &arguments.html {
        compare::page(&scale::page(&scaling), file)?;
    }
    match arguments.json {
        true => say::json(&scaling),
        false => say::coloured(&scale::render(&scaling, say::width())),
    }
}

/// Runs the program once as a job of so many ranks and threads.
fn record(arguments: &ScaleArguments, (ranks, threads): (u32, u32), output: &Path) -> Result<()> {
    let mut words = arguments.launcher.split_whitespace();
    let Some(launcher) = words.next() else {
        bail!("--launcher: no command; give that which starts MPI ranks, such as mpirun");
    };
    let myself = std::env::current_exe().context("the path of this program")?;
    let mut command = Command::new(launcher);
    command.args(words).args(["-n", &ranks.to_string()]).arg(myself);
    command
        .args(["run", "--quiet", "--format", "recording", "--output"])
        .arg(output.join("rank.%r"));
    command.arg("--").args(&arguments.program).env("OMP_NUM_THREADS", threads.to_string());
    if arguments.json {
        command.stdout(std::io::stderr());
    }
    std::fs::create_dir(output).with_context(|| say::shown(output))?;
    let status = match command.status() {
        Ok(status) => status,
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "--ranks: no program {} in PATH; name the command that starts MPI ranks with --launcher",
            say::harmless(launcher)
        ),
        Err(error) => return Err(error).with_context(|| say::harmless(launcher)),
    };
    if !status.success() {
        bail!("with {} {} ended with {status}", size((ranks, threads)), say::harmless(launcher));
    }
    Ok(())
}

/// The report of a job that has as many ranks as were asked for.
fn report((ranks, threads): (u32, u32), output: &Path) -> Result<JobReport> {
    let size = size((ranks, threads));
    let Some(job) = Job::at(output)? else {
        bail!("no recording with {size}: `ompttrace doctor` says why");
    };
    if (job.size, job.ranks.len()) != (ranks, ranks as usize) {
        bail!(
            "with {size} there are recordings of {} of {} ranks: is the launcher that of the program's MPI?",
            job.ranks.len(),
            job.size
        );
    }
    job::report::of(&job, Jobs::default().count(), false)
}

/// A number of ranks and threads in words.
fn size((ranks, threads): (u32, u32)) -> String {
    let words = |number: u32, word: &str| match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    };
    format!("{} of {}", words(ranks, "rank"), words(threads, "thread"))
}
