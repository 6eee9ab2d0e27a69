//! `ompttrace export`: a recording becomes a trace.

use crate::arguments::{ExportArguments, Format, View};
use crate::info;
use crate::place::Place;
use anyhow::{Result, anyhow};
use ompttrace_perfetto::PerfettoSink;
use ompttrace_recording::Recording;
use ompttrace_timeline::{Summary, count};
use serde_json::json;
use std::path::{Path, PathBuf};

pub fn run(arguments: &ExportArguments) -> Result<()> {
    let recording = Recording::open(&arguments.run)?;
    for format in &arguments.format {
        match format {
            Format::Perfetto => perfetto(&recording, arguments)?,
        }
    }
    Ok(())
}

fn perfetto(recording: &Recording, arguments: &ExportArguments) -> Result<()> {
    let (place, file) = Place::open(&arguments.run, arguments.output.as_deref(), "pftrace")?;
    let view = match arguments.view {
        View::Threads => ompttrace_perfetto::View::Threads,
        View::Regions => ompttrace_perfetto::View::Regions,
        View::Both => ompttrace_perfetto::View::Both,
    };
    let sink = PerfettoSink::new(file, view);
    let (_, summary) =
        ompttrace_timeline::run(recording, sink).map_err(|error| anyhow!("{error}"))?;
    let written =
        Written { path: place.done()?, events: info::events(&count(recording)).0, summary };
    report(recording, arguments, &written);
    Ok(())
}

/// A trace that is in its place.
struct Written {
    path: PathBuf,
    events: u64,
    summary: Summary,
}

fn report(recording: &Recording, arguments: &ExportArguments, written: &Written) {
    let summary = &written.summary;
    if arguments.json {
        println!("{:#}", value(written));
    } else if arguments.closing_line {
        eprintln!("ompttrace: {}", line(recording, written));
    } else if !arguments.quiet {
        println!("{}", line(recording, written));
        println!(
            "{} slices, {} instants, {} parallel regions, {} lanes; ended: {}",
            summary.slices,
            summary.instants,
            summary.region_slices,
            summary.lanes,
            info::ending(recording)
        );
    }
}

/// Where the trace is, how many events it holds, how many were lost, where it was cut.
fn line(recording: &Recording, written: &Written) -> String {
    let Written { path, events, summary } = written;
    let mut line = format!("{}: {events} events, {} lost", shown(path), summary.lost);
    if !recording.facts.finalized {
        line.push_str(", cut where the program ended");
    }
    let damage = recording.damage;
    if damage.torn + damage.unreadable + damage.missing > 0 {
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
    let Written { path, events, summary } = written;
    json!({
        "trace": path,
        "events": events,
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
