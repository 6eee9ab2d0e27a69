//! `ompttrace merge`: one Perfetto trace of several processes, as the ranks of an MPI program.

mod clocks;
mod closed;
mod correct;
#[cfg(feature = "otf2")]
pub mod otf2;
mod parallel;
mod process;

pub use clocks::{Alignment, alignment};
pub use closed::{Aligned, Closed, open_aligned};
pub use correct::Corrected;

use crate::arguments::{ExportArguments, MergeArguments};
use crate::detail;
use crate::export::not_interpreted;
use crate::info;
use crate::interrupted;
use crate::job::{self, Job};
use crate::output_path::OutputPath;
use crate::process::Life;
use crate::progress::Progress;
use crate::say;
use crate::trace_size;
use anyhow::{Context, Result, anyhow};
use ompttrace_model::{Summary, process_name};
use ompttrace_perfetto::SharedCores;
use ompttrace_recording::reader::Missing;
use ompttrace_recording::{PinnedFolder, Recording};
use ompttrace_timeline::{JobMessages, LastArrivals, Matching, Ranks};
use ompttrace_workers::try_each;
use process::{Drawn, Part};
use serde_json::{Value, json};
use std::fs::File;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

pub fn run(arguments: &MergeArguments) -> Result<()> {
    interrupted::watch_all("the recordings are unchanged".to_owned());
    let runs = runs(&arguments.runs)?;
    let export = arguments.export();
    let merged = make(&runs, &export, (Path::new(""), "merged"))?;
    merged.report(&export)
}

/// The run folders that are given: of a job those of its ranks.
fn runs(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut runs = Vec::new();
    for path in given {
        match Job::at(path)? {
            Some(job) => {
                job.remark_missing();
                runs.extend(job.ranks.into_iter().map(|rank| rank.path));
            }
            None => runs.push(path.clone()),
        }
    }
    Ok(runs)
}

/// A trace of several processes, or an archive for each view.
pub struct Merged {
    /// The files that readers open.
    pub paths: Vec<PathBuf>,
    aligned: Aligned,
    drawn: Vec<Drawn>,
    messages: JobMessages,
}

/// Makes a trace of several processes: in `folder`, of a name that begins with `stem`, unless the arguments name it.
pub fn make(
    runs: &[PathBuf],
    arguments: &ExportArguments,
    (folder, stem): (&Path, &str),
) -> Result<Merged> {
    let jobs = arguments.jobs.count();
    let aligned = open_aligned(runs, jobs, arguments.correct_clocks)?;
    let recordings = &aligned.recordings;
    let name = (arguments.stem(stem), "pftrace");
    let (output_path, file) = OutputPath::file(folder, arguments.output.as_deref(), name)?;
    let cores = SharedCores::default();
    let (last, messages) = messages(recordings, jobs)?.finish();
    let to = (&file, output_path.parent());
    let drawn = write(recordings, to, (&cores, &last), arguments)?;
    // A trace has no room for a second machine's cores.
    if aligned.alignment.machines == 1 {
        cores.write(&mut &file).map_err(|error| anyhow!("{error}"))?;
    }
    Ok(Merged { paths: vec![output_path.done()?], aligned, drawn, messages })
}

/// The messages between the processes, and who comes last to each of their collective operations.
pub fn messages(recordings: &[Closed], jobs: NonZero<usize>) -> Result<Ranks> {
    let ranks = Mutex::new(Ranks::default());
    try_each("messages", jobs.get(), recordings, |closed| {
        let recording = closed.open()?;
        let matching = Matching::of(&recording, job::number(&recording.path));
        ranks.lock().unwrap_or_else(PoisonError::into_inner).add(
            closed.rank,
            &recording,
            &matching,
        );
        anyhow::Ok(())
    })?;
    Ok(ranks.into_inner().unwrap_or_else(PoisonError::into_inner))
}

impl Merged {
    /// Says what was made.
    pub fn report(&self, arguments: &ExportArguments) -> Result<()> {
        if arguments.json {
            return say::json(&self.value());
        }
        if arguments.quiet {
            return Ok(());
        }
        for (closed, drawn) in self.aligned.recordings.iter().zip(&self.drawn) {
            say::out(&line(&closed.open()?, &drawn.summary))?;
        }
        let count = self.aligned.recordings.len();
        let paths: Vec<_> = self.paths.iter().map(|path| say::shown(path)).collect();
        say::out(&format!("{}: {count} processes{}", paths.join(", "), self.overview()))?;
        if self.messages != JobMessages::default() {
            say::out(&in_words(&self.messages))?;
        }
        if self.aligned.alignment.machines > 1 {
            say::out(&format!("clocks are {}", self.aligned.alignment))?;
        }
        if let Some(corrected) = &self.aligned.corrected {
            say::out(&corrected.to_string())?;
        }
        backwards(&self.messages, self.aligned.corrected.is_some())
            .iter()
            .for_each(|words| say::remark(words));
        let remarks = self.paths.iter().filter_map(|path| trace_size::remark_merged(path));
        remarks.for_each(|remark| say::remark(&remark));
        Ok(())
    }

    /// The shortest duration that is drawn as it is in all processes' traces, nanoseconds; 0: everything is.
    fn resolution(&self) -> u64 {
        self.drawn.iter().map(|drawn| drawn.resolution).max().unwrap_or(0)
    }

    fn overview(&self) -> String {
        match self.resolution() {
            0 => String::new(),
            coarsest => format!(
                ", an overview: slices shorter than {} at most are merged (everything: --detail all; a time window: --from, --to)",
                detail::in_words(coarsest)
            ),
        }
    }

    fn value(&self) -> Value {
        let Aligned { recordings, alignment, corrected } = &self.aligned;
        let all = || recordings.iter().zip(&self.drawn);
        let processes: Vec<_> =
            all().map(|(recording, drawn)| process_value(recording, drawn)).collect();
        json!({
            "trace": self.paths.first().map(|path| path.to_string_lossy()),
            "traces": self.paths.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "resolution_ns": self.resolution(),
            "messages": messages_value(&self.messages),
            "backwards": self.messages.backwards,
            "clocks": alignment.value(),
            "corrected": corrected.as_ref().map(Corrected::value),
            "processes": processes,
        })
    }
}

/// Messages between processes, for people.
pub fn in_words(messages: &JobMessages) -> String {
    let JobMessages { matched, without_receive, without_send, after_gap, .. } = *messages;
    let why = [
        (without_receive, "sends without a receive"),
        (without_send, "receives without a send"),
        (after_gap, "after a pause or a loss"),
        (messages.unknown_communicator, "in communicators whose members are not known"),
        (messages.unknown_order, "after messages of which it is not known which they are"),
    ];
    let why: Vec<_> = why.iter().filter(|(count, _)| *count > 0).collect();
    let why: Vec<_> = why.iter().map(|(count, why)| format!("{count} {why}")).collect();
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
    format!("{matched} messages matched, {} ends unmatched{why}", messages.unmatched())
}

/// Messages between processes, as JSON.
pub fn messages_value(messages: &JobMessages) -> Value {
    json!({
        "matched": messages.matched,
        "without_receive": messages.without_receive,
        "without_send": messages.without_send,
        "after_gap": messages.after_gap,
        "unknown_communicator": messages.unknown_communicator,
        "unknown_order": messages.unknown_order,
    })
}

/// A line on messages that run backwards, if there are any.
pub fn backwards(messages: &JobMessages, is_corrected: bool) -> Option<String> {
    let cure = if is_corrected { "" } else { "; --correct-clocks puts them in order" };
    (messages.backwards > 0).then(|| {
        format!(
            "{} messages were received before they were sent: clocks disagree, and waits between machines are as uncertain{cure}",
            messages.backwards
        )
    })
}

/// Writes all processes' traces, several at a time.
fn write(
    recordings: &[Closed],
    to: (&File, &PinnedFolder),
    (cores, last): (&SharedCores, &LastArrivals),
    arguments: &ExportArguments,
) -> Result<Vec<Drawn>> {
    let progress = progress_of(recordings, arguments);
    let jobs = arguments.jobs.count();
    // Threads that only write are of use where there are more cores than traces.
    let writes_behind = jobs.get() > recordings.len();
    let arguments = process::arguments(recordings, arguments);
    let each: Vec<_> = recordings.iter().zip(&arguments).collect();
    parallel::write(to, recordings.len(), jobs, |number, file| {
        let Some((recording, arguments)) = each.get(number) else { return Ok(Drawn::default()) };
        let mut watch = progress.watch();
        let recording = &recording.open()?;
        let part = Part { recording, arguments, cores, last, folder: to.1, writes_behind };
        part.draw(file, &mut watch).with_context(|| say::shown(&recording.path))
    })
}

/// The progress of several recordings that are read at the same time.
struct Progresses {
    done: AtomicU64,
    all: u64,
    shown: Mutex<Progress>,
}

fn progress_of(recordings: &[Closed], arguments: &ExportArguments) -> Progresses {
    let all = recordings.iter().map(|one| one.bytes).sum();
    let shown = Mutex::new(Progress::new(arguments.quiet));
    Progresses { done: AtomicU64::new(0), all, shown }
}

impl Progresses {
    /// A function that takes the progress of one of them.
    fn watch(&self) -> impl FnMut(u64) {
        let mut before = 0;
        move |done: u64| {
            let more = done.saturating_sub(std::mem::replace(&mut before, done));
            let sum = self.done.fetch_add(more, Ordering::Relaxed) + more;
            self.shown.lock().unwrap_or_else(PoisonError::into_inner).show(sum, self.all);
        }
    }
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

fn process_value(recording: &Closed, drawn: &Drawn) -> Value {
    let (process, summary) = (&recording.facts.process, &drawn.summary);
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
}
