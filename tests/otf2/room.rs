//! Exports that want more than they get: files that must not grow, few descriptors, no threads.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use ompttrace_tests::{no_threads, otf2_judge, programs, runtimes};

/// Records threads that live one after the other, each with this many locks.
fn record(threads: u32, locks: u32) -> Result<(Traced, PathBuf)> {
    let mut program = programs::of_test("tests/otf2/locks.c")?;
    program.directives.args = vec![threads.to_string(), locks.to_string()];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    Ok((traced, run))
}

/// Exports to OTF2 after these words of a shell.
fn export(run: &Path, before: &str, view: &str) -> Result<Output> {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{before}; exec \"$@\""), "sh"]).arg(Product::find()?.program);
    shell.args(["export", "--format", "otf2", "--view", view]).arg(run);
    // Pipes: files for what is said would have the same limit.
    Ok(shell.output()?)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// One line that says which archive and why, 1, and nothing is left but what was there before: at
/// the first file, in the midst of one, at its close, in one that libotf2 has written to before.
#[test]
fn a_file_that_must_not_grow() -> Result<()> {
    let (_traced, run) = record(2, 150_000)?;
    ensure!(export(&run, "true", "threads")?.status.success());
    let before = names(&run)?;
    ensure!(before.contains(&"trace-otf2".to_string()), "{before:?}");
    // In blocks of 512 bytes.
    for size in [0, 8, 200, 9_000] {
        for view in ["threads", "regions", "both"] {
            let limit = format!("ulimit -f {size}");
            let export = export(&run, &limit, view)?;
            let said = String::from_utf8_lossy(&export.stderr);
            let case = format!("{size}, {view}: {}\n{said}", export.status);
            ensure!(export.status.code() == Some(1) && export.stdout.is_empty(), "{case}");
            ensure!(said.starts_with("ompttrace: ") && said.lines().count() == 1, "{case}");
            // As the system says it, or libotf2 of the files that it writes.
            let is_reason =
                ["File too large", "File is too large"].iter().any(|&why| said.contains(why));
            ensure!(said.contains("trace-otf2") && is_reason, "{case}");
            ensure!(names(&run)? == before, "{case}{:?}", names(&run)?);
        }
    }
    Ok(())
}

/// libotf2 keeps the file of every location open that has more than a chunk of events.
#[test]
fn more_long_locations_than_descriptors() -> Result<()> {
    let (_traced, run) = record(50, 6_000)?;
    let export = export(&run, "ulimit -S -n 40", "threads")?;
    ensure!(export.status.success(), "{}", String::from_utf8_lossy(&export.stderr));
    otf2_judge::print(&run.join("trace-otf2"), u64::MAX)
}

#[test]
fn more_threads_than_descriptors() -> Result<()> {
    let (_traced, run) = record(1_500, 1)?;
    let export = export(&run, "ulimit -S -n 256", "threads")?;
    ensure!(export.status.success(), "{}", String::from_utf8_lossy(&export.stderr));
    let statistics = otf2_judge::check(&run.join("trace-otf2"))?;
    let threads = statistics.locations.iter().filter(|one| one.kind == "CPU_THREAD").count();
    // Those that come when others are over share theirs.
    ensure!(threads == 512, "{threads} locations");
    ensure!(statistics.events("ThreadAcquireLock") == 1_500);
    Ok(())
}

/// Where no thread can be started, one does all the work, and the traces are equal.
#[test]
fn no_threads_to_be_had() -> Result<()> {
    let (_traced, run) = record(3, 5_000)?;
    let shim = no_threads::library()?;
    let export = |preload: &str| -> Result<Vec<(String, Vec<u8>)>> {
        let mut command = Command::new(Product::find()?.program);
        command.args(["export", "--format", "perfetto,chrome,otf2"]).arg(&run);
        let output = command.env("LD_PRELOAD", preload).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        take_traces(&run)
    };
    let (wanted, got) = (export("")?, export(&shim.to_string_lossy())?);
    ensure!(wanted.len() > 8, "{} files", wanted.len());
    for ((name, wanted), (other, got)) in wanted.iter().zip(&got) {
        ensure!(name == other && wanted == got, "{name} {other} differ");
    }
    ensure!(wanted.len() == got.len(), "{} {}", wanted.len(), got.len());
    Ok(())
}

/// Takes the traces out of a run folder: names and bytes, but what has a number or time of its own.
fn take_traces(run: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for folder in [run.to_owned(), run.join("trace-otf2"), run.join("trace-otf2/traces")] {
        for name in names(&folder)? {
            let path = folder.join(&name);
            let is_trace = folder != run || name.starts_with("trace.");
            if path.is_file() && is_trace && !name.ends_with(".otf2") {
                files.push((name, std::fs::read(path)?));
            }
        }
    }
    std::fs::remove_dir_all(run.join("trace-otf2"))?;
    std::fs::remove_file(run.join("trace.pftrace"))?;
    std::fs::remove_file(run.join("trace.json"))?;
    Ok(files)
}
