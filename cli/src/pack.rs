//! `ompttrace pack`: the events of a run that is over become one small file.

mod anonymise;

use crate::amend::amend;
use crate::arguments::PackArguments;
use crate::process::Life;
use crate::progress::Progress;
use crate::recover::{Outcome as Moved, Recovery, recover};
use crate::{job, run_folder, say};
use anyhow::{Result, bail};
use ompttrace_packed::{Options, Outcome, pack_folder};
use ompttrace_recording::{Recording, facts};
use serde_json::json;
use std::path::Path;

pub fn run(arguments: &PackArguments) -> Result<()> {
    match arguments.anonymise {
        Some(what) => anonymise::run(arguments, what),
        None => job::or_run(
            &arguments.run,
            |job| job::each::pack(job, arguments),
            || run_one(arguments),
        ),
    }
}

fn run_one(arguments: &PackArguments) -> Result<()> {
    let outcome = pack(arguments)?;
    if arguments.json {
        return say::json(&value(&outcome));
    }
    match arguments.quiet {
        true => Ok(()),
        false => say::out(&line(&outcome)),
    }
}

/// Packs one recording and says nothing.
pub fn pack(arguments: &PackArguments) -> Result<Outcome> {
    let recording = opened(&arguments.run, arguments.force)?;
    keep_last_sign(&recording)?;
    let PackArguments { level, keep, jobs, .. } = *arguments;
    let options = Options { level, keep, jobs: jobs.count() };
    let mut progress = Progress::new(arguments.quiet);
    Ok(pack_folder(&recording, options, |done, all| progress.show(done, all))?)
}

/// Opens a recording whose program has ended, with its buffers in the run folder.
fn opened(run: &Path, force: bool) -> Result<Recording> {
    let recovery = recover(run, force);
    let recording = run_folder::open(run)?;
    refuse_living(&recording, force)?;
    if let Some(Recovery { from, outcome: Moved::Failed(error) }) = recovery {
        let from = say::shown(&from);
        bail!("the buffers in {from} cannot be moved into the run folder: {error:#}");
    }
    Ok(recording)
}

/// Stores the last sign of life of a process whose end was not observed in the facts, since the pool, which has it, is
/// removed.
fn keep_last_sign(recording: &Recording) -> Result<()> {
    let life = &recording.facts.life;
    let seen = recording.last_sign.filter(|_| life.ended.is_none());
    if seen == life.seen {
        return Ok(());
    }
    let life = serde_json::to_value(facts::Life { seen, ..life.clone() })?;
    amend(&recording.path, |known| drop(known.insert("life".into(), life)))
}

/// Refuses to pack a recording that its process still writes.
fn refuse_living(recording: &Recording, force: bool) -> Result<()> {
    let (run, process) = (say::shown(&recording.path), &recording.facts.process);
    let program =
        format!("its program (process {} on {})", process.pid, say::harmless(&process.host));
    match Life::of_run(&recording.path, &recording.facts) {
        Life::Over => Ok(()),
        Life::Runs => bail!("{run}: {program} still runs: pack it when it has ended"),
        Life::Unknown if force => Ok(()),
        Life::Unknown => bail!(
            "{run}: not closed, and {program} may still run: pack it there when it has ended, or use --force"
        ),
    }
}

/// The result in words.
pub fn line(outcome: &Outcome) -> String {
    let Outcome { path, before, after, events, .. } = outcome;
    let (path, each) = (say::shown(path), bytes_per_event(outcome));
    format!("{path}: {events} events, {after} bytes instead of {before}, {each:.2} per event")
}

fn bytes_per_event(outcome: &Outcome) -> f64 {
    outcome.after as f64 / outcome.events.max(1) as f64
}

/// The result as `--json` prints it.
pub fn value(outcome: &Outcome) -> serde_json::Value {
    json!({
        "packed": outcome.path,
        "events": outcome.events,
        "records": outcome.records,
        "bytes": outcome.after,
        "bytes_before": outcome.before,
        "bytes_per_event": bytes_per_event(outcome),
    })
}
