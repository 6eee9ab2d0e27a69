//! Recordings before and after: the same records, the same facts, or one clear error.

mod hostile;
mod same;
mod steps;

use crate::{Options, Outcome, open, pack_folder};
use ompttrace_recording::facts::ClockPair;
use ompttrace_recording::reader::{Damage, Stream, ThreadIndex};
use ompttrace_recording::{EventCode, Recording, RecordingError};
use std::num::NonZero;
use std::path::Path;

const REMOVE: Options =
    Options { level: 1, keep: false, jobs: NonZero::<usize>::MIN.saturating_add(3) };
const KEEP: Options = Options { keep: true, ..REMOVE };

/// A record's ticks, code and words.
type Record = (u64, EventCode, Vec<u64>);

/// All data of a thread that a reader can get.
#[derive(Debug, PartialEq)]
struct Thread {
    number: u32,
    os_thread: u32,
    clock: Option<(ClockPair, ClockPair)>,
    undecoded: u64,
    records: Vec<Record>,
}

/// All data of a recording that a reader can get; core streams are after the threads.
fn contents(recording: &Recording) -> Result<(Vec<Thread>, Damage), RecordingError> {
    let threads = recording.threads.iter().enumerate();
    let threads = threads.map(|(at, known)| all_of(known, recording.stream(at)));
    let cores = recording.cores.iter().enumerate();
    let cores = cores.map(|(at, known)| all_of(known, recording.core_stream(at)));
    let all = threads.chain(cores).collect();
    recording.check().map(|()| (all, recording.damage))
}

fn all_of(known: &ThreadIndex, mut stream: Stream<'_>) -> Thread {
    let mut records = Vec::new();
    while stream.take(|r| records.push((r.ticks, r.code, r.words.to_vec()))).is_some() {}
    let (number, os_thread, clock) = (known.number, known.os_thread, known.clock);
    Thread { number, os_thread, clock, undecoded: stream.undecoded(), records }
}

fn read(run: &Path) -> Result<(Vec<Thread>, Damage), RecordingError> {
    contents(&open(run)?)
}

fn pack(run: &Path, options: Options) -> Outcome {
    pack_folder(&open(run).expect("a recording"), options, |_, _| {}).expect("packed")
}

/// Names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("listed");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}
