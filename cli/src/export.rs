//! `ompttrace export`: a recording becomes a trace.

use crate::arguments::{ExportArguments, Format};
use crate::info;
use crate::place::Place;
use crate::progress::Progress;
use crate::recover::recover;
use crate::say;
use anyhow::{Result, anyhow, bail};
use ompttrace_chrome::ChromeSink;
use ompttrace_perfetto::PerfettoSink;
use ompttrace_recording::Recording;
use ompttrace_timeline::{Both, Sink, Summary, TimelineError};
use serde_json::json;
use std::fmt::Display;
use std::path::PathBuf;

pub fn run(arguments: &ExportArguments) -> Result<()> {
    let recovery = if arguments.closing_line { None } else { recover(&arguments.run) };
    let recording = Recording::open(&arguments.run)?;
    report(&recording, arguments, &write(&recording, arguments)?)?;
    match recovery {
        Some(recovery) if is_for_people(arguments) => say::out(&recovery.text()),
        _ => Ok(()),
    }
}

/// Writes all formats asked for in one pass over the recording.
fn write(recording: &Recording, arguments: &ExportArguments) -> Result<Written> {
    let wants = |format| arguments.format.contains(&format);
    if arguments.output.is_some() && wants(Format::Perfetto) && wants(Format::Chrome) {
        bail!("--output names one file, and several formats are asked for");
    }
    let view = arguments.view.into();
    let perfetto = |file| PerfettoSink::new(file, view);
    let chrome = |file| match arguments.gzip {
        true => ChromeSink::gzip(file, view),
        false => ChromeSink::new(file, view),
    };
    let open = |extension| Place::open(&arguments.run, arguments.output.as_deref(), extension);
    let json = if arguments.gzip { "json.gz" } else { "json" };
    if !wants(Format::Chrome) {
        let (place, file) = open("pftrace")?;
        return drive(recording, arguments, perfetto(file), vec![place]);
    }
    let (json, json_file) = open(json)?;
    if !wants(Format::Perfetto) {
        return drive(recording, arguments, chrome(json_file), vec![json]);
    }
    let (native, native_file) = open("pftrace")?;
    let both = Both(perfetto(native_file), chrome(json_file));
    drive(recording, arguments, both, vec![native, json])
}

/// Tells the recording to a sink; what it wrote is then put in its places.
fn drive<S: Sink>(
    recording: &Recording,
    arguments: &ExportArguments,
    sink: S,
    places: Vec<Place>,
) -> Result<Written>
where
    TimelineError<S::Error>: Display,
{
    let mut progress = Progress::new(arguments.quiet);
    let outcome =
        ompttrace_timeline::run_watched(recording, sink, |done, all| progress.show(done, all));
    let names: Vec<_> = places.iter().map(|place| say::shown(&place.name())).collect();
    let (_, summary) = outcome.map_err(|error| anyhow!("{}: {error}", names.join(", ")))?;
    let paths = places.into_iter().map(Place::done).collect::<Result<_>>()?;
    Ok(Written { paths, summary })
}

/// Traces that are in their places.
struct Written {
    paths: Vec<PathBuf>,
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
    let Written { paths, summary } = written;
    let names: Vec<_> = paths.iter().map(|path| say::shown(path)).collect();
    let (names, Summary { events, lost, .. }) = (names.join(", "), summary);
    format!("{names}: {events} events, {lost} lost{}", info::reservations(recording))
}

fn value(written: &Written) -> serde_json::Value {
    let Written { paths, summary } = written;
    json!({
        "trace": paths.first(),
        "traces": paths,
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
