//! `ompttrace pack`: the events of a run that is over become one small file.

use crate::amend::amend;
use crate::arguments::PackArguments;
use crate::given;
use crate::process;
use crate::progress::Progress;
use crate::recover::recover;
use crate::say;
use anyhow::{Result, bail};
use ompttrace_packed::{Options, Outcome, pack_folder, packed_bytes};
use ompttrace_recording::Recording;
use ompttrace_recording::facts::{Facts, Life};
use ompttrace_recording::reader::Pool;
use serde_json::json;
use std::path::Path;

pub fn run(arguments: &PackArguments) -> Result<()> {
    if let Some(recovery) = recover(&arguments.run)
        && let Err(error) = recovery.moved
    {
        let from = say::shown(&recovery.from);
        bail!("the buffers in {from} cannot be moved into the run folder: {error:#}");
    }
    let recording = given::open(&arguments.run)?;
    if packed_bytes(&arguments.run).is_none() {
        refuse_living(&arguments.run, &recording.facts)?;
    }
    keep_last_sign(&recording)?;
    let options = Options { level: arguments.level, keep: arguments.keep };
    let mut progress = Progress::new(arguments.quiet);
    let outcome = pack_folder(&recording, options, |done, all| progress.show(done, all))?;
    drop(progress);
    if arguments.json {
        return say::out(&format!("{:#}", value(&outcome)));
    }
    match arguments.quiet {
        true => Ok(()),
        false => say::out(&line(&outcome)),
    }
}

/// What the pool, which goes, says of a process whose end nobody saw is put into the facts, which stay.
fn keep_last_sign(recording: &Recording) -> Result<()> {
    let life = &recording.facts.life;
    let seen = recording.last_sign.filter(|_| life.ended.is_none());
    if seen == life.seen {
        return Ok(());
    }
    let life = serde_json::to_value(Life { seen, ..life.clone() })?;
    amend(&recording.path, |facts| drop(facts.insert("life".into(), life)))
}

/// What a process still writes must not be taken away from under its hands.
fn refuse_living(run: &Path, facts: &Facts) -> Result<()> {
    let start = match Pool::of(run, facts)? {
        Pool::Found(pool) => pool.process_start(),
        Pool::None | Pool::Refused => 0,
    };
    if facts.closed || process::is_over(&facts.process, start) {
        return Ok(());
    }
    let (run, host) = (say::shown(run), say::harmless(&facts.process.host));
    bail!(
        "{run}: not closed, and its program (process {} on {host}) may still run: pack it there, when it is over",
        facts.process.pid
    )
}

fn line(outcome: &Outcome) -> String {
    let Outcome { path, before, after, events, .. } = outcome;
    let (path, each) = (say::shown(path), bytes_per_event(outcome));
    format!("{path}: {events} events, {after} bytes instead of {before}, {each:.2} per event")
}

fn bytes_per_event(outcome: &Outcome) -> f64 {
    outcome.after as f64 / outcome.events.max(1) as f64
}

fn value(outcome: &Outcome) -> serde_json::Value {
    json!({
        "packed": outcome.path,
        "events": outcome.events,
        "records": outcome.records,
        "bytes": outcome.after,
        "bytes_before": outcome.before,
        "bytes_per_event": bytes_per_event(outcome),
    })
}
