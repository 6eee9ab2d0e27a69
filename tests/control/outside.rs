//! Commands from outside the program: `ompttrace control`, `record` and `snapshot`, on programs that run, wait, end and were killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_recording::events::{MutexAcquired, MutexReleased, ParallelBegin};
use ompttrace_recording::{Event, Recording};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use ompttrace_timeline::testing::Checker;

/// The origin of commands from outside in their records.
const OUTSIDE: u64 = 4;
pub(super) const OFF: (&str, &str) = ("OMPTTRACE_START", "off");
/// A wait that a machine with much to do does not exceed.
pub(super) const LONG: &str = "--wait=60s";
const LIMIT: Duration = Duration::from_secs(60);

/// A command: its name, and its number in records.
type Given = (&'static str, u64);

const START: Given = ("start", 1);
const PAUSE: Given = ("pause", 2);
const FLUSH: Given = ("flush", 3);
const END: Given = ("end", 4);

/// A program that runs until it is stopped; killed when this is dropped.
pub(super) struct Running {
    pub(super) child: Child,
    scratch: Scratch,
    pub(super) run: PathBuf,
}

impl Running {
    /// Starts `steady.c` on LLVM's runtime, or on libgomp, and waits for its recording.
    pub(super) fn start(mode: &str, by: By, settings: &[(&str, &str)]) -> Result<Running> {
        let scratch = Scratch::new()?;
        let program = programs::of_test("tests/control/steady.c")?;
        let mut command = command(&program, by)?;
        scratch.attach(&mut command, by)?;
        command.arg(mode).envs([RECORD_ONLY]).envs(settings.iter().copied());
        command.current_dir(scratch.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = Running { child: command.spawn()?, scratch, run: PathBuf::new() };
        let started = Instant::now();
        while running.run.as_os_str().is_empty() {
            ensure!(running.child.try_wait()?.is_none(), "the program is over");
            ensure!(started.elapsed() < LIMIT, "no recording");
            std::thread::sleep(Duration::from_millis(10));
            running.run = running.scratch.only_run().unwrap_or_default();
        }
        Ok(running)
    }

    /// Gives a command; the line that says what became of it.
    fn gives(&self, command: Given) -> Result<String> {
        said(control(&self.run, &[command.0, LONG])?)
    }

    /// Ends the program, which must end well; returns what it printed.
    pub(super) fn stop(&mut self) -> Result<String> {
        drop(self.child.stdin.take());
        let mut text = String::new();
        self.child.stdout.take().context("a pipe")?.read_to_string(&mut text)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "{status}: {text}");
        Ok(text)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(program: &Program, by: By) -> Result<Command> {
    match by {
        By::Gomp => program.by_gcc().command_as_linked(),
        _ => program.command(&runtimes::libomp_19()?),
    }
}

pub(super) fn ompttrace(command: &str, target: &Path, arguments: &[&str]) -> Result<Output> {
    let mut all = Command::new(Product::find()?.program);
    Ok(all.arg(command).arg(target).args(arguments).stdin(Stdio::null()).output()?)
}

fn control(target: &Path, arguments: &[&str]) -> Result<Output> {
    ompttrace("control", target, arguments)
}

/// The one line of a command that succeeded.
fn said(output: Output) -> Result<String> {
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    ensure!(output.status.success() && error.is_empty(), "{}: {error}{out}", output.status);
    ensure!(out.lines().count() == 1, "{out}");
    Ok(out.trim_end().to_owned())
}

/// The one line of a command that failed.
fn refused(output: Output) -> Result<String> {
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    ensure!(output.status.code() == Some(1) && out.is_empty(), "{}: {out}{error}", output.status);
    ensure!(error.lines().count() == 1, "{error}");
    Ok(error.trim_end().to_owned())
}

/// The commands of a recording, in their order, each with its origin.
fn commands(run: &Path) -> Result<Vec<(u64, u64)>> {
    let recording = Recording::open(run)?;
    let mut commands = Vec::new();
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        while let Some((ticks, event)) = stream.take(|record| (record.ticks, record.event())) {
            if let Event::Control(control) = event {
                commands.push((ticks, control.command, control.origin));
            }
        }
    }
    commands.sort_unstable();
    Ok(commands.into_iter().map(|(_, command, origin)| (command, origin)).collect())
}

/// Checks that the recording makes a sound timeline.
fn is_sound(run: &Path) -> Result<()> {
    let recorded = Recorded::read(run)?;
    ensure!((recorded.backwards, recorded.unreadable) == (0, 0), "{recorded:?}");
    let recording = Recording::open(run)?;
    ompttrace_timeline::run(&recording, Checker::default())
        .map(drop)
        .map_err(|error| anyhow::anyhow!("{}: {error}", run.display()))
}

/// The number of regions that were recorded.
pub(super) fn regions(run: &Path) -> Result<u64> {
    number_of(&Product::find()?.info(run)?, ParallelBegin::NAME, "recorded")
}

fn regions_done(printed: &str) -> Result<u64> {
    let done = printed.lines().find_map(|line| line.strip_prefix("regions "));
    Ok(done.context("the program prints its regions")?.parse()?)
}

#[test]
fn each_command_takes_effect_and_is_in_the_recording() -> Result<()> {
    for by in [By::Runtime, By::Gomp] {
        let mut running = Running::start("steady", by, &[OFF])?;
        let mut wanted = Vec::new();
        let mut give = |running: &Running, command: Given, answer: &str| {
            let line = running.gives(command)?;
            ensure!(line.ends_with(answer), "{by:?}, {command:?}: {line}");
            wanted.push((command.1, OUTSIDE));
            anyhow::Ok(())
        };
        give(&running, START, "the recording has started")?;
        for _ in 0..10 {
            give(&running, PAUSE, "the recording is paused")?;
            give(&running, START, "the recording has started")?;
        }
        give(&running, FLUSH, "the files have all records up to now")?;
        give(&running, END, "the recording has ended, the program runs on")?;
        let line = refused(control(&running.run, &["start"])?)?;
        ensure!(line.ends_with("the recording has ended already"), "{line}");
        let all = regions_done(&running.stop()?)?;
        let recorded = regions(&running.run)?;
        ensure!(recorded > 0 && recorded < all, "{by:?}: {recorded} of {all} regions");
        assert_eq!(commands(&running.run)?, wanted, "{by:?}");
        is_sound(&running.run)?;
    }
    Ok(())
}

/// A command that changes nothing says so, and leaves no record.
#[test]
fn a_command_twice_is_done_once() -> Result<()> {
    let mut running = Running::start("steady", By::Runtime, &[])?;
    let pid = PathBuf::from(running.child.id().to_string());
    for (command, answer) in [
        ("start", "the recording was not paused"),
        ("pause", "the recording is paused"),
        ("pause", "the recording was paused already"),
        ("start", "the recording has started"),
        ("start", "the recording was not paused"),
    ] {
        let line = said(control(&pid, &[command, LONG])?)?;
        ensure!(line.ends_with(answer), "{command}: {line}");
    }
    running.stop()?;
    assert_eq!(commands(&running.run)?, [(2, OUTSIDE), (1, OUTSIDE)]);
    Ok(())
}

/// A program without events takes the command with its next one: the region that follows is recorded from its begin on.
#[test]
fn a_program_without_events_takes_a_command_later() -> Result<()> {
    let mut running = Running::start("on demand", By::Runtime, &[OFF])?;
    let mut input = running.child.stdin.take().context("a pipe")?;
    let mut output = BufReader::new(running.child.stdout.take().context("a pipe")?);
    let mut region = || -> Result<()> {
        input.write_all(b"x")?;
        output.read_line(&mut String::new())?;
        Ok(())
    };
    region()?;
    let line = refused(control(&running.run, &["start", "--wait=50ms"])?)?;
    ensure!(line.contains("no event of the program within 0.05s"), "{line}");
    region()?;
    drop(input);
    ensure!(running.child.wait()?.success());
    assert_eq!((regions(&running.run)?, commands(&running.run)?), (1, vec![(1, OUTSIDE)]));
    Ok(())
}

#[test]
fn what_takes_no_commands_is_refused_in_one_line() -> Result<()> {
    let scratch = Scratch::new()?;
    let missing = scratch.path().join("missing");
    let own = PathBuf::from(std::process::id().to_string());
    let mut killed = Running::start("steady", By::Runtime, &[])?;
    killed.child.kill()?;
    killed.child.wait()?;
    let mut ended = Running::start("steady", By::Runtime, &[])?;
    ended.stop()?;
    for command in ["control", "record", "snapshot"] {
        let arguments: &[&str] = match command {
            "control" => &["pause"],
            "record" => &["--for=1ms"],
            _ => &[],
        };
        for (target, words) in [
            (&missing, "there is no such file or folder"),
            (&own, "is not being traced"),
            (&killed.run, "the program has ended"),
            (&ended.run, "the program has ended"),
        ] {
            let line = refused(ompttrace(command, target, arguments)?)?;
            ensure!(line.contains(words), "{command}: {line}");
        }
    }
    let wrong = control(&ended.run, &["stop"])?;
    let error = String::from_utf8_lossy(&wrong.stderr);
    ensure!(
        wrong.status.code() == Some(2) && error.contains("start, pause, flush, end"),
        "{error}"
    );
    Ok(())
}

/// A command may come at any time of a short program's life: the program ends as without it.
#[test]
fn a_command_while_the_program_ends() -> Result<()> {
    for _ in 0..10 {
        let mut running = Running::start("steady", By::Runtime, &[])?;
        running.gives(FLUSH)?;
        drop(running.child.stdin.take());
        while running.child.try_wait()?.is_none() {
            let output = control(&running.run, &["flush", LONG])?;
            let line = if output.status.success() { said(output)? } else { refused(output)? };
            let known = ["have all records up to now", "ended", "records nothing at this time"];
            ensure!(known.iter().any(|words| line.contains(words)), "{line}");
        }
        running.stop()?;
        is_sound(&running.run)?;
    }
    Ok(())
}

#[test]
fn a_window_is_recorded_and_the_program_runs_on() -> Result<()> {
    let mut running = Running::start("steady", By::Runtime, &[OFF])?;
    let pid = PathBuf::from(running.child.id().to_string());
    for number in 1..=2 {
        let trace = running.scratch.path().join(format!("window{number}.json"));
        let output = format!("--output={}", trace.display());
        let options = ["--for=200ms", "--format=chrome", "--quiet", LONG, &output];
        let recorded = ompttrace("record", &pid, &options)?;
        ensure!(recorded.status.success() && recorded.stderr.is_empty(), "{recorded:?}");
        let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(&trace)?)?;
        let events = trace.as_array().context("events")?;
        let name = |event: &&serde_json::Value| {
            event["name"].as_str().is_some_and(|name| name.contains("parallel"))
        };
        ensure!(events.iter().any(|event| name(&event)), "no region in window {number}");
        assert_eq!(commands(&running.run)?.len(), 2 * number);
    }
    ensure!(running.child.try_wait()?.is_none(), "the program runs on");
    running.gives(START)?;
    let line = refused(ompttrace("record", &pid, &["--for=1ms"])?)?;
    ensure!(line.contains("the recording is not paused"), "{line}");
    running.stop()?;
    Ok(())
}

#[test]
fn a_program_that_ends_within_the_window_has_a_trace() -> Result<()> {
    let mut running = Running::start("steady", By::Runtime, &[OFF])?;
    let trace = running.scratch.path().join("window.json");
    let output = format!("--output={}", trace.display());
    let options = ["--for=60s", "--format=chrome", "--quiet", LONG, &output];
    let pid = PathBuf::from(running.child.id().to_string());
    let recorded = std::thread::scope(|scope| -> Result<Output> {
        let recording = scope.spawn(|| ompttrace("record", &pid, &options));
        let started = Instant::now();
        while commands(&running.run)?.is_empty() {
            ensure!(started.elapsed() < LIMIT, "the recording has not started");
            std::thread::sleep(Duration::from_millis(20));
        }
        running.stop()?;
        recording.join().ok().context("no panic")?
    })?;
    let is_quiet = recorded.stderr.is_empty();
    ensure!(recorded.status.success() && is_quiet && trace.is_file(), "{recorded:?}");
    Ok(())
}

#[test]
fn a_snapshot_of_rings_is_a_recording_of_its_own() -> Result<()> {
    let ring = [("OMPTTRACE_OVERFLOW", "ring"), ("OMPTTRACE_BUFFER", "4K")];
    let mut running = Running::start("busy", By::Runtime, &ring)?;
    running.gives(FLUSH)?;
    for number in 0..10 {
        let snapshot = running.scratch.path().join(format!("snapshot.{number}"));
        let output = format!("--output={}", snapshot.display());
        let line = said(ompttrace("snapshot", &running.run, &[&output])?)?;
        ensure!(line.contains("a snapshot of "), "{line}");
        is_sound(&snapshot)?;
        let info = Product::find()?.info(&snapshot)?;
        assert_eq!(info["life"]["ended"]["by"], "snapshot", "{info}");
        let acquired = number_of(&info, MutexAcquired::NAME, "recorded")?;
        let lost = number_of(&info, MutexReleased::NAME, "lost")?;
        ensure!(acquired > 0 && lost > 0, "{info}");
        for command in ["report", "export", "inspect"] {
            let output = ompttrace(command, &snapshot, &[])?;
            ensure!(output.status.success(), "{command}: {output:?}");
        }
    }
    running.stop()?;
    is_sound(&running.run)?;
    ensure!(Recording::open(&running.run)?.facts.closed, "the program's own is as ever");
    Ok(())
}

fn number_of(info: &serde_json::Value, event: &str, what: &str) -> Result<u64> {
    number(info, &format!("/callbacks/{event}/{what}"))
}

#[test]
fn a_snapshot_lies_beside_its_recording_and_is_of_rings() -> Result<()> {
    let mut running = Running::start("steady", By::Gomp, &[("OMPTTRACE_OVERFLOW", "ring")])?;
    running.gives(FLUSH)?;
    for name in [".snapshot.ompttrace", ".snapshot.2.ompttrace"] {
        let line = said(ompttrace("snapshot", &running.run, &[])?)?;
        ensure!(line.contains(name), "{line}");
    }
    running.stop()?;
    let mut waiting = Running::start("steady", By::Runtime, &[])?;
    let line = refused(ompttrace("snapshot", &waiting.run, &[])?)?;
    ensure!(line.contains("a snapshot is of rings"), "{line}");
    waiting.stop()?;
    Ok(())
}
