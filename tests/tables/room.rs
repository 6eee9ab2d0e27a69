//! Exports to Parquet that want more than they get: files that must not grow, a disk that is full, no threads; and one
//! that is interrupted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::oracle::compiled;
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use ompttrace_tests::{build, no_threads, programs, runtimes};

fn record(locks: u32) -> Result<(Traced, PathBuf)> {
    let mut program = programs::of_test("tests/otf2/locks.c")?;
    program.directives.args = vec!["2".to_owned(), locks.to_string()];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    Ok((traced, run))
}

/// Exports after these words of a shell.
fn export(run: &Path, before: &str, jobs: &str) -> Result<Output> {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{before}; exec \"$@\""), "sh"]).arg(Product::find()?.program);
    shell.args(["export", "--format", "parquet", "--intervals", "--bin", "10us", "--jobs", jobs]);
    // Pipes: files for what is said would have the same limit.
    Ok(shell.arg(run).output()?)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<_> =
        entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// One line that says what and why, 1, and nothing is left but what was there before.
fn fails(run: &Path, before: &[String], export: &Output, why: &str) -> Result<()> {
    let said = String::from_utf8_lossy(&export.stderr);
    let case = format!("{}\n{said}", export.status);
    ensure!(export.status.code() == Some(1) && export.stdout.is_empty(), "{case}");
    ensure!(said.starts_with("ompttrace: ") && said.lines().count() == 1, "{case}");
    ensure!(said.contains("trace-parquet: ") && said.contains(why), "{case}");
    ensure!(names(run)? == before, "{case}{:?}", names(run)?);
    Ok(())
}

/// Bytes of each of the tables, where nothing is missing; they are removed again. How well they compress depends on
/// how the threads met.
fn sizes(run: &Path) -> Result<Vec<u64>> {
    let export = export(run, "true", "2")?;
    ensure!(export.status.success(), "{}", String::from_utf8_lossy(&export.stderr));
    let folder = run.join("trace-parquet");
    let files = fs::read_dir(folder.join("rank=0"))?;
    let sizes = files.map(|file| Ok(file?.metadata()?.len())).collect::<Result<_>>()?;
    fs::remove_dir_all(folder)?;
    Ok(sizes)
}

/// The limit of a file's size is reached in the first file, in the middle of intervals, and at the end.
#[test]
fn a_file_that_must_not_grow() -> Result<()> {
    let (_traced, run) = record(60_000)?;
    let before = names(&run)?;
    let largest = sizes(&run)?.into_iter().max().context("a table")?;
    // In blocks of 512 bytes.
    for size in [0, 1, 8, largest / 1024, (largest - 1) / 512] {
        for jobs in ["1", "2", "4"] {
            let export = export(&run, &format!("ulimit -f {size}"), jobs)?;
            fails(&run, &before, &export, "File too large").with_context(|| format!("{size}"))?;
        }
    }
    ensure!(export(&run, "true", "2")?.status.success());
    Ok(())
}

/// A disk that can be full or slow.
fn disk() -> Result<PathBuf> {
    let source = build::root().join("tests/starvation/disk.c");
    compiled(&[source], "starvation/libdisk.so", &["-O1", "-fPIC", "-shared", "-ldl"])
}

#[test]
fn a_full_disk() -> Result<()> {
    let (_traced, run) = record(60_000)?;
    let before = names(&run)?;
    let disk = disk()?;
    let all: u64 = sizes(&run)?.iter().sum();
    for bytes in [0, 20_000, all / 2, all - 1] {
        let words = format!(
            "export LD_PRELOAD='{}' DISK_PATH='{}' DISK_DELAY=0 DISK_BYTES={bytes}",
            disk.display(),
            run.display()
        );
        let export = export(&run, &words, "2")?;
        fails(&run, &before, &export, "No space left").with_context(|| format!("{bytes}"))?;
    }
    Ok(())
}

/// Where no thread can be started, one does all the work, and the tables are equal.
#[test]
fn no_threads_to_be_had() -> Result<()> {
    let (_traced, run) = record(5_000)?;
    let shim = no_threads::library()?;
    let mut made = Vec::new();
    for before in ["true".to_owned(), format!("export LD_PRELOAD='{}'", shim.display())] {
        let export = export(&run, &before, "4")?;
        ensure!(export.status.success(), "{}", String::from_utf8_lossy(&export.stderr));
        let folder = run.join("trace-parquet");
        let rank = folder.join("rank=0");
        let file = |name: &String| fs::read(rank.join(name)).context("read");
        let files = names(&rank)?;
        ensure!(files.len() == 6, "{files:?}");
        made.push(files.iter().map(file).collect::<Result<Vec<_>>>()?);
        fs::remove_dir_all(folder)?;
    }
    ensure!(made[0] == made[1], "they differ");
    Ok(())
}

/// Ctrl-C ends the command by its signal, and leaves nothing unfinished behind; the next one makes the tables.
#[test]
fn interrupted() -> Result<()> {
    let (_traced, run) = record(60_000)?;
    let mut command = Command::new(Product::find()?.program);
    command.args(["export", "--quiet", "--format", "parquet", "--intervals"]).arg(&run);
    // Each write takes as long as a test may.
    command.env("LD_PRELOAD", disk()?).env("DISK_PATH", &run).env("DISK_DELAY", "60000000");
    let mut child = command.stderr(Stdio::null()).spawn()?;
    let since = Instant::now();
    while !names(&run)?.iter().any(|name| name.starts_with("trace-parquet.")) {
        ensure!(since.elapsed() < Duration::from_secs(60), "no draft");
        ensure!(child.try_wait()?.is_none(), "it was quicker");
    }
    let kill = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status()?;
    ensure!(kill.success());
    use std::os::unix::process::ExitStatusExt;
    ensure!(child.wait()?.signal() == Some(2), "no end by the signal");
    let left: Vec<_> = names(&run)?;
    ensure!(!left.iter().any(|name| name.starts_with("trace-parquet")), "{left:?}");
    let again = export(&run, "true", "2")?;
    let said = String::from_utf8_lossy(&again.stderr);
    ensure!(again.status.success() && !said.contains("unfinished output"), "{said}");
    ensure!(run.join("trace-parquet/rank=0/intervals.parquet").is_file());
    Ok(())
}
