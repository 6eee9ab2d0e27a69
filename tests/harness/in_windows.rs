//! Traces that are made in windows of a recording: smaller ones than usual, so that there are many.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::judged::Judged;
use crate::product::{Product, number};
use crate::soundness;

/// Approximate number of windows.
const WINDOWS: u64 = 12;
/// Approximate size of a record, in bytes.
const RECORD: u64 = 16;
/// Window size in bytes that is larger than any recording.
const ONE_WINDOW: u64 = 1 << 40;
/// Fields of an export's JSON that must be equal, as JSON pointers.
const SAME: [&str; 4] = ["/events", "/lost", "/slices", "/instants"];

/// Two exports of a run: a trace made in one window and a trace made in many.
#[derive(Debug)]
pub struct InWindows {
    /// The output of `ompttrace export --json` for the trace made in one window.
    pub whole: Value,
    /// The output of `ompttrace export --json` for the trace made in many windows.
    pub parts: Value,
    /// Faults: traces that depend on the number of threads, and counts that depend on the number of windows.
    pub said: String,
    /// True if there was more than one window.
    pub are_several: bool,
}

impl InWindows {
    /// Exports a run folder in a format and a view, and exactly: what else is left out depends a little on where windows begin.
    pub fn of(run: &Path, format: &str, view: &str) -> Result<InWindows> {
        let mut said = String::new();
        let export = |window, jobs| export(run, (format, view), window, jobs);
        let whole = export(ONE_WINDOW, "1")?;
        let size = (number(&whole, "/events")? * RECORD / WINDOWS).max(1);
        let parts = export(size, "1")?;
        let bytes = fs::read(trace(&parts)?)?;
        for jobs in ["2", "3", "8"] {
            let other = trace(&export(size, jobs)?)?;
            if fs::read(&other)? != bytes {
                writeln!(said, "    with {jobs} jobs the trace is another one")?;
            }
            fs::remove_file(other)?;
        }
        for count in SAME {
            let (whole, parts) = (whole.pointer(count), parts.pointer(count));
            if whole != parts {
                writeln!(said, "    {count}: {whole:?}, in windows {parts:?}")?;
            }
        }
        let are_several = fs::read(trace(&whole)?)? != bytes;
        Ok(InWindows { whole, parts, said, are_several })
    }

    /// All faults, with those that the trace processor finds in the trace made in many windows.
    pub fn faults(mut self) -> Result<String> {
        let info = Product::find()?.info(trace(&self.parts)?.parent().context("a run folder")?)?;
        let mut judged = Judged::of(&trace(&self.parts)?, self.parts, info)?;
        self.said += &soundness::faults(&mut judged)?;
        Ok(self.said)
    }
}

fn export(run: &Path, (format, view): (&str, &str), window: u64, jobs: &str) -> Result<Value> {
    let output = run.join(format!("{format}-{view}-{window}-{jobs}"));
    let output = output.to_str().context("a path in UTF-8")?;
    let window = window.to_string();
    let whole = ["--format", format, "--detail", "all", "--exact", "--view", view];
    let by = ["--window-size", &window, "--jobs", jobs, "--output", output];
    Product::find()?.export_with(run, &[&whole[..], &by].concat())
}

fn trace(reported: &Value) -> Result<PathBuf> {
    Ok(reported["trace"].as_str().context("a path")?.into())
}
