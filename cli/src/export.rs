//! `ompttrace export`: a recording becomes a trace.

use crate::arguments::{ExportArguments, Format, View};
use crate::info;
use crate::place::Place;
use crate::progress::Progress;
use crate::recover::recover;
use crate::say;
use anyhow::{Result, anyhow};
use ompttrace_perfetto::PerfettoSink;
use ompttrace_recording::Recording;
use ompttrace_timeline::Summary;
use serde_json::json;
use std::path::{Path, PathBuf};

pub fn run(arguments: &ExportArguments) -> Result<()> {
    let recovery = if arguments.closing_line { None } else { recover(&arguments.run) };
    let recording = Recording::open(&arguments.run)?;
    for format in &arguments.format {
        let written = match format {
            Format::Perfetto => perfetto(&recording, arguments)?,
        };
        report(&recording, arguments, &written)?;
    }
    match recovery {
        Some(recovery) if is_for_people(arguments) => say::out(&recovery.text()),
        _ => Ok(()),
    }
}

fn perfetto(recording: &Recording, arguments: &ExportArguments) -> Result<Written> {
    let (place, file) = Place::open(&arguments.run, arguments.output.as_deref(), "pftrace")?;
    let view = match arguments.view {
        View::Threads => ompttrace_perfetto::View::Threads,
        View::Regions => ompttrace_perfetto::View::Regions,
        View::Both => ompttrace_perfetto::View::Both,
    };
    let sink = PerfettoSink::new(file, view);
    let mut progress = Progress::new(arguments.quiet);
    let (_, summary) =
        ompttrace_timeline::run_watched(recording, sink, |done, all| progress.show(done, all))
            .map_err(|error| anyhow!("{}: {error}", place.name().display()))?;
    Ok(Written { path: place.done()?, summary })
}

/// A trace that is in its place.
struct Written {
    path: PathBuf,
    summary: Summary,
}

/// Whether the result is told in words on stdout.
fn is_for_people(arguments: &ExportArguments) -> bool {
    !arguments.json && !arguments.closing_line && !arguments.quiet
}

fn report(recording: &Recording, arguments: &ExportArguments, written: &Written) -> Result<()> {
    if arguments.json {
        return say::out(&format!("{:#}", value(written)));
    }
    if arguments.closing_line {
        say::aside(&line(recording, written));
    } else if is_for_people(arguments) {
        say::out(&format!("{}\n{}", line(recording, written), details(recording, written)))?;
    }
    Ok(())
}

fn details(recording: &Recording, written: &Written) -> String {
    let summary = &written.summary;
    format!(
        "{} slices, {} instants, {} parallel regions, {} lanes; ended: {}",
        summary.slices,
        summary.instants,
        summary.region_slices,
        summary.lanes,
        info::ending(recording)
    )
}

/// Where the trace is, how many events it holds, how many were lost, where it was cut.
fn line(recording: &Recording, written: &Written) -> String {
    let Written { path, summary } = written;
    let mut line = format!("{}: {} events, {} lost", shown(path), summary.events, summary.lost);
    if !recording.facts.finalized {
        line.push_str(", cut where the program ended");
    }
    if info::is_damaged(recording) {
        line.push_str(&format!(", damaged: {}", info::ending(recording)));
    }
    line
}

fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let short = here.and_then(|here| path.strip_prefix(here).ok().map(PathBuf::from));
    short.unwrap_or_else(|| path.to_owned()).display().to_string()
}

fn value(written: &Written) -> serde_json::Value {
    let Written { path, summary } = written;
    json!({
        "trace": path,
        "events": summary.events,
        "lost": summary.lost,
        "records": {
            "read": summary.records,
            "interpreted": summary.interpreted,
            "absorbed": summary.absorbed,
            "dropped": summary.dropped.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
        },
        "slices": summary.slices,
        "lane_slices": summary.lane_slices,
        "instants": summary.instants,
        "lane_instants": summary.lane_instants,
        "region_slices": summary.region_slices,
        "hold_slices": summary.hold_slices,
        "counter_values": summary.counter_values,
        "inferred": summary.inferred,
        "cut": summary.cut,
        "lanes": summary.lanes,
    })
}
