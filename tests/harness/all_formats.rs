//! One run's traces in all formats, made at once, and what their judges say of them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::judged::Judged;
use crate::otf2_judge::{self, Verdict};
use crate::product::Product;
use crate::{build, soundness};

/// Property of an archive with the number of tasks that never completed.
const UNFINISHED: &str = "OMPTTRACE::UNFINISHED_TASKS";

/// Traces of a run in all formats, with the JSON of `info` and `export`.
#[derive(Debug)]
pub struct AllFormats {
    /// The output of `ompttrace info --json` for the run folder.
    pub info: Value,
    export: Value,
    /// Paths of the traces: Perfetto's, Chrome's, and the anchor files of one archive or two.
    traces: Vec<PathBuf>,
}

impl AllFormats {
    /// Exports a run folder with these options.
    pub fn export(run: &Path, options: &[&str]) -> Result<AllFormats> {
        let product = Product::find()?;
        let mut command = Command::new(&product.program);
        command.args(["export", "--json", "--detail", "all", "--format", "perfetto,chrome,otf2"]);
        command.args(options);
        let export: Value = serde_json::from_slice(&build::run(command.arg(run), "")?)?;
        let paths = export["traces"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let traces: Vec<PathBuf> = paths.map(PathBuf::from).collect();
        ensure!(traces.len() > 2, "{traces:?}");
        Ok(AllFormats { info: product.info(run)?, export, traces })
    }

    /// Faults of the export's sums: records that are unaccounted for, dropped or lost; empty if there are none.
    pub fn sums(&self) -> Result<String> {
        soundness::sums(&self.info, &self.export)
    }

    /// Faults that the trace processor finds in Perfetto's trace and Chrome's, and a line if their numbers of slices differ.
    pub fn trace_faults(&self) -> Result<String> {
        let (mut said, mut slices) = (String::new(), Vec::new());
        for trace in &self.traces[..2] {
            let mut judged = Judged::of(trace, self.export.clone(), self.info.clone())?;
            said += &soundness::faults(&mut judged)?;
            slices.push(judged.count(
                "select count(*) from slice where category not in ('sched', 'first look')",
            )?);
        }
        if slices[0] != slices[1] {
            writeln!(said, "    Perfetto has {} slices, Chrome {}", slices[0], slices[1])?;
        }
        Ok(said)
    }

    /// Faults of the archives; with `has_ends`, an unfinished task is one as well.
    pub fn archives(&self, has_ends: bool) -> Result<String> {
        let mut said = String::new();
        for anchor in &self.traces[2..] {
            let folder = anchor.with_file_name("");
            let verdict = otf2_judge::judge(&folder)?;
            said += &archive(&folder, &verdict, has_ends)?;
        }
        Ok(said)
    }
}

fn archive(folder: &Path, verdict: &Verdict, has_ends: bool) -> Result<String> {
    if !verdict.breaches.is_empty() {
        return Ok(format!("    {} is not sound:\n{}\n", folder.display(), verdict.report()));
    }
    otf2_judge::print(folder, verdict.statistics.events.values().sum())?;
    match verdict.statistics.property("archive", UNFINISHED) {
        Some("0") => Ok(String::new()),
        Some(_) if !has_ends => Ok(String::new()),
        other => Ok(format!("    {}: unfinished tasks: {other:?}\n", folder.display())),
    }
}
