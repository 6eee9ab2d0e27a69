//! Pipes, sockets, devices, folders and endless files in place of a run folder's files: every command
//! that reads comes to an end in little memory, and a failure is one line with the file's name in it.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::INCOMPLETE_STATUS;
use ompttrace_tests::build;
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};

use super::small;

/// Kinds of files that replace a file of a run folder.
const UNEXPECTED: [&str; 10] = [
    "pipe",
    "link to a pipe",
    "folder",
    "link to a folder",
    "socket",
    "device",
    "loop",
    "large",
    "with a hole behind it",
    "nothing",
];

/// Kinds that are no regular files, which a reader must not take for empty files.
const NO_FILES: &[&str] = UNEXPECTED.split_at(7).0;

/// Size of a sparse file in bytes: it occupies no disk, and takes minutes to read.
const TERABYTE: u64 = 1 << 40;

const COMMANDS: [&str; 5] = ["info", "export", "report", "pack", "merge"];

/// A run folder's file and what every command must end with, by untrusted file.
struct Case {
    file: &'static str,
    recording: fn() -> Result<(Traced, PathBuf)>,
    /// Kinds of replacements with which a command must fail, and kinds with which it must not; the others may do either.
    fails: &'static [&'static str],
    works: &'static [&'static str],
}

const CASES: [Case; 6] = [
    Case { file: "recording.json", recording: small, fails: &UNEXPECTED, works: &[] },
    Case { file: "events.0", recording: small, fails: NO_FILES, works: &["nothing"] },
    // Names are lost without it, nothing else.
    Case { file: "modules", recording: small, fails: &[], works: &UNEXPECTED },
    Case { file: "devices", recording: small, fails: NO_FILES, works: &["nothing"] },
    Case { file: "events.packed", recording: packed, fails: NO_FILES, works: &["nothing"] },
    // What is not the run's pool is left alone, and said.
    Case { file: "pool", recording: killed, fails: &[], works: &UNEXPECTED },
];

fn packed() -> Result<(Traced, PathBuf)> {
    let (traced, run) = small()?;
    build::run(Command::new(Product::find()?.program).arg("pack").arg(&run), "")?;
    Ok((traced, run))
}

/// A recording of a killed run, whose pool is in the run folder.
fn killed() -> Result<(Traced, PathBuf)> {
    let program = programs::by_name("c/quick_death")?;
    let settings = [RECORD_ONLY, ("OMPTTRACE_BUFFER", "16K@run")];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    let run = traced.scratch.only_run()?;
    ensure!(run.join("pool").is_file(), "{:?}", traced.run);
    Ok((traced, run))
}

fn put(kind: &str, path: &Path) -> Result<()> {
    if kind == "with a hole behind it" {
        return Ok(File::options().append(true).create(true).open(path)?.set_len(TERABYTE)?);
    }
    if path.exists() {
        fs::remove_file(path)?;
    }
    let beside = path.with_extension("beside");
    let pipe = |path: &Path| -> Result<()> {
        ensure!(Command::new("mkfifo").arg(path).status()?.success());
        Ok(())
    };
    match kind {
        "pipe" => pipe(path)?,
        "link to a pipe" => {
            pipe(&beside)?;
            symlink(&beside, path)?;
        }
        "folder" => fs::create_dir(path)?,
        "link to a folder" => fs::create_dir(&beside).and_then(|()| symlink(&beside, path))?,
        "socket" => drop(UnixListener::bind(path)?),
        "device" => symlink("/dev/zero", path)?,
        "loop" => symlink(path.file_name().context("a name")?, path)?,
        "large" => File::create(path)?.set_len(TERABYTE)?,
        _ => {}
    }
    Ok(())
}

/// The files of a run folder in a new one, with an untrusted file in place of one.
fn with_unexpected(run: &Path, to: &Path, file: &str, kind: &str) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(run)? {
        let from = entry?.path();
        fs::copy(&from, to.join(from.file_name().context("a name")?))?;
    }
    put(kind, &to.join(file))
}

/// Runs a command with a limit of memory, without which a reader of /dev/zero would exhaust the machine's.
fn run(command: &str, folder: &Path) -> Result<process::Finished> {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 1000000; exec \"$@\"", "sh"]);
    shell.arg(Product::find()?.program).arg(command).arg(folder);
    if command == "merge" {
        shell.arg("--output").arg(folder.join("merged.pftrace"));
    }
    process::run(&mut shell, Duration::from_secs(60))
}

#[test]
fn unexpected_files_in_a_run_folder() -> Result<()> {
    for case in CASES {
        let (traced, original) = (case.recording)()?;
        let folder = traced.scratch.path().join("copy");
        for kind in UNEXPECTED {
            for command in COMMANDS {
                with_unexpected(&original, &folder, case.file, kind)?;
                check(&case, kind, command, &folder)
                    .with_context(|| format!("{kind} for {}, {command}", case.file))?;
            }
        }
    }
    Ok(())
}

fn check(case: &Case, kind: &str, command: &str, folder: &Path) -> Result<()> {
    let run = run(command, folder)?;
    let what = format!("{run:?}");
    let code = run.status.and_then(|status| status.code()).context(what.clone())?;
    // What was written to the file may not be there: the output is made, and the status says so.
    let is_made = code == 0 || code == i32::from(INCOMPLETE_STATUS);
    ensure!(is_made || code == 1, "{what}");
    ensure!(!run.stderr.contains("memory"), "{what}");
    ensure!(code == 1 || !case.fails.contains(&kind), "{what}");
    ensure!(is_made || !case.works.contains(&kind), "{what}");
    if code == 1 {
        let (line, folder) = (&run.stderr, folder.to_string_lossy());
        let named = line.contains(&*folder) && line.contains(case.file);
        ensure!(line.lines().count() == 1 && named, "{what}");
        let reason = line.trim().rsplit(": ").next().unwrap_or_default();
        ensure!(line.matches(reason).count() == 1, "said twice: {what}");
    }
    let refused = !["nothing", "with a hole behind it"].contains(&kind);
    if (case.file, command) == ("pool", "info") && refused {
        ensure!(run.stdout.contains("does not belong to it"), "{what}");
    }
    Ok(())
}
