//! `ompttrace export`: a recording becomes a trace.

use crate::arguments::ExportArguments;
use crate::detail::{self, Plan};
use crate::estimate;
use crate::first_look;
use crate::forecast::{Forecast, window_options};
use crate::formats::table::{self, Opens, row};
use crate::formats::writer::Overviews;
use crate::formats::{self, Draft};
use crate::info;
use crate::interrupted;
use crate::job;
use crate::output_path::OutputPath;
use crate::pass::pass;
use crate::process::Life;
use crate::progress::Progress;
use crate::rebuilt;
use crate::recover::recover;
use crate::run_folder;
use crate::say;
use crate::time_windows;
use crate::trace_size::{self, remark};
use crate::units;
use anyhow::{Context, Result, anyhow, bail};
use ompttrace_model::{Sink, Summary, Windows};
use ompttrace_recording::Recording;
use ompttrace_recording::reader::Missing;
use ompttrace_timeline::Joined;
use serde_json::json;
use std::path::PathBuf;

pub fn run(arguments: &ExportArguments) -> Result<()> {
    if arguments.correct_clocks {
        bail!(job::CORRECT_CLOCKS);
    }
    interrupted::watch(&arguments.run);
    if arguments.closing_line {
        // Of a program that is at its end, and waits for us.
        let recording = run_folder::open(&arguments.run)?;
        let written = write(&recording, arguments, Life::Over)?;
        say::remark(&line(&recording, &written, Life::Over));
        return Ok(());
    }
    let recovery = recover(&arguments.run, arguments.force);
    let (recording, life, written) = export(arguments)?;
    report(&recording, arguments, &written, life)?;
    match recovery {
        Some(recovery) if is_for_people(arguments) => say::out(&recovery.text()),
        Some(recovery) => recovery.obstacle().iter().try_for_each(|obstacle| {
            say::remark(obstacle);
            Ok(())
        }),
        None => Ok(()),
    }
}

/// Makes the traces of a recording, whose names say so if it is not complete.
fn export(arguments: &ExportArguments) -> Result<(Recording, Life, Written)> {
    let life = Life::at(&arguments.run);
    let recording = run_folder::open(&arguments.run)?;
    let partial = life == Life::Runs && !recording.facts.closed;
    let arguments = ExportArguments { partial, ..arguments.clone() };
    let written = write(&recording, &arguments, life)?;
    if !arguments.quiet {
        rebuilt::remarks(&recording).iter().for_each(|remark| say::remark(remark));
    }
    Ok((recording, life, written))
}

/// Makes the traces without any output; returns the paths that readers open.
pub fn make(arguments: &ExportArguments) -> Result<Vec<PathBuf>> {
    recover(&arguments.run, false);
    let (.., written) = export(arguments)?;
    Ok(written.paths)
}

/// Makes the traces; returns one line with their paths and the ending of the run. `status` is the ending of its
/// process, if it is known.
pub fn summary(arguments: &ExportArguments, status: Option<&str>) -> Result<String> {
    let life = Life::at(&arguments.run);
    let recording = Recording::open(&arguments.run)?;
    let written = write(&recording, arguments, life)?;
    let ending = info::ending_with(&recording, life, status);
    let remarks = written.paths.iter().filter_map(|path| remark(path, &arguments.run));
    remarks.filter(|_| !arguments.quiet).for_each(|remark| say::remark(&remark));
    Ok(format!("{}; {ending}", counted(&recording, &written)))
}

/// Writes all formats asked for; then moves each to its output path.
fn write(recording: &Recording, arguments: &ExportArguments, life: Life) -> Result<Written> {
    formats::check(arguments)?;
    has_samples(recording, arguments)?;
    if arguments.split.is_some() {
        return parts(recording, arguments);
    }
    let mut written = in_one(recording, arguments)?;
    for format in arguments.formats() {
        if let Opens::Tables(write) = row(format).opens {
            let (path, summary) = write(recording, arguments, life)?;
            if written.paths.is_empty() {
                written.summary = summary;
            }
            written.paths.push(path);
        }
    }
    Ok(written)
}

/// Profiles are of samples: where there are none, what is missing is reported instead.
fn has_samples(recording: &Recording, arguments: &ExportArguments) -> Result<()> {
    if !arguments.formats().any(|format| row(format).is_of_samples) || !recording.samples.is_empty()
    {
        return Ok(());
    }
    let why = match recording.facts.samples.why.as_str() {
        "" => "record with --sample 200".to_owned(),
        why => say::harmless(why).to_string(),
    };
    let samples = table::names(|row| row.is_of_samples);
    bail!("--format {samples} need samples, and the recording has none: {why}")
}

/// Writes all traces in several parts, all formats of a part at once.
fn parts(recording: &Recording, arguments: &ExportArguments) -> Result<Written> {
    let mut progress = Progress::new(arguments.quiet);
    let watch = |done, all| progress.show(done, all);
    let (time_windows, summary) = time_windows::write(recording, arguments, watch)?;
    let paths = time_windows.iter().flat_map(|time_window| time_window.output.0.clone()).collect();
    let first = time_windows.first();
    let overviews = first.map(|time_window| time_window.output.1.clone()).unwrap_or_default();
    let is_window = arguments.is_window();
    Ok(Written { paths, summary, overviews, time_windows, is_window })
}

/// Writes all traces of the run, or of a window of its time, one format after the other.
fn in_one(recording: &Recording, arguments: &ExportArguments) -> Result<Written> {
    let plan = detail::plan(recording, arguments);
    estimate::say(recording, arguments, |line| {
        if !arguments.quiet {
            say::remark(line);
        }
    })?;
    let forecast = Forecast::of(recording, arguments, plan.as_ref());
    let arguments = &first_look::with(recording, arguments)?;
    let mut narrowed = plan.as_ref().map(|plan| forecast.narrowed(plan));
    loop {
        let (drafts, mut overviews, summary) = draw(recording, arguments, narrowed.as_ref())?;
        // A forecast may be wrong.
        if let Some(coarser) = plan.as_ref().and_then(|plan| plan.coarser(&overviews)) {
            narrowed = Some(coarser);
            continue;
        }
        forecast.complete(&mut overviews);
        let kept = drafts.into_iter().filter_map(|draft| draft.kept(&overviews));
        let paths = kept.map(OutputPath::done).collect::<Result<_>>()?;
        let mut written = Written { paths, summary, overviews, ..Written::default() };
        if arguments.is_window() {
            written.is_window = true;
            written.time_windows.push(window_of(recording, arguments, &written));
        }
        return Ok(written);
    }
}

/// The window of time that traces show.
fn window_of(
    recording: &Recording,
    arguments: &ExportArguments,
    written: &Written,
) -> time_windows::Written {
    let (first, last) = ompttrace_timeline::span_of(recording);
    let length = last.saturating_sub(first);
    time_windows::Written {
        begin: arguments.from.unwrap_or(0),
        end: arguments.to.map_or(length, |to| to.min(length)),
        output: (written.paths.clone(), written.overviews.clone()),
        summary: written.summary.clone(),
        continued_regions: 0,
    }
}

/// Draws all traces at the resolutions of a plan; the drafts are not kept yet.
fn draw(
    recording: &Recording,
    arguments: &ExportArguments,
    plan: Option<&Plan>,
) -> Result<(Vec<Draft>, Overviews, Summary)> {
    // A trace of everything alone is made faster.
    let plan = plan.filter(|plan| plan.resolutions != [0]);
    let (writers, drafts, _) = formats::open(arguments, plan, None)?;
    let (mut overviews, mut summary) = (Overviews::default(), Summary::default());
    for pass in writers.passes() {
        let outcome = pass.make(recording, arguments);
        recording.check()?;
        let (kept, of_pass) = outcome.map_err(|error| formats::about(drafts.iter(), error))?;
        overviews.0.extend(kept.0);
        summary = of_pass;
    }
    Ok((drafts, overviews, summary))
}

/// Makes one pass over the recording, several windows of it at a time.
pub fn in_windows<O, E: std::fmt::Display>(
    recording: &Recording,
    windows: Windows<'_, O, E>,
    arguments: &ExportArguments,
) -> Result<(O, Summary)> {
    let mut progress = Progress::new(arguments.quiet);
    let watch = &mut |done, all| progress.show(done, all);
    let options = window_options(arguments, watch);
    let outcome = ompttrace_timeline::run_in_windows(recording, windows, options);
    let Joined { output, summary, checkpoints } = outcome.map_err(|error| anyhow!("{error}"))?;
    if let Some(checkpoints) = checkpoints {
        // A folder in which nothing can be written does without.
        let _ = recording.leave_index(&checkpoints);
    }
    Ok((output, summary))
}

/// Makes one pass over the recording, or what matters to its window of time, by one thread.
pub fn interpret<S: Sink>(
    recording: &Recording,
    sink: S,
    arguments: &ExportArguments,
) -> Result<(S::Output, Summary)>
where
    S::Error: std::fmt::Display,
{
    let mut progress = Progress::new(arguments.quiet);
    let all = recording.bytes();
    let watch = &mut |done| progress.show(done, all);
    let (output, summary) = pass(recording, arguments, sink, None, watch)?;
    Ok((output.context("nothing of the run is in the window")?, summary))
}

/// Traces that are finished.
#[derive(Default)]
struct Written {
    paths: Vec<PathBuf>,
    summary: Summary,
    /// Overviews that were kept, for formats in which not everything is drawn as it is.
    overviews: Overviews,
    /// Parts of the run's time that have traces of their own.
    time_windows: Vec<time_windows::Written>,
    /// True if the traces show a part of the run's time only.
    is_window: bool,
}

/// True if the result is reported in words on stdout.
fn is_for_people(arguments: &ExportArguments) -> bool {
    !arguments.json && !arguments.quiet
}

fn report(
    recording: &Recording,
    arguments: &ExportArguments,
    written: &Written,
    life: Life,
) -> Result<()> {
    if arguments.json {
        return say::json(&value(written, life));
    }
    if is_for_people(arguments) {
        written
            .time_windows
            .iter()
            .try_for_each(|time_window| say::out(&window_line(time_window)))?;
        say::out(&line(recording, written, life))?;
        say::out(&details(recording, written, life))?;
        let remarks = written.paths.iter().filter_map(|path| remark(path, &arguments.run));
        remarks
            .chain(first_look::remark(recording.bytes(), arguments))
            .for_each(|remark| say::remark(&remark));
    }
    Ok(())
}

fn details(recording: &Recording, written: &Written, life: Life) -> String {
    let summary = &written.summary;
    format!(
        "{} slices, {} instants, {} parallel regions, {} logical threads; ended: {}",
        summary.slices,
        summary.instants,
        summary.region_slices,
        summary.logical_threads,
        info::ending(recording, life)
    )
}

/// The path of a window's trace, the time that it shows, and the number of its slices and instants.
fn window_line(time_window: &time_windows::Written) -> String {
    let (from, to) = (units::in_words(time_window.begin), units::in_words(time_window.end));
    let Summary { slices, instants, .. } = time_window.summary;
    format!(
        "{}: {from} to {to}, {slices} slices, {instants} instants",
        shown(&time_window.output.0)
    )
}

fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| say::shown(path)).collect::<Vec<_>>().join(", ")
}

/// The path of the trace, the number of its events, of lost ones, and where it was truncated.
fn line(recording: &Recording, written: &Written, life: Life) -> String {
    format!("{}{}", counted(recording, written), info::reservations(recording, life))
}

/// The path of the trace, the number of its events, of lost ones, and of those that are not in it.
fn counted(recording: &Recording, written: &Written) -> String {
    let summary = &written.summary;
    let events = summary.events;
    let lost = info::lost(summary.lost, recording);
    let (not_interpreted, overview) = (not_interpreted(summary), overview(&written.overviews));
    format!("{}: {events} events, {lost}{not_interpreted}{overview}", names(written))
}

/// The resolution of an overview, and how to get everything.
fn overview(overviews: &Overviews) -> String {
    let kept = overviews.0.iter().map(|(_, kept)| kept);
    let Some(kept) = kept.filter(|kept| kept.resolution > 0).max_by_key(|kept| kept.resolution)
    else {
        return String::new();
    };
    let resolution = detail::in_words(kept.resolution);
    let whole = match kept.whole {
        0 => String::new(),
        bytes => format!(", about {}", trace_size::in_words(bytes)),
    };
    format!(
        ", an overview: slices shorter than {resolution} are merged (everything{whole}: ompttrace export \
         --detail all; a time window: --from, --to)"
    )
}

/// The records that could not be interpreted, with the reasons, where there are any.
pub fn not_interpreted(summary: &Summary) -> String {
    let count: u64 = summary.dropped.iter().map(|(_, count)| count).sum();
    if count == 0 {
        return String::new();
    }
    let reasons: Vec<_> = summary.dropped.iter().map(|(reason, _)| *reason).collect();
    format!(", {count} could not be interpreted ({})", reasons.join(", "))
}

fn names(written: &Written) -> String {
    match (written.time_windows.is_empty(), written.is_window) {
        (true, _) => shown(&written.paths),
        (false, false) => "the whole run".to_owned(),
        // What lies before and after is not all interpreted.
        (false, true) => "read for the window".to_owned(),
    }
}

fn value(written: &Written, life: Life) -> serde_json::Value {
    let Written { paths, summary, overviews, time_windows, .. } = written;
    // JSON is text, and paths need not be.
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let paths: Vec<_> = paths.iter().map(text).collect();
    let time_window = |time_window: &time_windows::Written| {
        json!({
            "traces": time_window.output.0.iter().map(text).collect::<Vec<_>>(),
            "from_ns": time_window.begin,
            "to_ns": time_window.end,
            "slices": time_window.summary.slices,
            "instants": time_window.summary.instants,
        })
    };
    json!({
        "windows": time_windows.iter().map(time_window).collect::<Vec<_>>(),
        "trace": paths.first(),
        "overview": overviews.value(),
        "traces": paths,
        "events": summary.events,
        "lost": summary.lost,
        "missing_per_thread_at_most": summary.missing.map(Missing::records_per_thread),
        "running": life.value(),
        "records": {
            "read": summary.records,
            "skipped": summary.skipped,
            "interpreted": summary.interpreted,
            "absorbed": summary.absorbed,
            "dropped": summary.dropped.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
        },
        "slices": summary.slices,
        "logical_thread_slices": summary.logical_thread_slices,
        "instants": summary.instants,
        "logical_thread_instants": summary.logical_thread_instants,
        "region_slices": summary.region_slices,
        "hold_slices": summary.hold_slices,
        "counter_values": summary.counter_values,
        "samples": summary.samples,
        "inferred": summary.inferred,
        "truncated": summary.cut,
        "logical_threads": summary.logical_threads,
        "unreported_resumes": summary.unreported_resumes,
        "unreported_ns": summary.unreported_ns,
    })
}
