//! OTF2 archives that several threads make: the same files however many there are, sound, and what one window of all of
//! the recording holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::otf2_judge;
use crate::product::{Product, number};
use crate::same_exports::otf2::lines;

/// Approximate number of windows.
const WINDOWS: u64 = 12;
/// Approximate size of a record, in bytes.
const RECORD: u64 = 16;
/// Window size in bytes that is larger than any recording.
const ONE_WINDOW: u64 = 1 << 40;
/// The anchor file, which has a random number of libotf2.
const ANCHOR: &str = "traces.otf2";
/// Begins of the lines of counters' locations: a counter has an additional value at each border of a window.
const COUNTERS: [&str; 3] =
    ["location threads working", "location workers idle", "location live tasks"];

/// Checks the archives of a run that are made in many windows; returns true if the run has more than one window.
///
/// # Errors
/// Fails if the files depend on the number of threads, if the events differ from an export in one window, or if an archive
/// is not sound.
pub fn check(run: &Path) -> Result<bool> {
    let mut size = 0;
    for view in ["threads", "regions"] {
        let whole = export(run, view, ONE_WINDOW, "1")?;
        size = (number(&whole, "/events")? * RECORD / WINDOWS).max(1);
        let parts = archive(&export(run, view, size, "1")?)?;
        let made = files(&parts)?;
        for jobs in ["2", "3", "8"] {
            let other = archive(&export(run, view, size, jobs)?)?;
            let others = files(&other)?;
            let differ: Vec<_> =
                made.keys().filter(|name| made.get(*name) != others.get(*name)).collect();
            ensure!(
                differ.is_empty() && made.len() == others.len(),
                "{view}: with {jobs} jobs other files: {differ:?}"
            );
            fs::remove_dir_all(other)?;
        }
        otf2_judge::check(&parts).with_context(|| format!("{view}: in windows"))?;
        let whole = archive(&whole)?;
        let (whole, parts) = (events(&whole)?, events(&parts)?);
        let differ = whole.iter().zip(&parts).find(|(whole, parts)| whole != parts);
        ensure!(
            whole.len() == parts.len() && differ.is_none(),
            "{view}: {} and {} lines, {differ:?}",
            whole.len(),
            parts.len()
        );
    }
    // Packets number things anew in each window.
    Ok(packets(run, ONE_WINDOW)? != packets(run, size)?)
}

fn packets(run: &Path, window: u64) -> Result<Vec<u8>> {
    let output = run.join(format!("packets-{window}"));
    let output = output.to_str().context("a path in UTF-8")?;
    let window = window.to_string();
    let options = ["--format", "perfetto", "--detail", "all", "--view", "threads"];
    let windows = ["--window-size", &window, "--output", output];
    Product::find()?.export_with(run, &[&options[..], &windows].concat())?;
    Ok(fs::read(output)?)
}

fn export(run: &Path, view: &str, window: u64, jobs: &str) -> Result<Value> {
    let output = run.join(format!("otf2-{view}-{window}-{jobs}"));
    let output = output.to_str().context("a path in UTF-8")?;
    let window = window.to_string();
    let options = ["--format", "otf2", "--exact", "--view", view, "--window-size", &window];
    Product::find()?
        .export_with(run, &[&options[..], &["--jobs", jobs, "--output", output]].concat())
}

fn archive(reported: &Value) -> Result<PathBuf> {
    let anchor = Path::new(reported["trace"].as_str().context("a path")?);
    Ok(anchor.parent().context("a folder")?.to_owned())
}

/// Contents of each file of an archive but the anchor file, which has a random number.
fn files(archive: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for folder in [archive.to_owned(), archive.join("traces")] {
        for entry in folder.read_dir()? {
            let path = entry?.path();
            if path.is_file() && !path.ends_with(ANCHOR) {
                files.insert(path.strip_prefix(archive)?.to_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

/// Lines of the listing about events of locations, without those of counters.
fn events(archive: &Path) -> Result<Vec<String>> {
    let (mut kept, mut is_counter) = (Vec::new(), true);
    for line in lines(archive)? {
        if line.starts_with("location ") {
            is_counter = COUNTERS.iter().any(|counter| line.starts_with(counter));
        }
        if !is_counter {
            kept.push(line);
        }
    }
    Ok(kept)
}
