//! `ompttrace record`: a time of a program that runs with its recording paused, and the trace of that time.

use crate::arguments::{ControlCommand, ExportArguments, RecordArguments};
use crate::control::{Outcome, Program, give, programs, said};
use crate::job::Job;
use crate::process::Life;
use crate::{export, job, say, units};
use anyhow::{Result, bail, ensure};
use ompttrace_recording::Recording;
use ompttrace_recording::outside::{Carried, RECORDING};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time between two looks whether the recording is to end early.
const LOOK: Duration = Duration::from_millis(50);

pub fn run(arguments: &RecordArguments) -> Result<()> {
    if arguments.output.is_some() && arguments.format.len() > 1 {
        bail!("--output is for a single format");
    }
    let programs = programs(&arguments.target)?;
    let started = start(&programs, arguments)?;
    // Until then Ctrl-C ends this command: there is nothing to make a trace of.
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    if !arguments.quiet {
        let time = units::in_words(arguments.time.as_nanos() as u64);
        say::remark(&format!("recording for {time}; Ctrl-C ends it"));
    }
    wait(&programs, arguments.time, &interrupted);
    let paused = give(&programs, ControlCommand::Pause, arguments.wait);
    let mut ends = Vec::new();
    for (program, outcome) in programs.iter().zip(paused) {
        match outcome {
            Ok(Outcome::Carried(carried)) => ends.push(carried.answered_at),
            // A program that ended meanwhile has recorded until then.
            Ok(Outcome::Over) => {}
            Ok(pending) => {
                let why = said(ControlCommand::Pause, pending).err().unwrap_or_default();
                say::remark(&format!("{}: {why}", program.name));
            }
            Err(error) => say::remark(&format!("{error:#}")),
        }
    }
    let is_over = ends.len() < programs.len();
    let window = (started, ends.into_iter().max().filter(|_| !is_over));
    export_window(&programs, window, arguments)
}

/// Starts all recordings, which must be paused; returns the time of the first start. Where that fails for one, all are as before.
fn start(programs: &[Program], arguments: &RecordArguments) -> Result<u64> {
    let outcomes = give(programs, ControlCommand::Start, arguments.wait);
    let mut started: Vec<(&Program, Carried)> = Vec::new();
    let mut failure = None;
    for (program, outcome) in programs.iter().zip(outcomes) {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                failure = Some(format!("{error:#}"));
                continue;
            }
        };
        match (said(ControlCommand::Start, outcome), outcome) {
            (Ok(_), Outcome::Carried(carried)) if carried.answer.before != RECORDING => {
                started.push((program, carried));
            }
            (Ok(_), _) => {
                let why = "the recording is not paused: `ompttrace export --from --to` makes a trace of a part of it";
                failure = Some(format!("{}: {why}", program.name));
            }
            // A start that is not taken yet is replaced by a pause.
            (Err(why), _) => {
                if matches!(outcome, Outcome::Pending(_) | Outcome::UnderWay(_)) {
                    let _ = program.ask(ControlCommand::Pause);
                }
                failure = Some(format!("{}: {}", program.name, pending_or(&why, outcome)));
            }
        }
    }
    match failure {
        None => Ok(started.iter().map(|(_, carried)| carried.taken_at).min().unwrap_or(0)),
        Some(failure) => {
            for (program, _) in started {
                if let Some(asked) = program.ask(ControlCommand::Pause)? {
                    program.wait(asked, arguments.wait)?;
                }
            }
            bail!("{failure}")
        }
    }
}

fn pending_or(why: &str, outcome: Outcome) -> String {
    match outcome {
        Outcome::Pending(waited) => {
            let waited = units::in_words(waited.as_nanos() as u64);
            format!(
                "no event of the program within {waited}, nothing is recorded; --wait takes longer times"
            )
        }
        _ => why.to_owned(),
    }
}

/// Waits for the time, at most as long as a program runs and nobody interrupts.
fn wait(programs: &[Program], time: Duration, interrupted: &AtomicBool) {
    let started = Instant::now();
    while !interrupted.load(Ordering::Relaxed) {
        let left = time.saturating_sub(started.elapsed());
        let runs = |program: &Program| Life::at(&program.run) != Life::Over;
        if left.is_zero() || !programs.iter().any(runs) {
            return;
        }
        sleep(left.min(LOOK));
    }
}

/// Makes the trace of what lies between two times, in CLOCK_MONOTONIC nanoseconds; the second is `None` if a program has ended since.
fn export_window(
    programs: &[Program],
    (from, to): (u64, Option<u64>),
    arguments: &RecordArguments,
) -> Result<()> {
    let begins = programs.iter().map(|program| {
        let recording = Recording::open(&program.run)?;
        Ok(ompttrace_timeline::span_of(&recording).0)
    });
    let begin = begins.collect::<Result<Vec<_>>>()?.into_iter().min().unwrap_or(0);
    let since = |time: u64| time.saturating_sub(begin);
    let given = Path::new(&arguments.target);
    let of_job = Job::at(given)?;
    let run = match (&of_job, programs) {
        (Some(job), _) => job.path.clone(),
        (None, [program, ..]) => program.run.clone(),
        (None, []) => bail!("no program"),
    };
    let to = to.map(since);
    ensure!(to.is_none_or(|to| to > since(from)), "nothing was recorded");
    let export = ExportArguments {
        format: arguments.format.clone(),
        output: arguments.output.clone(),
        from: Some(since(from)),
        to,
        quiet: arguments.quiet,
        json: arguments.json,
        ..ExportArguments::of(&run)
    };
    match of_job {
        Some(job) => job::export::run(&job, &export),
        None => export::run(&export),
    }
}
