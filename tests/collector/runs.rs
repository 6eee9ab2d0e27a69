//! Runs of programs on the test runtime, with the library preloaded.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::directives::End;
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use ompttrace_tests::{build, oracle};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// The paper's events by number; number 0 does not exist.
pub const EVENTS: [&str; 23] = [
    "",
    "fork",
    "join",
    "thr_begin_idle",
    "thr_end_idle",
    "thr_begin_ibar",
    "thr_end_ibar",
    "thr_begin_ebar",
    "thr_end_ebar",
    "thr_begin_lkwt",
    "thr_end_lkwt",
    "thr_begin_ctwt",
    "thr_end_ctwt",
    "thr_begin_odwt",
    "thr_end_odwt",
    "thr_begin_master",
    "thr_end_master",
    "thr_begin_single",
    "thr_end_single",
    "thr_begin_ordered",
    "thr_end_ordered",
    "thr_begin_atwt",
    "thr_end_atwt",
];
pub const FORK: usize = 1;
pub const BEGIN_IDLE: usize = 3;
pub const END_IDLE: usize = 4;
pub const BEGIN_IBAR: usize = 5;
pub const BEGIN_LKWT: usize = 9;
pub const BEGIN_CTWT: usize = 11;
pub const BEGIN_ODWT: usize = 13;
pub const BEGIN_SINGLE: usize = 17;
pub const BEGIN_ORDERED: usize = 19;
pub const END_ORDERED: usize = 20;
pub const BEGIN_ATWT: usize = 21;

const LIMIT: Duration = Duration::from_secs(60);
const COUNTS: &str = "sent";

/// A run that is over.
#[derive(Debug)]
pub struct Run {
    run: Finished,
    scratch: Scratch,
}

/// The program that makes every event happen.
pub fn program(habits: &str, words: &[&str]) -> Result<Run> {
    let mut command = Command::new(compiled("collector_program", &["-lcollector_runtime"])?);
    command.args(words).env("COLLECTOR_RUNTIME", habits);
    run(&mut command)
}

/// The program until it is killed, or with a child, which leaves a second run folder.
pub fn ending(words: &[&str], end: End) -> Result<Run> {
    let mut command = Command::new(compiled("collector_program", &["-lcollector_runtime"])?);
    let scratch = Scratch::new()?;
    let run = run_in(&scratch, command.args(words))?;
    ensure!(run.ended_by(end), "{run:?}");
    Ok(Run { run, scratch })
}

/// The program that says its own calls, with call stacks recorded.
pub fn chains() -> Result<Run> {
    let mut command = Command::new(compiled("chains", &["-lcollector_runtime"])?);
    run(command.env("OMPTTRACE_CALLSTACK", "regions"))
}

/// A program with samples of all time: the one that makes every event happen, or one whose states last.
pub fn sampled(program: &str, rate: &str, words: &[&str]) -> Result<Run> {
    let mut command = Command::new(compiled(program, &["-lcollector_runtime"])?);
    command.args(words).env("OMPTTRACE_SAMPLE", format!("{rate},wall"));
    run(command.env("OMPTTRACE_CORES", "off"))
}

/// A program that opens the runtime `by itself`, `alone` until it is found, or `with` a library that
/// needs it.
pub fn late(how: &str) -> Result<Run> {
    let runtime = runtime()?;
    let plugin = shared(
        "collector_plugin.c",
        "libcollector_plugin.so",
        &[&format!("-L{}", folder().display()), "-lcollector_runtime"],
    )?;
    let mut command = Command::new(compiled("collector_late", &[])?);
    command.arg(how).arg(runtime).arg(plugin);
    run(&mut command)
}

/// Runs the program by `ompttrace run`, which has to find out that the library must be preloaded.
pub fn by_command(words: &[&str]) -> Result<Run> {
    let scratch = Scratch::new()?;
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    let output = scratch.path().join("run");
    command.args(["run", "--format", "recording", "--output"]).arg(output).arg("--");
    command.arg(compiled("collector_program", &["-lcollector_runtime"])?).args(words);
    command.env("COLLECTOR_COUNTS", scratch.path().join(COUNTS)).env("LD_LIBRARY_PATH", folder());
    let run = process::run(command.current_dir(scratch.path()), LIMIT)?;
    ensure!(run.status.is_some_and(|status| status.success()), "{run:?}");
    Ok(Run { run, scratch })
}

/// Runs a program that opens a library unrelated to any runtime; returns its status, its output and the number of run
/// folders.
pub fn unrelated() -> Result<(Option<i32>, String, usize)> {
    let scratch = Scratch::new()?;
    let mut command = Command::new(compiled("collector_late", &[])?);
    command.args(["unrelated", "libm.so.6"]);
    let run = run_in(&scratch, &mut command)?;
    ensure!(run.stderr.is_empty(), "{}", run.stderr);
    Ok((run.status.and_then(|status| status.code()), run.stdout, scratch.runs()?.len()))
}

fn run(command: &mut Command) -> Result<Run> {
    let scratch = Scratch::new()?;
    let run = run_in(&scratch, command)?;
    ensure!(run.status.is_some_and(|status| status.success()), "{run:?}");
    Ok(Run { run, scratch })
}

fn run_in(scratch: &Scratch, command: &mut Command) -> Result<Finished> {
    process::without_settings(command);
    runtime()?;
    command.env("COLLECTOR_COUNTS", scratch.path().join(COUNTS)).env("LD_LIBRARY_PATH", folder());
    command.env(RECORD_ONLY.0, RECORD_ONLY.1).current_dir(scratch.path());
    scratch.attach(command, By::Preload)?;
    process::run(command, LIMIT)
}

impl Run {
    /// The run folder.
    pub fn folder(&self) -> Result<PathBuf> {
        self.scratch.only_run().with_context(|| format!("{:?}", self.run))
    }

    /// The run folders of all its processes, the first process's first.
    pub fn folders(&self) -> Result<Vec<PathBuf>> {
        let first = self.scratch.runs_of(self.run.pid.into());
        let others = self.scratch.runs()?.into_iter().filter(|run| !first.contains(run));
        Ok(first.iter().cloned().chain(others).collect())
    }

    /// Numbers of events that the runtime sent, by event number.
    pub fn sent(&self) -> Result<Vec<u64>> {
        let bytes = fs::read(self.scratch.path().join(COUNTS))?;
        let words = bytes.chunks_exact(8);
        Ok(words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect())
    }

    /// Standard output of the program.
    pub fn stdout(&self) -> &str {
        &self.run.stdout
    }

    /// The address that the program printed after a name.
    pub fn printed(&self, name: &str) -> Result<u64> {
        let mut words = self.run.stdout.split_whitespace().skip_while(|word| *word != name).skip(1);
        let word = words.next().with_context(|| format!("no {name} in {}", self.run.stdout))?;
        Ok(u64::from_str_radix(word.trim_start_matches("0x"), 16)?)
    }

    /// Makes an OTF2 archive and has otf2-print read it.
    pub fn otf2_is_read(&self) -> Result<()> {
        let folder = self.folder()?;
        let mut export = Command::new(Product::find()?.program);
        build::run(export.args(["export", "--format", "otf2"]).arg(&folder), "")?;
        let mut print = Command::new("otf2-print");
        let text = build::run(print.arg(folder.join("trace-otf2/traces.otf2")), "otf2-tools")?;
        let text = String::from_utf8_lossy(&text);
        let teams =
            text.lines().filter(|line| line.starts_with("THREAD_TEAM_BEGIN")).count() as u64;
        let sent = self.sent()?;
        ensure!(teams == sent[FORK] + sent[END_IDLE], "{teams} threads of teams, {sent:?}");
        Ok(())
    }
}

fn folder() -> PathBuf {
    build::target_dir().join("test-programs/collector")
}

fn runtime() -> Result<PathBuf> {
    shared("collector.c", "libcollector_runtime.so", &["-Wl,-soname,libcollector_runtime.so"])
}

fn shared(source: &str, name: &str, flags: &[&str]) -> Result<PathBuf> {
    let flags = [&["-fPIC", "-shared"], flags].concat();
    make(source, name, &flags)
}

fn compiled(stem: &str, flags: &[&str]) -> Result<PathBuf> {
    runtime()?;
    let search = format!("-L{}", folder().display());
    make(&format!("{stem}.c"), stem, &[&[search.as_str()], flags].concat())
}

fn make(source: &str, name: &str, flags: &[&str]) -> Result<PathBuf> {
    let sources = build::root().join("tests/runtimes");
    let chain = build::root().join("tests/callstacks/chain.h");
    let inputs = [sources.join(source), sources.join("collector.h"), chain];
    let warnings = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"];
    let flags = [&warnings[..], flags].concat();
    oracle::compiled(&inputs, &format!("collector/{name}"), &flags)
}
