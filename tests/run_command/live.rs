//! A recording that is read while its program runs: that is what every command says, nothing is taken away
//! from the program, and the command that runs it makes its trace nonetheless.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Child, Output};
use std::thread::sleep;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::*;

/// Regions of `goes_on.c` before it waits, and in all.
pub const REGIONS: [u64; 2] = [100, 200];

/// A program that runs under `ompttrace run`, and waits.
pub struct Live {
    pub scratch: Scratch,
    child: Child,
    said: File,
}

impl Live {
    /// `wrapper` is what starts the command, `options` are the command's, `arguments` the program's.
    pub fn start(wrapper: &[&str], options: &[&str], arguments: &[&str]) -> Result<Live> {
        let scratch = Scratch::new()?;
        let binary = built("run_command/goes_on")?.1;
        let options = [&["--output", "run"], options].concat();
        let mut command = around(wrapper, command(&scratch, &options)?);
        command.arg(binary).args(arguments);
        let said = tempfile::tempfile()?;
        let child = command.stderr(said.try_clone()?).spawn()?;
        let mut live = Live { scratch, child, said };
        live.wait_for("ready")?;
        Ok(live)
    }

    fn wait_for(&mut self, file: &str) -> Result<()> {
        let started = Instant::now();
        while !self.scratch.path().join(file).exists() {
            ensure!(self.child.try_wait()?.is_none(), "it is over: {}", self.said()?);
            ensure!(started.elapsed() < LIMIT, "no {file}: {}", self.said()?);
            sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    fn said(&mut self) -> Result<String> {
        let mut said = String::new();
        self.said.rewind()?;
        self.said.read_to_string(&mut said)?;
        Ok(said)
    }

    pub fn run(&self) -> PathBuf {
        self.scratch.path().join("run")
    }

    /// Output of a command on the run, which must succeed: stdout, then stderr.
    pub fn ask(&self, wrapper: &[&str], arguments: &[&str]) -> Result<String> {
        let output = ask(wrapper, arguments, &self.run())?;
        ensure!(output.status.success(), "{arguments:?}: {output:?}");
        Ok(String::from_utf8([output.stdout, output.stderr].concat())?)
    }

    /// Lets the program continue and waits for the command's end; returns its output.
    pub fn end(mut self) -> Result<(Scratch, String)> {
        File::create(self.scratch.path().join("go"))?;
        let started = Instant::now();
        while self.child.try_wait()?.is_none() {
            ensure!(started.elapsed() < LIMIT, "it does not end: {}", self.said()?);
            sleep(Duration::from_millis(2));
        }
        let said = self.said()?;
        Ok((self.scratch, said))
    }
}

/// `command` with another one before it, in the same folder and environment.
fn around(wrapper: &[&str], command: Command) -> Command {
    let Some((first, rest)) = wrapper.split_first() else { return command };
    let mut outer = Command::new(first);
    outer.args(rest).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        outer.current_dir(folder);
    }
    outer
}

/// Asks `ompttrace` about a run folder.
pub fn ask(wrapper: &[&str], arguments: &[&str], run: &Path) -> Result<Output> {
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.args(arguments).arg(run);
    Ok(around(wrapper, command).output()?)
}

/// Number of regions whose begin a recording has.
pub fn regions(run: &Path) -> Result<u64> {
    number(&Product::find()?.info(run)?, "/callbacks/parallel_begin/recorded")
}

/// The one line with which the command ended: of a trace that holds all that the recording holds.
pub fn check_end(scratch: &Scratch, said: &str, end: &str) -> Result<()> {
    let run = scratch.path().join("run");
    let info = Product::find()?.info(&run)?;
    let recorded = number(&info, "/events/recorded")?;
    assert_eq!((regions(&run)?, number(&info, "/events/lost")?), (REGIONS[1], 0), "{said}");
    assert_ne!(info["running"], true, "{info}");
    let line = format!("ompttrace: run/trace.pftrace: {recorded} events, 0 lost; ");
    // Others, such as a shell, may say something too.
    let own: Vec<_> = said.lines().filter(|line| line.starts_with("ompttrace: ")).collect();
    let [own] = own[..] else { bail!("one line was expected: {said}") };
    assert!(own.starts_with(&line) && own.contains(&format!("{end}; `")), "{line}\n{said}");
    assert!(run.join("trace.pftrace").is_file(), "{said}");
    let pool = traced::pool_of(&run)?.filter(|pool| pool.starts_with("/dev/shm"));
    assert!(!pool.is_some_and(|pool| pool.exists()), "a pool is left");
    Ok(())
}

#[test]
fn what_runs_is_said_to_run_and_gets_its_trace_at_the_end() -> Result<()> {
    for (arguments, end) in [(&[][..], "exit status 0"), (&["kill"], "SIGKILL")] {
        let live = Live::start(&[], &[], arguments)?;
        let info = live.ask(&[], &["info"])?;
        assert!(info.contains("\nended     not yet: the program still runs"), "{info}");
        let info: Value = serde_json::from_str(&live.ask(&[], &["info", "--json"])?)?;
        assert_eq!(info["running"], true, "{info}");
        let report = live.ask(&[], &["report", "--quiet"])?;
        assert!(report.contains("The program still runs"), "{report}");
        assert!(!report.contains("is cut where the program ended"), "{report}");
        // Its buffers stay its own: all that it records from here on is in them at first.
        let export = live.ask(&[], &["export"])?;
        assert!(export.contains("events, 0 lost, the program still runs\n"), "{export}");
        assert!(!export.contains("recovered") && !export.contains("ended: the"), "{export}");
        let view = live.ask(&[], &["view", "--vampir"])?;
        assert!(view.contains("partial: the program still runs"), "{view}");
        assert_eq!(regions(&live.run())?, REGIONS[0]);
        let (scratch, said) = live.end()?;
        check_end(&scratch, &said, end)?;
        // The early archive says what it is when it is shown later.
        let run = scratch.path().join("run");
        let view = ask(&[], &["view", "--vampir"], &run)?;
        let words = String::from_utf8(view.stderr)?;
        assert!(words.contains("partial: made while the program ran"), "{words}");
    }
    Ok(())
}

/// A forked child of the killed program still has the buffers mapped: the command exports and removes them without waiting
/// for the child.
#[test]
fn a_forked_child_does_not_keep_the_buffers_of_a_killed_program() -> Result<()> {
    let live = Live::start(&[], &[], &["kill", "fork"])?;
    let (scratch, said) = live.end()?;
    let checked = check_end(&scratch, &said, "SIGKILL");
    File::create(scratch.path().join("stay")).context("a file")?;
    checked
}

/// /dev/shm was emptied, say. A program that comes to its end writes everything nonetheless.
#[test]
fn buffers_that_are_gone_are_no_run_without_losses() -> Result<()> {
    for (arguments, end) in [
        (
            &["kill"][..],
            " events, 0 lost and up to 4096 records per thread missing; the program ended",
        ),
        (&[], " events, 0 lost; exit status 0; "),
    ] {
        let live = Live::start(&[], &[], arguments)?;
        let pool = traced::pool_of(&live.run())?.context("a run has a pool")?;
        std::fs::remove_file(&pool)?;
        let info = live.ask(&[], &["info"])?;
        assert!(
            info.contains("\nended     not yet: the program still runs; damage: its"),
            "{info}"
        );
        let (scratch, said) = live.end()?;
        assert!(said.contains(end), "{said}");
        let info = Product::find()?.info(&scratch.only_run()?)?;
        let most = info["events"]["missing_per_thread_at_most"].as_u64();
        assert_eq!(most, (!arguments.is_empty()).then_some(4096), "{info}");
        let trace = std::fs::read(scratch.only_run()?.join("trace.pftrace"))?;
        let words = b"buffers missing: up to 4096 records per thread lost";
        let remarked = trace.windows(words.len()).any(|found| found == words);
        assert_eq!(remarked, !arguments.is_empty());
    }
    Ok(())
}
