//! `ompttrace inspect`: what a program is in, by its recording, by the kernel and by its call stacks.
//!
//! The recording is read as it is, files and buffers, and nothing in it is changed; the program goes on meanwhile.

mod find;
mod kernel;
mod memory;
mod names;
pub mod ompd;
mod stacks;
mod stop;
mod unwind;

use crate::arguments::InspectArguments;
use crate::given;
use crate::process::{self, Life};
use crate::progress::Progress;
use crate::say::{self, harmless};
use anyhow::{Result, anyhow, bail};
use ompd::About;
use ompttrace_inspect::{Snapshot, SnapshotSink, render};
use ompttrace_ompd::{Answer, CoreFile};
use ompttrace_recording::Recording;
use ompttrace_timeline::Options;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use std::path::Path;

pub fn run(arguments: &InspectArguments) -> Result<()> {
    let given = Path::new(&arguments.target);
    if CoreFile::is_one(given) {
        let library = arguments.ompd.iter().flatten().next();
        return show(
            arguments,
            None,
            Some(ompd::ask(&About::Core(given), library.map(|path| &**path))?),
        );
    }
    let target = find::target(&arguments.target)?;
    // Asked for before the recording is read: of one that was over by then everything is there.
    let life = Life::at(&target.run);
    let recording = given::open(&target.run)?;
    let mut snapshot = read(&recording, arguments.json)?;
    snapshot.running = match life {
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
    snapshot.analyse();
    let answer = match (&arguments.ompd, pid) {
        (None, _) => None,
        (Some(_), None) => bail!("--ompd: the process is not there to be asked"),
        (Some(library), Some(pid)) => {
            // What the recording says is said in any case.
            let answer = ompd::ask(&About::Process(pid), library.as_deref());
            answer.inspect_err(|error| say::aside(&format!("OMPD: {error:#}"))).ok()
        }
    };
    show(arguments, Some(&snapshot), answer)
}

/// What was found, for people or programs.
fn show(
    arguments: &InspectArguments,
    snapshot: Option<&Snapshot>,
    answer: Option<Answer>,
) -> Result<()> {
    if arguments.json {
        let mut value = snapshot.map_or(Ok(json!({})), serde_json::to_value)?;
        if let (Some(answer), Some(all)) = (answer, value.as_object_mut()) {
            all.insert("ompd".into(), serde_json::to_value(answer)?);
        }
        return say::out(&serde_json::to_string_pretty(&value)?);
    }
    let mut lines = snapshot.map_or(Vec::new(), render);
    if let Some(answer) = answer {
        lines.extend((!lines.is_empty()).then(String::new));
        lines.extend(ompd::lines(&answer));
    }
    let lines: Vec<String> = lines.iter().map(|line| harmless(line)).collect();
    say::out(&lines.join("\n"))
}

/// What the recording says is open.
fn read(recording: &Recording, quiet: bool) -> Result<Snapshot> {
    let mut progress = Progress::new(quiet);
    let watch = |done, all| progress.show(done, all);
    let options = Options { min_resume_ns: 0, window: (None, None), watch };
    let outcome = ompttrace_timeline::run_with(recording, SnapshotSink::new(), options);
    recording.check()?;
    Ok(outcome.map_err(|error| anyhow!("{error}"))?.0)
}

/// CLOCK_MONOTONIC, nanoseconds.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64)
}
