//! Kernels whose pages are 16 or 64 KiB: what such a kernel says and refuses is put between the program and this one
//! (`large_pages/kernel.c`), so that it is the product that ships which is tried. To the last event, across forks and
//! kills; and a recording is read alike wherever it was made and whatever a page is where it is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_recording::pool::header;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::traced::{self, By, Scratch};
use ompttrace_tests::{build, exactness, oracle, own_counts, process, runtimes};

/// Programs that use threads, blocks and chunks by the dozen, fork, and end in different ways.
const PROGRAMS: [&str; 6] = [
    "c/many_events",
    "c/many_roots",
    "c/nested",
    "c/fork_parallel",
    "c/fork_in_region",
    "c/exit_in_worker",
];
/// Sizes of a page in KiB; one of them is this machine's own.
const PAGES: [usize; 3] = [4, 16, 64];

/// Puts the other kernel below a command.
fn put_on_pages(command: &mut Command, kib: usize) -> Result<()> {
    let source = build::root().join("tests/large_pages/kernel.c");
    let flags = ["-g", "-O1", "-fPIC", "-shared"];
    let kernel = oracle::compiled(&[source], "large_pages/kernel.so", &flags)?;
    runtimes::prepend(command, "LD_PRELOAD", &kernel);
    command.env("PAGE_KIB", kib.to_string());
    Ok(())
}

/// Runs a program with the smallest buffers, which are a page.
fn run(program: &Program, by: By, kib: usize) -> Result<(process::Finished, Scratch)> {
    let scratch = Scratch::new()?;
    let mut command = match by {
        By::Gomp => program.command_as_linked()?,
        _ => program.command(&runtimes::libomp_19()?)?,
    };
    scratch.attach(&mut command, by)?;
    own_counts::attach(&mut command, &scratch);
    put_on_pages(&mut command, kib)?;
    command.env("OMPTTRACE_BUFFER", "4K").env("OMPTTRACE_FORMAT", "recording");
    let ended = process::run(&mut command, program.directives.timeout)?;
    let runs = scratch.runs()?;
    ensure!(!runs.is_empty(), "nothing was recorded: {ended:?}");
    for run in runs {
        let facts = Recording::open(&run)?.facts;
        ensure!(facts.buffer_bytes == (kib << 10) as u64, "{} bytes", facts.buffer_bytes);
    }
    Ok((ended, scratch))
}

#[test]
fn every_event_is_recorded() -> Result<()> {
    for kib in PAGES {
        for name in PROGRAMS {
            let program = programs::by_name(name)?;
            let (ended, scratch) = run(&program, By::Oracle, kib)?;
            let said =
                exactness::ending(&program, &ended)? + &exactness::check_left(&program, &scratch)?;
            ensure!(said.is_empty(), "{name} on pages of {kib} KiB\n{said}{}", ended.stderr);
        }
    }
    Ok(())
}

/// A program that counts for itself.
fn counting(source: &str, arguments: &[&str]) -> Result<Program> {
    let mut program = programs::of_test(source)?.with(arguments);
    program.inputs.push(build::root().join("tests/programs/counted.h"));
    Ok(program)
}

#[test]
fn forked_children_have_their_own() -> Result<()> {
    let program = counting("tests/forks/forks.c", &["between", "deep"])?;
    PAGES.iter().try_for_each(|kib| check_forks(&program, By::Runtime, *kib, 3))?;
    let program = counting("tests/forks/forks.c", &["before", "region"])?.by_gcc();
    PAGES.iter().try_for_each(|kib| check_forks(&program, By::Gomp, *kib, 2))
}

fn check_forks(program: &Program, by: By, kib: usize, processes: usize) -> Result<()> {
    let (ended, scratch) = run(program, by, kib)?;
    ensure!(ended.ended_by(program.directives.end), "{ended:?}");
    let pids = own_counts::pids(&scratch)?;
    ensure!(pids.len() == processes && scratch.runs()?.len() == processes, "{pids:?}");
    for pid in pids {
        let said = own_counts::check(&scratch, pid, &scratch.runs_of(pid.into()))?;
        ensure!(said.is_empty(), "process {pid}, {by:?}, pages of {kib} KiB\n{said}");
    }
    Ok(())
}

#[test]
fn killed_runs_are_read_on_any_other_pages() -> Result<()> {
    let program = counting("tests/endings/ends.c", &["abort"])?;
    PAGES.iter().try_for_each(|kib| {
        check_killed(&program, *kib).with_context(|| format!("pages of {kib} KiB"))
    })
}

fn check_killed(program: &Program, written: usize) -> Result<()> {
    let (ended, scratch) = run(program, By::Runtime, written)?;
    let run = scratch.only_run()?;
    let pool = traced::pool_of(&run)?.context("a killed run has a pool")?;
    ensure!(page_of(&pool)? == written << 10, "{} is of other pages", pool.display());
    let readings: Vec<String> = PAGES.iter().map(|kib| info(&run, *kib)).collect::<Result<_>>()?;
    ensure!(readings.iter().all(|reading| *reading == readings[0]), "{readings:#?}");
    let check = || own_counts::check(&scratch, ended.pid, std::slice::from_ref(&run));
    let said = check()?;
    ensure!(said.is_empty(), "{said}");
    // It takes the pool into the run folder.
    ompttrace(&["export", "--format", "chrome"], &run, 64)?;
    let said = check()?;
    ensure!(said.is_empty() && !pool.exists(), "after the export\n{said}");
    Ok(())
}

/// Bytes of a page as a pool's header has them.
fn page_of(pool: &Path) -> Result<usize> {
    let bytes = fs::read(pool).with_context(|| pool.display().to_string())?;
    let word = bytes.chunks_exact(8).nth(header::PAGE).context("a header")?;
    Ok(usize::from_ne_bytes(word.try_into()?))
}

fn info(run: &Path, kib: usize) -> Result<String> {
    ompttrace(&["info", "--json"], run, kib)
}

/// Standard output of the command when pages have this size in KiB.
fn ompttrace(arguments: &[&str], run: &Path, kib: usize) -> Result<String> {
    let program: PathBuf = Product::find()?.program;
    let mut command = Command::new(program);
    put_on_pages(command.args(arguments).arg(run), kib)?;
    Ok(String::from_utf8(build::run(&mut command, "")?)?)
}
