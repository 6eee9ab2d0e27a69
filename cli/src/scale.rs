//! `ompttrace scale`: records a program with increasing numbers of threads, and reports the constructs that stop
//! scaling; or with increasing numbers of ranks (`ranks`).

mod ranks;

use crate::arguments::{Part, ScaleArguments};
use crate::{compare, report, say};
use anyhow::{Context, Result, bail};
use ompttrace_report::{Report, html, scale};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;

pub fn run(arguments: &ScaleArguments) -> Result<()> {
    if !arguments.ranks.is_empty() {
        return ranks::run(arguments);
    }
    let threads = threads(arguments);
    let folder = Folder::new(arguments.keep.as_deref())?;
    let mut runs: Vec<(u32, Vec<Report>)> =
        threads.iter().map(|threads| (*threads, Vec::new())).collect();
    // All numbers of threads in turn: what else the machine does meets all of them alike.
    for repetition in 1..=arguments.repeat {
        for (threads, reports) in &mut runs {
            let output = folder.path().join(format!("threads-{threads}.run-{repetition}"));
            record(arguments, *threads, &output)?;
            reports.push(report::of(&output, Part::Whole, true)?);
            folder.done_with(&output)?;
        }
    }
    let scaling = scale::scaling(&runs);
    if let Some(file) = &arguments.html {
        compare::page(&html::scaling(&scaling, arguments.top.max(1))?, file)?;
    }
    if arguments.json {
        return say::json(&scaling);
    }
    say::coloured(&scale::text::render(&scaling, arguments.top, say::width()))
}

/// The numbers of threads that were requested, or the powers of two up to the number of cores, and that number.
fn threads(arguments: &ScaleArguments) -> Vec<u32> {
    let mut threads = arguments.threads.clone();
    if threads.is_empty() {
        let cores = available_parallelism().map_or(1, |cores| cores.get() as u32);
        threads.extend((0..32).map(|power| 1 << power).take_while(|threads| *threads < cores));
        threads.push(cores);
    }
    in_order(&threads)
}

/// Numbers in their order, each once.
fn in_order(numbers: &[u32]) -> Vec<u32> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Runs the program once with this many threads, as `ompttrace run` does.
fn record(arguments: &ScaleArguments, threads: u32, output: &Path) -> Result<()> {
    let myself = std::env::current_exe().context("the path of this program")?;
    let mut command = Command::new(myself);
    command.args(["run", "--quiet", "--format", "recording", "--output"]).arg(output);
    command.arg("--").args(&arguments.program).env("OMP_NUM_THREADS", threads.to_string());
    if arguments.json {
        command.stdout(std::io::stderr());
    }
    let status = command.status().context("cannot start ompttrace run")?;
    if !status.success() {
        bail!("with {threads} threads the program ended with {status}");
    }
    if !output.is_dir() {
        bail!("no recording with {threads} threads: `ompttrace doctor` says why");
    }
    Ok(())
}

/// Folder for the recordings, which are kept or removed as soon as they are read.
enum Folder {
    Kept(PathBuf),
    Passing(tempfile::TempDir),
}

impl Folder {
    fn new(kept: Option<&Path>) -> Result<Folder> {
        match kept {
            Some(folder) => {
                fs::create_dir(folder).with_context(|| say::shown(folder))?;
                Ok(Folder::Kept(folder.to_owned()))
            }
            None => Ok(Folder::Passing(tempfile::tempdir().context("a folder for recordings")?)),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Folder::Kept(folder) => folder,
            Folder::Passing(folder) => folder.path(),
        }
    }

    fn done_with(&self, run: &Path) -> Result<()> {
        match self {
            Folder::Kept(_) => Ok(()),
            Folder::Passing(_) => fs::remove_dir_all(run).with_context(|| say::shown(run)),
        }
    }
}
