//! `ompttrace merge`: one Perfetto trace of several processes, as the ranks of an MPI program.

mod clocks;
mod parallel;

use crate::arguments::{MergeArguments, view_of};
use crate::export::not_interpreted;
use crate::info;
use crate::interrupted;
use crate::output_path::OutputPath;
use crate::process::Life;
use crate::progress::Progress;
use crate::recover::recover;
use crate::run_folder;
use crate::say;
use crate::trace_size;
use anyhow::{Context, Result, anyhow, bail};
use ompttrace_model::{MIN_RESUME_NS, Summary, View, process_name};
use ompttrace_perfetto::{PerfettoSink, SharedCores};
use ompttrace_recording::reader::Missing;
use ompttrace_recording::{PinnedFolder, Recording};
use ompttrace_timeline::{BackgroundWriter, Options};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

pub fn run(arguments: &MergeArguments) -> Result<()> {
    interrupted::watch_all("the recordings are unchanged".to_owned());
    let mut recordings = open(&arguments.runs)?;
    let machines = clocks::align(&mut recordings);
    let output = arguments.output.as_deref();
    let (output_path, file) =
        OutputPath::file(Path::new(""), output, ("merged".to_owned(), "pftrace"))?;
    let cores = SharedCores::default();
    let summaries = write(&recordings, (&file, output_path.parent()), &cores, arguments)?;
    // A trace has no room for a second machine's cores.
    if machines == 1 {
        cores.write(&mut &file).map_err(|error| anyhow!("{error}"))?;
    }
    let path = output_path.done()?;
    if arguments.json {
        return say::json(&value(&path, &recordings, &summaries));
    }
    if arguments.quiet {
        return Ok(());
    }
    for (recording, summary) in recordings.iter().zip(&summaries) {
        say::out(&line(recording, summary))?;
    }
    say::out(&format!("{}: {} processes", say::shown(&path), recordings.len()))?;
    trace_size::remark_merged(&path).iter().for_each(|remark| say::remark(remark));
    Ok(())
}

/// Opens all recordings; the same one twice would be drawn over itself.
fn open(runs: &[PathBuf]) -> Result<Vec<Recording>> {
    let mut seen = HashSet::new();
    let mut recordings = Vec::new();
    for run in runs {
        run_folder::check(run)?;
        let whole = run.canonicalize().with_context(|| format!("{}", run.display()))?;
        if !seen.insert(whole) {
            bail!("{} is given twice", run.display());
        }
        recover(run, false);
        recordings.push(run_folder::open(run)?);
    }
    Ok(recordings)
}

/// Writes all processes' traces, several at a time.
fn write(
    recordings: &[Recording],
    to: (&File, &PinnedFolder),
    cores: &SharedCores,
    arguments: &MergeArguments,
) -> Result<Vec<Summary>> {
    let (done, all) = (AtomicU64::new(0), recordings.iter().map(Recording::bytes).sum());
    let progress = Mutex::new(Progress::new(arguments.quiet));
    let more = |bytes| {
        let sum = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        progress.lock().unwrap_or_else(PoisonError::into_inner).show(sum, all);
    };
    let jobs = arguments.jobs.count();
    // Threads that only write are of use where there are more cores than traces.
    let writes_behind = jobs.get() > recordings.len();
    parallel::write(to, recordings.len(), jobs, |number, file| {
        let recording = &recordings[number];
        let mut before = 0;
        let watch = |done: u64, _| more(done.saturating_sub(std::mem::replace(&mut before, done)));
        let writer =
            if writes_behind { BackgroundWriter::new(file) } else { BackgroundWriter::here(file) };
        let sink = PerfettoSink::beside(writer, view(arguments), cores).exact(arguments.exact);
        add(recording, sink, arguments, watch).with_context(|| say::shown(&recording.path))
    })
}

/// Writes one process's trace. Its tracks and arrows bear numbers of its own.
fn add(
    recording: &Recording,
    sink: PerfettoSink<'_>,
    arguments: &MergeArguments,
    watch: impl FnMut(u64, u64),
) -> Result<Summary> {
    let min_resume_ns = if arguments.exact { 0 } else { MIN_RESUME_NS };
    let options = Options { min_resume_ns, window: (None, None), watch };
    let outcome = ompttrace_timeline::run_with(recording, sink, options);
    recording.check()?;
    outcome.map(|(_, summary)| summary).map_err(|error| anyhow!("{error}"))
}

fn view(arguments: &MergeArguments) -> View {
    view_of(arguments.view)
}

fn line(recording: &Recording, summary: &Summary) -> String {
    let facts = &recording.facts;
    let (name, host) = (say::harmless(&process_name(facts)), say::harmless(&facts.process.host));
    let (events, lost) = (summary.events, info::lost(summary.lost, recording));
    let more = match Life::of_run(&recording.path, &recording.facts) {
        Life::Runs => ", still running",
        Life::Over | Life::Unknown => "",
    };
    let (pid, not_interpreted) = (facts.process.pid, not_interpreted(summary));
    format!("{name}, process {pid} on {host}: {events} events, {lost}{not_interpreted}{more}")
}

fn value(path: &Path, recordings: &[Recording], summaries: &[Summary]) -> Value {
    let process = |(recording, summary): (&Recording, &Summary)| {
        let process = &recording.facts.process;
        json!({
            "run": recording.path.to_string_lossy(),
            "pid": process.pid,
            "host": process.host,
            "rank": process.rank,
            "events": summary.events,
            "lost": summary.lost,
            "missing_per_thread_at_most": summary.missing.map(Missing::records_per_thread),
            "running": Life::of_run(&recording.path, &recording.facts).value(),
            "slices": summary.slices,
            "logical_thread_slices": summary.logical_thread_slices,
            "instants": summary.instants,
        })
    };
    let processes: Vec<_> = recordings.iter().zip(summaries).map(process).collect();
    json!({ "trace": path.to_string_lossy(), "processes": processes })
}
