//! The test runtimes, built and run: one library for each dialect, one program on all of them.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::directives::End;
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{By, Scratch};
use ompttrace_tests::{build, oracle};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
/// The program that makes every event happen.
const ALL: &str = "all_events";
/// Written by the runtime when it is over.
const COUNTS: &str = "counts.json";

/// The three ways to start a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Llvm = 1,
    Report = 2,
    OpenUh = 3,
}

impl Dialect {
    pub const ALL: [Dialect; 3] = [Dialect::Llvm, Dialect::Report, Dialect::OpenUh];

    /// Name of the dialect in the output of `info`.
    pub fn named(self) -> &'static str {
        match self {
            Dialect::Llvm => "LLVM",
            Dialect::Report => "as the report has it",
            Dialect::OpenUh => "OpenUH",
        }
    }

    /// Numbers of the events that its runtime sends. LLVM's sends none that its header excludes, and
    /// in its own build none of locks.
    pub fn events(self) -> impl Iterator<Item = u32> {
        (1..=70).filter(move |event| match self {
            Dialect::Llvm => !matches!(
                event,
                13..=19 | 24 | 25 | 29 | 30 | 35 | 36 | 43..=48 | 51..=54 | 57..=68
            ),
            Dialect::Report | Dialect::OpenUh => *event <= 69,
        })
    }

    /// The program of this name on this runtime.
    fn program(self, stem: &str) -> Result<PathBuf> {
        let sources = build::root().join("tests/runtimes");
        let parts =
            ["tr2_tool.c", "tr2_team.c", "tr2_tasks.c", "tr2_mutex.c", "tr2_device.c", "tr2.h"];
        let dialect = format!("-DTR2_DIALECT={}", self as u32);
        let name = |file: &str| format!("tr2/{}/{file}", self as u32);
        let flags = ["-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", &dialect];
        let library = oracle::compiled(
            &parts.map(|part| sources.join(part)),
            &name("libtr2.so"),
            &[&flags[..], &["-fPIC", "-shared"]].concat(),
        )?;
        let library = library.to_str().context("a path that is no text")?;
        let source = sources.join(format!("{stem}.c"));
        let chain = build::root().join("tests/callstacks/chain.h");
        let needed = [source, sources.join("tr2.h"), chain, library.into()];
        let flags = [&flags[..], &["-DWITH_TASKS", library]].concat();
        oracle::compiled(&needed, &name(stem), &flags)
    }
}

/// A traced run that is over.
pub struct Run {
    pub finished: Finished,
    pub folder: PathBuf,
    /// Number of times that the runtime reported each event, by event number.
    pub reported: BTreeMap<u32, u64>,
    /// All counts of the runtime.
    pub counts: serde_json::Value,
    _scratch: Scratch,
}

impl Run {
    /// Runs the program with the tool preloaded.
    pub fn new(dialect: Dialect, arguments: &[&str], settings: &[(&str, &str)]) -> Result<Run> {
        Run::of_program(ALL, dialect, arguments, settings)
    }

    /// Runs another program of `tests/runtimes`.
    pub fn of_program(
        stem: &str,
        dialect: Dialect,
        arguments: &[&str],
        settings: &[(&str, &str)],
    ) -> Result<Run> {
        let scratch = Scratch::new()?;
        let mut command = command(&dialect.program(stem)?, arguments, scratch.path());
        scratch.attach(&mut command, By::Preload)?;
        command.envs(settings.iter().copied());
        Run::of(command, scratch)
    }

    /// Runs it by `ompttrace run`.
    pub fn by_command(dialect: Dialect, arguments: &[&str]) -> Result<Run> {
        let scratch = Scratch::new()?;
        let mut command = Command::new(Product::find()?.program);
        process::without_settings(&mut command);
        command.args(["run", "--"]).arg(dialect.program(ALL)?).args(arguments);
        command.current_dir(scratch.path()).env("TR2_COUNTS", scratch.path().join(COUNTS));
        command.env("OMPTTRACE_OUTPUT", scratch.path().join("run.%p"));
        Run::of(command, scratch)
    }

    /// Messages of `ompttrace run`, which makes a trace, for a run without the events in `left_out`.
    pub fn closing_line(dialect: Dialect, left_out: &str) -> Result<String> {
        let scratch = Scratch::new()?;
        let mut command = Command::new(Product::find()?.program);
        process::without_settings(&mut command);
        command.args(["run", "--"]).arg(dialect.program(ALL)?).arg("1");
        command.current_dir(scratch.path()).env("TR2_LEAVE_OUT", left_out);
        Ok(process::run(&mut command, LIMIT)?.stderr)
    }

    fn of(mut command: Command, scratch: Scratch) -> Result<Run> {
        command.env("OMPTTRACE_FORMAT", "recording").env("OMPTTRACE_QUIET", "1");
        let finished = process::run(&mut command, LIMIT)?;
        ensure!(finished.ended_by(End::Exit(0)), "{command:?}: {finished:?}");
        let text = std::fs::read(scratch.path().join(COUNTS)).context("the runtime's counts")?;
        let counts: serde_json::Value = serde_json::from_slice(&text)?;
        let reported = counts["events"].as_object().context("no events")?.iter();
        let reported =
            reported.map(|(event, count)| Ok((event.parse()?, count.as_u64().context("a count")?)));
        let reported = reported.collect::<Result<_>>()?;
        let folder = scratch.only_run()?;
        Ok(Run { finished, folder, reported, counts, _scratch: scratch })
    }

    /// Runs the program without any tool.
    pub fn alone(dialect: Dialect, arguments: &[&str]) -> Result<Finished> {
        let scratch = Scratch::new()?;
        process::run(&mut command(&dialect.program(ALL)?, arguments, scratch.path()), LIMIT)
    }
}

fn command(program: &Path, arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(program);
    process::without_settings(&mut command);
    command.args(arguments).current_dir(folder).env("TR2_COUNTS", folder.join(COUNTS));
    command
}
