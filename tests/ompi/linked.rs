//! The runtime and its program, linked as `ompicc --ort=ompttrace` links, and runs of them.

use super::counted::Counted;
use anyhow::{Context, Result, ensure};
use ompttrace_tests::directives::End;
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use ompttrace_tests::{build, runtimes};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
const COUNTS: &str = "counts";
/// The archive's name where it is installed.
const ARCHIVE: &str = "libompttrace-ompi.a";

/// A run that is over.
#[derive(Debug)]
pub struct Run {
    run: Finished,
    scratch: Scratch,
}

impl Run {
    /// Runs the program with the archive linked in until its end.
    pub fn of(words: &[&str], settings: &[(&str, &str)]) -> Result<Run> {
        Run::of_program(&program()?, words, settings)
    }

    /// Runs a program that has the archive linked in until its end.
    pub fn of_program(program: &Path, words: &[&str], settings: &[(&str, &str)]) -> Result<Run> {
        let scratch = Scratch::new()?;
        let mut command = Command::new(program);
        let counts = scratch.path().join(COUNTS);
        process::without_settings(&mut command);
        command.args(words).env("ORT_COUNTS", counts).env(RECORD_ONLY.0, RECORD_ONLY.1);
        scratch.attach(&mut command, By::Linked)?;
        // Beside a program that has it linked in there is no exporter: it is looked for on the PATH.
        let exporter = Product::find()?.program;
        runtimes::prepend(&mut command, "PATH", exporter.parent().context("a folder")?);
        command.envs(settings.iter().copied()).current_dir(scratch.path());
        let run = process::run(&mut command, LIMIT)?;
        Ok(Run { run, scratch })
    }

    /// Runs the program without the archive until its end.
    pub fn alone(words: &[&str]) -> Result<Run> {
        let scratch = Scratch::new()?;
        let mut command = Command::new(program_alone()?);
        process::without_settings(&mut command);
        command.args(words).env("ORT_COUNTS", scratch.path().join(COUNTS));
        let run = process::run(&mut command, LIMIT)?;
        Ok(Run { run, scratch })
    }

    /// Returns this run if the program exited with 0.
    pub fn ended_well(self) -> Result<Run> {
        self.ended(End::Exit(0))
    }

    /// Returns this run if the program ended in this way.
    pub fn ended(self, end: End) -> Result<Run> {
        ensure!(self.run.ended_by(end), "{:?}", self.run);
        Ok(self)
    }

    /// Counts of the runtime, summed over all processes of the program.
    pub fn counted(&self) -> Result<Counted> {
        Counted::read(&self.scratch.path().join(COUNTS))
    }

    /// The run folder, which must be the only one.
    pub fn folder(&self) -> Result<PathBuf> {
        self.scratch.only_run().with_context(|| format!("{:?}", self.run))
    }

    /// All run folders, the first process's first.
    pub fn folders(&self) -> Result<Vec<PathBuf>> {
        let first = self.scratch.runs_of(self.run.pid.into());
        let others = self.scratch.runs()?.into_iter().filter(|run| !first.contains(run));
        Ok(first.iter().cloned().chain(others).collect())
    }

    /// Standard output of the program.
    pub fn stdout(&self) -> &str {
        &self.run.stdout
    }

    /// Standard error of the program, with the tool's messages.
    pub fn stderr(&self) -> &str {
        &self.run.stderr
    }
}

/// The program with the archive in front of the runtime.
pub fn program() -> Result<PathBuf> {
    THREADS.recorded("linked")
}

/// The program with the runtime alone.
pub fn program_alone() -> Result<PathBuf> {
    THREADS.made("alone", &[], |_| Ok(Vec::new()))
}

/// The program whose execution entities are processes, with the archive in front of the runtime.
pub fn program_of_processes() -> Result<PathBuf> {
    PROCESSES.recorded("processes")
}

/// The program on an execution entity library that brings barriers and tasks of its own.
pub fn program_of_own() -> Result<PathBuf> {
    OWN.recorded("own")
}

/// The program with such a library, recorded between ORT and the library.
pub fn program_of_own_at_library() -> Result<PathBuf> {
    OWN.recorded_by("own_at_library", &[eelib_options()])
}

/// The program with such a library, with the archive in front of both ORT and the library.
pub fn program_of_own_at_both() -> Result<PathBuf> {
    OWN.recorded_by("own_at_both", &[options(), eelib_options()])
}

/// The program recorded between ORT and a library that brings neither.
pub fn program_at_library() -> Result<PathBuf> {
    THREADS.recorded_by("at_library", &[eelib_options()])
}

/// The program whose execution entities are processes, recorded between ORT and their library.
pub fn program_of_processes_at_library() -> Result<PathBuf> {
    PROCESSES.recorded_by("processes_at_library", &[eelib_options()])
}

/// The files of a program and its runtime.
struct Files {
    flags: &'static [&'static str],
    /// Sources that OMPi would have translated.
    translated: &'static [&'static str],
    /// Sources of the execution entity library.
    eelib: &'static [&'static str],
}

const THREADS: Files = Files {
    flags: &[],
    translated: &["ompi/program.c", "ompi/constructs.c", "ompi/task_constructs.c"],
    eelib: &["ompi/ee_threads.c"],
};
const OWN: Files = Files {
    flags: &["-DAVOID_OMPI_DEFAULT_BARRIER", "-DAVOID_OMPI_DEFAULT_TASKS"],
    translated: THREADS.translated,
    eelib: &["ompi/ee_threads.c", "ompi_barriers/ee_barriers.c", "ompi_tasks/ee_tasks.c"],
};
const PROCESSES: Files = Files {
    flags: &["-DEE_TYPE_PROCESS"],
    translated: &["ompi_processes/program.c", "ompi/constructs.c"],
    eelib: &["ompi_processes/ee_processes.c"],
};
/// The rest of the runtime.
const RUNTIME: [&str; 8] =
    ["across", "count", "devices", "ee_locks", "sync", "tasks", "team", "worksharing"];
const HEADERS: [&str; 4] = ["count.h", "inside.h", "ort.h", "program.h"];

impl Files {
    fn recorded(&self, name: &str) -> Result<PathBuf> {
        self.recorded_by(name, &[options()])
    }

    /// Builds the program with the archive in front of the functions that these lists name.
    fn recorded_by(&self, name: &str, lists: &[PathBuf]) -> Result<PathBuf> {
        let archive = Product::find()?.ompi;
        let wrap = lists.iter().map(|list| format!("@{}", list.display())).collect();
        self.made(name, &[lists, std::slice::from_ref(&archive)].concat(), |folder| {
            // It has its name where it is installed.
            fs::copy(&archive, folder.join(ARCHIVE)).context("the archive")?;
            Ok(wrap)
        })
    }

    /// Links as OMPi does: translated code, the runtime as an archive, more options, the runtime once more.
    fn made(
        &self,
        name: &str,
        inputs: &[PathBuf],
        more: impl FnOnce(&Path) -> Result<Vec<String>>,
    ) -> Result<PathBuf> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let made = build::target_dir().join("test-programs/ompi").join(name);
        let folder = build::root().join("tests/runtimes");
        let runtime: Vec<_> = RUNTIME.map(|file| folder.join(format!("ompi/{file}.c"))).into();
        let eelib: Vec<_> = self.eelib.iter().map(|file| folder.join(file)).collect();
        let runtime = [runtime, eelib].concat();
        let translated: Vec<_> = self.translated.iter().map(|file| folder.join(file)).collect();
        let headers = HEADERS.map(|file| folder.join("ompi").join(file));
        if build::is_current(&made, &[&runtime, &translated, &headers[..], inputs].concat()) {
            return Ok(made);
        }
        let folder = tempfile::tempdir()?;
        let mut cc = Command::new("gcc");
        cc.args(FLAGS).args(self.flags).arg("-c").args(runtime).current_dir(folder.path());
        build::run(&mut cc, "gcc")?;
        let mut ar = Command::new("sh");
        ar.args(["-c", ONE_LIBRARY]).current_dir(folder.path());
        build::run(&mut ar, "binutils")?;
        let more = more(folder.path())?;
        build::make_in_place(&made, |draft| {
            let mut cc = Command::new("gcc");
            cc.args(FLAGS).args(self.flags).args(translated).arg("-o").arg(draft);
            cc.arg("-L").arg(folder.path()).arg("-lort").args(more).arg("-lort");
            build::run(&mut cc, "gcc").map(drop)
        })?;
        Ok(made)
    }
}

/// Shell commands that make the execution entity library one object among the runtime's, as in OMPi.
const ONE_LIBRARY: &str = "ld -r -o othr.o ee_*.o && rm ee_*.o && ar crs libort.a *.o";
const FLAGS: [&str; 6] = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"];

/// Linker options that are installed for programs of OMPi.
fn options() -> PathBuf {
    build::root().join("runtime/ompi/wrap.options")
}

/// Linker options for a program that is recorded between ORT and its execution entity library.
fn eelib_options() -> PathBuf {
    build::root().join("runtime/ompi/eelib.options")
}

/// The functions that both lists name, each in one of them.
pub fn listed() -> Result<BTreeSet<String>> {
    let of_ort = named(&options(), "--wrap=")?;
    let of_library = named(&eelib_options(), "--wrap=")?;
    // The archive's own references are weak, and would not have the linker bring them.
    ensure!(of_ort == named(&options(), "--require-defined=")?, "{of_ort:?}");
    ensure!(of_ort.is_disjoint(&of_library), "{of_ort:?} {of_library:?}");
    Ok(of_ort.union(&of_library).cloned().collect())
}

/// The functions that an option stands for in a list.
fn named(list: &Path, option: &str) -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(list)?;
    let options = text.lines().filter_map(|line| line.strip_prefix("-Wl,"));
    Ok(options.filter_map(|line| line.strip_prefix(option)).map(str::to_owned).collect())
}

/// The functions for which the archive has one.
pub fn in_archive() -> Result<BTreeSet<String>> {
    symbols(&Product::find()?.ompi)
}

fn symbols(archive: &Path) -> Result<BTreeSet<String>> {
    let mut nm = Command::new("nm");
    let text = build::run(nm.args(["--defined-only", "--extern-only"]).arg(archive), "binutils")?;
    let text = String::from_utf8_lossy(&text);
    let names = text.lines().filter_map(|line| line.split_whitespace().last());
    let ours: BTreeSet<_> =
        names.filter_map(|name| name.strip_prefix("__wrap_")).map(str::to_owned).collect();
    ensure!(!ours.is_empty(), "{} has no entry points", archive.display());
    Ok(ours)
}
