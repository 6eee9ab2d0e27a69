//! The kept sample of each version of the recording format is still read, and the timeline still
//! makes of it what it made when it was kept: the sums beside it. `tracer/recording` checks record by
//! record; this is what becomes of them.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_chrome::ChromeSink;
use ompttrace_perfetto::View;
use ompttrace_recording::{FORMAT_VERSION, Recording};
use ompttrace_tests::build;

/// The first version that later tools read.
const FIRST: u32 = 4;

/// Of version 4 every callback once, then regions and tasks with call stacks; of version 5 a rank of MPI with phases. Each closed, and killed
/// with records in the files and in the pool.
const SAMPLES: [&str; 6] = ["v4", "v4-killed", "v4-stacks", "v4-stacks-killed", "v5", "v5-killed"];

/// A line for each sum, as the file beside the sample has them.
fn sums(run: &Path) -> Result<String> {
    let recording = Recording::open(run)?;
    let (_, reported) =
        ompttrace_timeline::run(&recording, ChromeSink::new(io::sink(), View::Both))?;
    let mut text = String::new();
    for (name, sum) in [
        ("events", reported.events),
        ("records", reported.records),
        ("interpreted", reported.interpreted),
        ("absorbed", reported.absorbed),
        ("dropped", reported.dropped.iter().map(|(_, count)| count).sum()),
        ("slices", reported.slices),
        ("logical_thread_slices", reported.logical_thread_slices),
        ("instants", reported.instants),
        ("region_slices", reported.region_slices),
        ("hold_slices", reported.hold_slices),
        ("inferred", reported.inferred),
        ("truncated", reported.cut),
        ("lost", reported.lost),
        ("logical_threads", reported.logical_threads),
    ] {
        writeln!(text, "{name} {sum}")?;
    }
    Ok(text)
}

#[test]
fn every_sample_gives_the_sums_beside_it() -> Result<()> {
    let samples = build::root().join("tracer/recording/tests/samples");
    for name in SAMPLES {
        let found = sums(&samples.join(name)).context(name)?;
        let kept = fs::read_to_string(samples.join(format!("{name}.sums"))).unwrap_or_default();
        ensure!(found == kept, "{name} gives\n{found}and had\n{kept}");
    }
    Ok(())
}

#[test]
fn every_version_is_described() -> Result<()> {
    let text = fs::read_to_string(build::root().join("tracer/recording/FORMAT.md"))?;
    for version in FIRST..=FORMAT_VERSION {
        let samples = format!("`tests/samples/v{version}*` |");
        let row = text.lines().find(|line| line.starts_with(&format!("| {version} |")));
        ensure!(row.is_some_and(|row| row.ends_with(&samples)), "version {version}: {row:?}");
    }
    Ok(())
}

/// FORMAT.md is complete: a reader that knows nothing else finds the same records in today's samples.
#[test]
fn a_reader_after_the_description_finds_the_same_records() -> Result<()> {
    let samples = build::root().join("tracer/recording/tests/samples");
    for name in SAMPLES {
        let mut reader = Command::new("python3");
        reader.arg(build::root().join("tests/format/reader.py"));
        reader.arg(build::root().join("tracer/recording/FORMAT.md")).arg(samples.join(name));
        let found = String::from_utf8(build::run(&mut reader, "python3")?)?;
        let kept = records_of(&fs::read_to_string(samples.join(format!("{name}.txt")))?);
        for (at, (found, kept)) in found.lines().zip(&kept).enumerate() {
            ensure!(found == kept, "{name}: record {at} is {found}, and was {kept}");
        }
        ensure!(found.lines().count() == kept.len(), "{name}: {} records", kept.len());
    }
    Ok(())
}

/// Thread, ticks, scope and event of each record that is kept in words.
fn records_of(text: &str) -> Vec<String> {
    let mut records = Vec::new();
    let mut thread = "";
    for line in text.lines() {
        match (line.strip_prefix("thread "), line.split(' ').collect::<Vec<_>>().as_slice()) {
            (Some(number), _) => thread = number.split(' ').next().unwrap_or_default(),
            (None, ["", "", ticks, scope, event, ..]) => {
                let name = event.split('(').next().unwrap_or_default();
                records.push(format!("{thread} {ticks} {scope} {}", in_small_letters(name)));
            }
            _ => {}
        }
    }
    records
}

/// `TaskCreate` as the interface has it, `task_create`.
fn in_small_letters(name: &str) -> String {
    let mut small = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !small.is_empty() {
            small.push('_');
        }
        small.push(letter.to_ascii_lowercase());
    }
    small
}

/// A new version of the format comes with a sample, and nobody takes an old one away.
#[test]
fn every_version_has_its_samples() {
    for version in FIRST..=FORMAT_VERSION {
        for name in [format!("v{version}"), format!("v{version}-killed")] {
            assert!(SAMPLES.contains(&name.as_str()), "no {name} in {SAMPLES:?}");
        }
    }
}
