//! `ompttrace inspect`: the state of a program, by its recording, by the kernel and by its call stacks.
//!
//! The recording is read as it is, files and buffers, and nothing in it is changed; the program continues meanwhile.

mod core;
mod find;
mod kernel;
mod memory;
mod names;
pub mod ompd;
mod stacks;
mod stop;
mod unwind;

use crate::arguments::InspectArguments;
use crate::process::{self, Life};
use crate::progress::Progress;
use crate::run_folder;
use crate::say::{self, harmless};
use anyhow::{Result, anyhow, bail};
use find::Target;
pub use find::target;
use ompd::{About, Reply};
use ompttrace_inspect::{Snapshot, SnapshotSink, render};
use ompttrace_ompd::{Answer, CoreFile};
use ompttrace_recording::Recording;
use ompttrace_timeline::Options;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

pub fn run(arguments: &InspectArguments) -> Result<()> {
    if CoreFile::is_one(Path::new(&arguments.target)) {
        return of_core(arguments);
    }
    if arguments.exe.is_some() {
        bail!("--exe: {} is not a core file", say::shown(Path::new(&arguments.target)));
    }
    let Seen { snapshot, lines, answer } = see(&find::target(&arguments.target)?, arguments)?;
    match arguments.json {
        true => say::json(&value(&snapshot, answer)?),
        false => show(lines, answer),
    }
}

/// The state of a process.
pub struct Seen {
    pub snapshot: Snapshot,
    /// The snapshot in words.
    pub lines: Vec<String>,
    /// OMPD's answer about it.
    pub answer: Option<Answer>,
}

/// A run folder as something to look at.
pub fn of_run(run: &Path) -> Target {
    Target { run: run.to_owned(), pid: None }
}

/// Looks at a process by its run folder.
pub fn see(target: &Target, arguments: &InspectArguments) -> Result<Seen> {
    // Asked for before the recording is read: of one that was over by then everything is there.
    let life = Life::at(&target.run);
    let recording = run_folder::open(&target.run)?;
    let mut snapshot = read(&recording, arguments.json)?;
    snapshot.running = match life {
        // It ran when its state was copied.
        Life::Over if recording.facts.is_snapshot() => Some(true),
        Life::Runs => Some(true),
        Life::Over => Some(false),
        Life::Unknown => None,
    };
    let process = &recording.facts.process;
    let same_clock = process.time_namespace == process::namespace("time");
    if life == Life::Runs && same_clock {
        snapshot.now_ns = snapshot.now_ns.max(now());
    }
    let pid = target.pid.or_else(|| find::pid_of(&recording.facts)).filter(|_| life == Life::Runs);
    if let Some(pid) = pid {
        kernel::add(&mut snapshot, pid);
        if !arguments.no_stacks {
            stacks::add(&mut snapshot, pid, &recording);
        }
    }
    let reply = match (&arguments.ompd, pid) {
        (None, _) => None,
        (Some(_), None) => bail!("--ompd: the process no longer exists"),
        (Some(library), Some(pid)) => ask(&About::Process(pid), library.as_deref()),
    };
    if let (Some(reply), Some(pid), false) = (&reply, pid, arguments.no_stacks) {
        stacks::cut(&mut snapshot, pid, &recording, reply);
    }
    snapshot.analyse();
    let lines = render(&snapshot);
    Ok(Seen { snapshot, lines, answer: reply.map(|reply| reply.answer) })
}

/// Inspects a core file: its call stacks in any case, and OMPD's answer if OMPD can be queried.
fn of_core(arguments: &InspectArguments) -> Result<()> {
    let (path, exe) = (Path::new(&arguments.target), arguments.exe.as_deref());
    // What is wrong with the file itself is reported once.
    let core = CoreFile::open(path, exe)?;
    let library = arguments.ompd.iter().flatten().next();
    let reply = ask(&About::Core(path, exe), library.map(|path| &**path));
    let answer = reply.map(|reply| reply.answer);
    let view = core::view(&core, answer.as_ref(), !arguments.no_stacks);
    match arguments.json {
        true => say::json(&value(&view, answer)?),
        false => show(view.lines(), answer),
    }
}

/// Queries OMPD; if that fails, the reason is reported and everything else is shown.
fn ask(about: &About<'_>, library: Option<&Path>) -> Option<Reply> {
    ompd::ask(about, library).inspect_err(|error| say::remark(&format!("OMPD: {error:#}"))).ok()
}

/// A state as JSON, with OMPD's answer.
pub fn value(found: &impl Serialize, answer: Option<Answer>) -> Result<Value> {
    let mut value = serde_json::to_value(found)?;
    if let (Some(answer), Some(all)) = (answer, value.as_object_mut()) {
        all.insert("ompd".into(), serde_json::to_value(answer)?);
    }
    Ok(value)
}

/// Prints a state in words, with OMPD's answer.
pub fn show(mut lines: Vec<String>, answer: Option<Answer>) -> Result<()> {
    if let Some(answer) = answer {
        lines.push(String::new());
        lines.extend(ompd::lines(&answer));
    }
    let lines: Vec<String> = lines.iter().map(|line| harmless(line)).collect();
    say::out(&lines.join("\n"))
}

/// Reads the regions, tasks and waits that are open in the recording.
fn read(recording: &Recording, quiet: bool) -> Result<Snapshot> {
    let mut progress = Progress::new(quiet);
    let watch = |done, all| progress.show(done, all);
    let options = Options { min_resume_ns: 0, window: (None, None), watch };
    let outcome = ompttrace_timeline::run_with(recording, SnapshotSink::new(), options);
    recording.check()?;
    Ok(outcome.map_err(|error| anyhow!("{error}"))?.0)
}

/// Time of CLOCK_MONOTONIC, in nanoseconds.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64)
}
