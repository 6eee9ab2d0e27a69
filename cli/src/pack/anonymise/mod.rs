//! `ompttrace pack --anonymise`: a packed copy of a recording, or of a job's, to pass on with a bug report.
//!
//! Whatever is text in a recording is replaced or is decided about by name: facts by field, records by event, entries of devices by
//! kind. Files that the copy does not know, such as traces in the run folder, are not in it. Names of functions and lines, for which
//! readers need the program's files, are looked up here and stored in the copy.

mod devices;
mod facts;
mod modules;
mod phases;
mod records;
mod replacer;
mod settings;
mod symbols;
#[cfg(test)]
mod tests;
mod texts;

use crate::arguments::{Anonymise, PackArguments};
use crate::job::Job;
use crate::output_path::OutputPath;
use crate::progress::Progress;
use crate::{interrupted, say};
use anyhow::{Context, Result, ensure};
use ompttrace_packed::{Options, Outcome, pack_folder};
use ompttrace_recording::events::{Event, Record};
use ompttrace_recording::reader::{Damage, Elsewhere, Streams, ThreadIndex};
use ompttrace_recording::{PinnedFolder, Recording, folder};
use ompttrace_symbols::Modules;
use phases::PhaseNames;
use records::Rewritten;
use replacer::Replacer;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use symbols::{Addresses, OfThread};

/// The copy's name, which says nothing about the recording's.
const NAME: &str = "anonymised";

/// Makes the copy of a recording, or of those of all ranks, and says what is not in it.
pub fn run(arguments: &PackArguments, what: Anonymise) -> Result<()> {
    interrupted::watch_all("the recording is unchanged".to_owned());
    let job = Job::at(&arguments.run)?;
    let runs = match &job {
        Some(job) => {
            job.remark_missing();
            job.ranks.iter().map(|rank| (Some(rank.number), rank.path.clone())).collect()
        }
        None => vec![(None, arguments.run.clone())],
    };
    let by = Arc::new(Replacer::new(what));
    let originals = runs.into_iter().map(|(rank, run)| {
        let recording = super::opened(&run, arguments.force)?;
        // What one rank has to hide none may say.
        facts::hide(&recording.facts, &by);
        Ok((rank, recording.path.clone()))
    });
    let originals = originals.collect::<Result<Vec<_>>>()?;
    let output = OutputPath::run_folder(
        &beside(&arguments.run)?,
        arguments.output.as_deref(),
        NAME.to_owned(),
    )?;
    let made = output.made().with_context(|| say::shown(&output.name()))?;
    let (mut values, mut outcomes) = (Vec::new(), Vec::new());
    for (rank, run) in originals {
        let to = rank.map(|rank| made.private(format!("rank.{rank}"))).transpose()?;
        let outcome = copy(&run, to.as_ref().unwrap_or(&made), arguments, &by);
        let outcome = outcome.with_context(|| say::shown(&run))?;
        values.push((rank, super::value(&outcome)));
        outcomes.push(outcome);
    }
    let path = output.done()?;
    if arguments.json {
        return say::json(&value(&path, what, job.is_some(), values));
    }
    match arguments.quiet {
        true => Ok(()),
        false => say::out(&line(&path, what, &outcomes)),
    }
}

/// The folder in which the copy lies unless another one is asked for.
fn beside(run: &Path) -> Result<PathBuf> {
    let run = fs::canonicalize(run).with_context(|| say::shown(run))?;
    Ok(run.parent().unwrap_or(Path::new("/")).to_owned())
}

/// Writes the copy of one recording into a new folder.
fn copy(
    run: &Path,
    to: &PinnedFolder,
    arguments: &PackArguments,
    by: &Arc<Replacer>,
) -> Result<Outcome> {
    let recording = ompttrace_packed::open(run)?;
    ensure!(
        recording.devices_file().is_none(),
        "its file `{}`, of an older tool, cannot be anonymised",
        folder::DEVICES
    );
    let before = size(run);
    let modules = Modules::from_text(&recording.modules_text());
    let mut phases = PhaseNames::default();
    let mut addresses = survey(&recording, &modules, &mut phases);
    let of_devices = recording.device_records_file().map(devices::Survey::of).transpose()?;
    let of_devices = of_devices.unwrap_or_default();
    addresses.add_instructions(&of_devices.instructions);
    recording.check()?;
    // First, so that the program is the first of its kind.
    let mut facts = facts::facts(&recording.facts, recording.last_sign, by);
    let mut put = |name: &str, text: &[u8]| -> Result<()> {
        if !text.is_empty() {
            to.create(name)?.write_all(text)?;
            facts.files.insert(name.to_owned(), text.len() as u64);
        }
        Ok(())
    };
    put(folder::MODULES, &modules::replaced(&recording.modules_text(), by))?;
    put(folder::SYMBOLS, &symbols::names(&addresses, &recording, modules, by).to_json()?)?;
    if let Some(records) = recording.device_records_file() {
        let mut file = BufWriter::new(to.create(folder::DEVICE_RECORDS)?);
        let bytes = devices::copy(records, &mut file, by, &of_devices)?;
        file.flush()?;
        facts.files.insert(folder::DEVICE_RECORDS.to_owned(), bytes);
    }
    to.create(folder::FACTS)?.write_all(&serde_json::to_vec_pretty(&facts)?)?;
    let (streams, damage) = described(&recording);
    let source = Rewritten { original: recording, by: Arc::clone(by), phases };
    let rewritten = Recording::elsewhere(&to.path(), facts, (streams, damage), Box::new(source));
    let options = Options { level: arguments.level, keep: true, jobs: arguments.jobs.count() };
    let mut progress = Progress::new(arguments.quiet);
    let outcome = pack_folder(&rewritten, options, |done, all| progress.show(done, all))?;
    Ok(Outcome { before, ..outcome })
}

/// Bytes of the events' files in a run folder.
fn size(run: &Path) -> u64 {
    let stripes = (0..folder::STRIPES).map(|number| format!("{}{number}", folder::EVENTS));
    let names = stripes.chain([folder::PACKED, folder::POOL].map(str::to_owned));
    names.filter_map(|name| run.join(name).symlink_metadata().ok()).map(|about| about.len()).sum()
}

/// Reads all records for the addresses and the names of phases in them.
fn survey(recording: &Recording, modules: &Modules, phases: &mut PhaseNames) -> Addresses {
    let mut addresses = Addresses::default();
    for position in 0..recording.streams() {
        let mut stream = recording.stream_at(position);
        let mut thread = OfThread::new(modules);
        let mut add = |record: Record<'_>| {
            thread.add(&record, &mut addresses);
            if let Event::PhaseName(part) = record.event() {
                phases.add(&part);
            }
        };
        while stream.take(&mut add).is_some() {}
    }
    addresses
}

/// The threads of a recording whose records come from another source.
fn described(recording: &Recording) -> (Streams, Damage) {
    let of = |threads: &[ThreadIndex], first: usize| {
        let described = threads.iter().enumerate().map(|(at, thread)| {
            let undecoded = recording.stream_at(first + at).undecoded();
            let elsewhere = Elsewhere { bytes: thread.bytes(), undecoded };
            ThreadIndex::elsewhere((thread.number, thread.os_thread), thread.clock, elsewhere)
        });
        described.collect()
    };
    let (threads, cores) = (recording.threads.len(), recording.cores.len());
    let streams = Streams {
        threads: of(&recording.threads, 0),
        cores: of(&recording.cores, threads),
        samples: of(&recording.samples, threads + cores),
    };
    (streams, recording.damage)
}

/// The result as `--json` prints it.
fn value(path: &Path, what: Anonymise, is_job: bool, values: Vec<(Option<u32>, Value)>) -> Value {
    let mut all = Vec::new();
    for (rank, mut value) in values {
        value["packed"] = json!(path);
        value["anonymised"] = json!(word(what));
        if let Some(rank) = rank {
            value["packed"] = json!(path.join(format!("rank.{rank}")));
            value["rank"] = json!(rank);
        }
        all.push(value);
    }
    match is_job {
        true => json!({ "job": path, "ranks": all }),
        false => all.pop().unwrap_or_default(),
    }
}

fn word(what: Anonymise) -> &'static str {
    match what {
        Anonymise::Paths => "paths",
        Anonymise::All => "all",
    }
}

/// The line that says what is replaced, and what is not.
fn line(path: &Path, what: Anonymise, outcomes: &[Outcome]) -> String {
    let (events, bytes) = (
        outcomes.iter().map(|one| one.events).sum::<u64>(),
        outcomes.iter().map(|one| one.after).sum::<u64>(),
    );
    let (replaced, kept) = match what {
        Anonymise::Paths => {
            ("", "names of functions, variables, phases, threads and communicators, lines,")
        }
        Anonymise::All => {
            (", names of functions, variables, phases, threads and communicators", "line numbers,")
        }
    };
    format!(
        "{}: {events} events, {bytes} bytes; replaced: paths, source files, host, command line, values of the environment{replaced}; kept: {kept} times, process ids, versions",
        say::shown(path)
    )
}
