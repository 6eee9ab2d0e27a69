//! Every program's recording, packed: the same records in the same order with the same ticks.

use std::fmt::Write;
use std::fs;
use std::num::NonZero;
use std::path::Path;

use anyhow::Result;
use ompttrace_packed::{Options, open, pack_folder};
use ompttrace_recording::reader::{Stream, ThreadIndex};
use ompttrace_recording::{Recording, folder};
use ompttrace_tests::crowd;
use ompttrace_tests::programs::Program;
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};

#[test]
fn every_programs_recording_comes_back() {
    crowd::check_all(&runtimes::libomp_19().unwrap(), check);
}

fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])?;
    let runs = traced.scratch.runs()?;
    let mut said = if runs.is_empty() { "    no run folder\n".to_string() } else { String::new() };
    for run in runs {
        said += &differences(&run)?;
        // What cleans up after killed runs reads the originals.
        fs::remove_file(run.join(folder::PACKED))?;
    }
    Ok(said)
}

/// Differences between a packed recording and the files that it was made of, one per line; empty if there are none.
fn differences(run: &Path) -> Result<String> {
    let before = Recording::open(run)?;
    let options = Options { level: 3, keep: true, jobs: NonZero::<usize>::MIN };
    let outcome = pack_folder(&before, options, |_, _| {})?;
    let after = open(run)?;
    let mut said = String::new();
    let known =
        |recording: &Recording| (recording.damage, recording.threads.len(), recording.cores.len());
    if known(&before) != known(&after) {
        writeln!(said, "    other threads or damage")?;
    }
    let mut records = 0;
    let pairs = streams(&before).zip(streams(&after));
    for ((one_index, mut one), (other_index, mut other)) in pairs {
        let facts = |index: &ThreadIndex| (index.number, index.os_thread, index.clock);
        if facts(one_index) != facts(other_index) {
            writeln!(said, "    thread {}: other facts", one_index.number)?;
        }
        let mut next = || (take(&mut one), take(&mut other));
        loop {
            match next() {
                (None, None) => break,
                (one, other) if one != other => {
                    writeln!(said, "    record {records}: {one:?} became {other:?}")?;
                    break;
                }
                _ => records += 1,
            }
        }
        if one.undecoded() != other.undecoded() {
            writeln!(said, "    other undecoded bytes")?;
        }
    }
    after.check()?;
    if records != outcome.records || records == 0 {
        writeln!(said, "    {records} records, {} packed", outcome.records)?;
    }
    Ok(said)
}

/// The threads' own streams, and after them their core streams.
fn streams(recording: &Recording) -> impl Iterator<Item = (&ThreadIndex, Stream<'_>)> {
    let threads = recording.threads.iter().enumerate();
    let threads = threads.map(|(at, thread)| (thread, recording.stream(at)));
    let cores = recording.cores.iter().enumerate();
    threads.chain(cores.map(|(at, thread)| (thread, recording.core_stream(at))))
}

/// A record's ticks, code and words.
fn take(stream: &mut Stream<'_>) -> Option<(u64, u8, Vec<u64>)> {
    stream.take(|record| (record.ticks, record.code.0, record.words.to_vec()))
}
