//! `ompttrace info`: what a recording holds, for people and as JSON.

pub mod cores;
mod counters;
mod devices;
mod ending;
mod life;
mod mpi;
mod samples;
mod sources;
mod stacks;
mod surroundings;

pub use ending::{ending, ending_with, lost, reservations};

use crate::arguments::InfoArguments;
use crate::cost::Cost;
use crate::process::Life;
use crate::run_folder;
use crate::say::{self, harmless};
use crate::waiting::Waiting;
use anyhow::Result;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{self, MpiEnter, OURS, Scope};
use ompttrace_recording::facts::{Facts, Runtime};
use ompttrace_recording::reader::Missing;
use ompttrace_timeline::Counts;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The version of what `--json` prints: raised when a field changes its meaning or is removed. `schemas` describes it.
const SCHEMA: u32 = 1;

/// The numbers of OMPT's events.
fn callbacks() -> impl Iterator<Item = u16> {
    (1..OURS).filter(|number| !events::name(*number).is_empty())
}

pub fn run(arguments: &InfoArguments) -> Result<()> {
    let life = Life::at(&arguments.run);
    let recording = run_folder::open(&arguments.run)?;
    let waiting = Waiting::new("reading the recording", arguments.json || arguments.closing_line);
    let counts = ompttrace_timeline::count(&recording);
    drop(waiting);
    recording.check()?;
    if arguments.closing_line {
        say::remark(&closing_line(&recording, &counts));
        return Ok(());
    }
    match arguments.json {
        true => say::json(&describe(&recording, &counts, life)),
        false => say::out(&text(&recording, &counts, life)),
    }
}

/// The number of events of a recording without a trace and its ending, in one line.
pub fn summary(run: &Path, status: Option<&str>) -> Result<String> {
    let life = Life::at(run);
    let recording = Recording::open(run)?;
    let (folder, (events, lost)) =
        (say::shown(run), events(&ompttrace_timeline::count(&recording)));
    let (lost, ending) = (self::lost(lost, &recording), ending_with(&recording, life, status));
    Ok(format!("{folder}: recording of {events} events, {lost}; {ending}"))
}

/// Number of calls of each callback in a recording.
pub fn delivered(recording: &Recording) -> Vec<(&'static str, u64)> {
    let counts = ompttrace_timeline::count(recording);
    callbacks().map(|number| (events::name(number), counts.recorded_all(number))).collect()
}

/// The path of the recording, the number of its events, and of lost ones.
fn closing_line(recording: &Recording, counts: &Counts) -> String {
    let (folder, (events, lost)) = (say::shown(&recording.path), events(counts));
    // It is at its end, and waits for us.
    let (lost, more) = (self::lost(lost, recording), reservations(recording, Life::Over));
    format!("{folder}: recording of {events} events, {lost}{more}")
}

/// Bytes of a packed recording's events, and for each of them.
fn packed(recording: &Recording, counts: &Counts) -> Option<(u64, f64)> {
    let bytes = ompttrace_packed::packed_bytes(&recording.path)?;
    Some((bytes, bytes as f64 / events(counts).0.max(1) as f64))
}

/// Recorded and lost events of the program: those of the interface, and calls of MPI.
pub fn events(counts: &Counts) -> (u64, u64) {
    let all = || callbacks().chain([MpiEnter::NUMBER]);
    let sum = |count: &dyn Fn(u16) -> u64| all().map(count).sum();
    (sum(&|number| counts.recorded_all(number)), sum(&|number| counts.lost_all(number)))
}

/// All that `--json` prints.
pub fn describe(recording: &Recording, counts: &Counts, life: Life) -> Value {
    let facts = &recording.facts;
    let (recorded, lost) = events(counts);
    let runtime = facts.last_runtime();
    let callbacks: Map<String, Value> = callbacks()
        .map(|number| (number, events::name(number)))
        .map(|(number, name)| (name.to_owned(), callback(runtime, counts, number, name)))
        .collect();
    json!({
        "schema": SCHEMA,
        "runtime": runtime.map(sources::value),
        "runtimes": facts.runtimes.iter().map(sources::value).collect::<Vec<_>>(),
        "events": {
            "recorded": recorded,
            "lost": lost,
            "missing_per_thread_at_most": recording.missing().map(Missing::records_per_thread),
        },
        "threads": recording.threads.len(),
        "callbacks": callbacks,
        "process": facts.process,
        "surroundings": facts.surroundings,
        "clock": facts.clock.source,
        "tool": facts.tool,
        "format": facts.format,
        "packed": packed(recording, counts).map(|(bytes, each)| {
            json!({ "bytes": bytes, "bytes_per_event": each })
        }),
        "overflow": overflow(facts),
        "cores": cores::value(recording),
        "counters": counters::value(facts),
        "samples": samples::value(facts),
        "mpi": mpi::value(counts),
        "devices": devices::value(counts),
        "life": life::value(recording),
        "running": life.value(),
        "closed": facts.closed,
        "finalized": facts.finalized,
        "records": { "all": counts.records, "undecoded_bytes": counts.undecoded },
        "damage": {
            "unreadable_bytes": recording.damage.unreadable,
            "torn_fragments": recording.damage.torn,
            "missing_bytes": recording.damage.missing,
            "missing_buffers": recording.damage.gaps,
            "bytes_from_pool": recording.damage.from_pool,
            "pool_missing": recording.damage.pool_missing,
            "pool_refused": recording.damage.pool_refused,
        },
        "waits": { "count": counts.tool_waits, "ticks": counts.tool_wait_ticks },
        "call_stacks": stacks::value(recording, counts),
        "cost": Cost::new(recording, counts).value(),
    })
}

fn callback(runtime: Option<&Runtime>, counts: &Counts, number: u16, name: &str) -> Value {
    let registered = runtime.and_then(|runtime| runtime.callbacks.get(name));
    let (recorded, lost) = (counts.recorded_all(number), counts.lost_all(number));
    let scope = |scope| counts.recorded(number, scope) + counts.lost(number, scope);
    let scopes = [Scope::None, Scope::Begin, Scope::End, Scope::BeginEnd].map(scope);
    json!({
        "registered": registered,
        "observed": scopes.iter().sum::<u64>(),
        "recorded": recorded,
        "lost": lost,
        "begin": scope(Scope::Begin),
        "end": scope(Scope::End),
        "beginend": scope(Scope::BeginEnd),
    })
}

fn text(recording: &Recording, counts: &Counts, life: Life) -> String {
    let facts = &recording.facts;
    let (recorded, lost) = events(counts);
    let mut lines = vec![
        format!("program   {}", harmless(&facts.process.arguments.join(" "))),
        format!("process   {} on {}", facts.process.pid, harmless(&facts.process.host)),
    ];
    for runtime in &facts.runtimes {
        lines.extend(sources::lines(runtime));
    }
    lines.extend(surroundings::lines(facts));
    lines.extend([
        format!("threads   {}", recording.threads.len()),
        format!("events    {recorded} recorded, {}", self::lost(lost, recording)),
        format!("ended     {}", ending(recording, life)),
        life::line(recording),
        match packed(recording, counts) {
            Some((bytes, each)) => format!("packed    {each:.2} bytes per event, {bytes} in all"),
            None => "packed    no".to_owned(),
        },
        format!("tool      waited {} times for its own buffers", counts.tool_waits),
        format!("overflow  {}", harmless(overflow(facts))),
        cores::line(recording),
    ]);
    lines.extend(counters::line(facts));
    lines.extend(samples::line(facts));
    lines.extend(mpi::lines(counts));
    lines.extend(devices::line(counts));
    lines.extend(stacks::lines(recording, counts));
    lines.extend(Cost::new(recording, counts).lines());
    lines.push(format!("\n{:<24}{:>12}{:>12}  registered", "callback", "recorded", "lost"));
    lines.extend(callbacks().map(|number| callback_line(facts.last_runtime(), counts, number)));
    lines.join("\n")
}

fn callback_line(runtime: Option<&Runtime>, counts: &Counts, number: u16) -> String {
    let name = events::name(number);
    let registered = sources::registered(runtime, name);
    let (recorded, lost) = (counts.recorded_all(number), counts.lost_all(number));
    format!("{name:<24}{recorded:>12}{lost:>12}  {registered}")
}

/// Action of threads whose buffers were full; recordings from before there was a choice have none, and their threads
/// waited.
fn overflow(facts: &Facts) -> &str {
    if facts.overflow.is_empty() { "wait" } else { &facts.overflow }
}
