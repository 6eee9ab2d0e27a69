//! Targets of fuzzing: bytes replace one file, which is read and reported as `ompttrace export` does. `fuzz/`
//! generates such bytes, guided by the code that they reach; the kept ones in `tests/fuzz/corpus` are replayed by
//! `--test fuzz`.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ompttrace_chrome::ChromeSink;
use ompttrace_chrome::View;
use ompttrace_packed::testing::{of_one_block, with_right_sums};
use ompttrace_recording::{Recording, folder};
use ompttrace_symbols::{CodeKind, Modules, Symbolizer};
use ompttrace_timeline::testing::Checker;
use tempfile::TempDir;

use crate::build;

/// A reader of untrusted bytes.
pub struct Target {
    /// Name of the target, here, in the corpus and in `fuzz/`.
    pub name: &'static str,
    /// Reads the bytes; returns the number of things found in them.
    ///
    /// # Panics
    /// Panics if the reader fails on the bytes, which is what fuzzing searches for.
    pub read: fn(&[u8]) -> Result<usize>,
}

/// All targets.
pub const TARGETS: [Target; 5] = [
    Target { name: "recording", read: recording },
    Target { name: "pool", read: pool },
    Target { name: "packed", read: packed },
    Target { name: "block", read: block },
    Target { name: "symbols", read: symbols },
];

/// Has a target of this name read the bytes.
///
/// # Panics
/// Panics if the reader fails on the bytes, or if there is no such target.
pub fn read(target: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|known| known.name == target).expect("a target");
    (target.read)(bytes).expect("a folder for the file");
}

/// Folder of a target's kept inputs: inputs that once failed, and small ones of every kind.
pub fn corpus(target: &str) -> PathBuf {
    build::root().join("tests/fuzz/corpus").join(target)
}

/// Bytes instead of an event file.
fn recording(events: &[u8]) -> Result<usize> {
    let run = with_facts_of("v4")?;
    fs::write(run.path().join(format!("{}0", folder::EVENTS)), events)?;
    let found = records_in(&Recording::open(run.path())?);
    assert!(8 * found <= events.len(), "{found} records in {} bytes", events.len());
    Ok(found)
}

/// Bytes instead of a killed run's pool, beside the event files that belong to it.
fn pool(pool: &[u8]) -> Result<usize> {
    let run = with_facts_of("v4-killed")?;
    for file in ["events.0", "events.1"] {
        fs::copy(samples().join("v4-killed").join(file), run.path().join(file))?;
    }
    fs::write(run.path().join("pool"), pool)?;
    let recording = Recording::open(run.path())?;
    Ok(records_in(&recording))
}

/// Bytes instead of a packed file, with right check sums.
fn packed(file: &[u8]) -> Result<usize> {
    read_packed(&with_right_sums(file))
}

/// Bytes instead of a packed file's only block, before compression.
fn block(plain: &[u8]) -> Result<usize> {
    read_packed(&of_one_block(plain))
}

fn read_packed(file: &[u8]) -> Result<usize> {
    let run = with_facts_of("v4")?;
    fs::write(run.path().join(folder::PACKED), file)?;
    // An error is as good as records.
    Ok(ompttrace_packed::open(run.path()).map_or(0, |recording| records_in(&recording)))
}

/// Bytes instead of a program with debug information; its last bytes choose addresses.
fn symbols(program: &[u8]) -> Result<usize> {
    const START: u64 = 0x10_0000;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("program");
    fs::write(&path, program)?;
    let end = START + (1 << 20);
    let modules = format!("@ 1\n{START:x}-{end:x} 0 - {}\n", path.display());
    let mut symbolizer = Symbolizer::new(Modules::from_text(modules.as_bytes()))
        .with_debug_roots([folder.path().to_owned()]);
    let chosen = program.iter().rev().take(8).map(|byte| 16 * u64::from(*byte));
    let mut named = 0;
    for address in chosen.chain((0..0x1000).step_by(0x11)).map(|offset| START + offset) {
        for kind in [CodeKind::ReturnAddress, CodeKind::Function] {
            let location = symbolizer.code(address, kind);
            named += location.frames.len();
            location.label();
        }
        symbolizer.data_symbol(address);
    }
    Ok(named)
}

/// The kept samples of recordings, which every run folder here begins with.
fn samples() -> PathBuf {
    build::root().join("tracer/recording/tests/samples")
}

fn with_facts_of(sample: &str) -> Result<TempDir> {
    let run = tempfile::tempdir()?;
    let facts = samples().join(sample).join(folder::FACTS);
    fs::copy(facts, run.path().join(folder::FACTS)).context("the facts")?;
    Ok(run)
}

/// Number of records read. Their timeline must keep its contract, and a writer must be able to write it.
fn records_in(recording: &Recording) -> usize {
    let mut records = 0;
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        while stream.take(|_| records += 1).is_some() {}
    }
    if let Err(broken) = ompttrace_timeline::run(recording, Checker::forgetful()) {
        panic!("{broken}");
    }
    let sink = ChromeSink::new(io::sink(), View::Both);
    let (_, summary) = ompttrace_timeline::run(recording, sink).expect("nothing that can fail");
    assert_eq!(summary.records, records as u64);
    records
}
