//! Every program's recording, packed: the same records in the same order with the same ticks.

use std::fmt::Write;
use std::fs;
use std::num::NonZero;
use std::path::Path;

use anyhow::Result;
use ompttrace_packed::{Options, open, pack_folder};
use ompttrace_recording::reader::Stream;
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

/// What a packed recording tells otherwise than the files that it was made of.
fn differences(run: &Path) -> Result<String> {
    let before = Recording::open(run)?;
    let options = Options { level: 3, keep: true, jobs: NonZero::<usize>::MIN };
    let outcome = pack_folder(&before, options, |_, _| {})?;
    let after = open(run)?;
    let mut said = String::new();
    if (before.damage, before.threads.len()) != (after.damage, after.threads.len()) {
        writeln!(said, "    other threads or damage")?;
    }
    let mut records = 0;
    for (position, (one, other)) in before.threads.iter().zip(&after.threads).enumerate() {
        if (one.number, one.os_thread, one.clock) != (other.number, other.os_thread, other.clock) {
            writeln!(said, "    thread {}: other facts", one.number)?;
        }
        let (mut one, mut other) = (before.stream(position), after.stream(position));
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

/// A record's ticks, code and words.
fn take(stream: &mut Stream<'_>) -> Option<(u64, u8, Vec<u64>)> {
    stream.take(|record| (record.ticks, record.code.0, record.words.to_vec()))
}
