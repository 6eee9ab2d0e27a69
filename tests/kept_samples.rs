//! The kept sample of each version of the recording format is still read, and the timeline still
//! makes of it what it made when it was kept: the sums beside it. `tracer/recording` checks record by
//! record; this is what becomes of them.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompttrace_chrome::ChromeSink;
use ompttrace_perfetto::View;
use ompttrace_recording::{FORMAT_VERSION, Recording};
use ompttrace_tests::build;

const SAMPLES: [&str; 6] = ["v1", "v1-killed", "v2", "v2-killed", "v3", "v3-killed"];

/// A line for each sum, as the file beside the sample has them.
fn sums(run: &Path) -> Result<String> {
    let recording = Recording::open(run)?;
    let (_, told) = ompttrace_timeline::run(&recording, ChromeSink::new(io::sink(), View::Both))?;
    let mut text = String::new();
    for (name, sum) in [
        ("events", told.events),
        ("records", told.records),
        ("interpreted", told.interpreted),
        ("absorbed", told.absorbed),
        ("dropped", told.dropped.iter().map(|(_, count)| count).sum()),
        ("slices", told.slices),
        ("lane_slices", told.lane_slices),
        ("instants", told.instants),
        ("region_slices", told.region_slices),
        ("hold_slices", told.hold_slices),
        ("inferred", told.inferred),
        ("cut", told.cut),
        ("lost", told.lost),
        ("lanes", told.lanes),
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
    for version in 1..=FORMAT_VERSION {
        let samples = format!("`tests/samples/v{version}`, `v{version}-killed` |");
        let row = text.lines().find(|line| line.starts_with(&format!("| {version} |")));
        ensure!(row.is_some_and(|row| row.ends_with(&samples)), "version {version}: {row:?}");
    }
    Ok(())
}

/// A new version of the format comes with a sample, and nobody takes an old one away.
#[test]
fn every_version_has_its_samples() {
    let versions = 1..=FORMAT_VERSION;
    let wanted = versions.flat_map(|version| [format!("v{version}"), format!("v{version}-killed")]);
    assert!(wanted.eq(SAMPLES), "{SAMPLES:?}");
}
