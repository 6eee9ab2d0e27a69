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

/// How many tasks never completed, as an archive says.
const UNFINISHED: &str = "OMPTTRACE::UNFINISHED_TASKS";

/// The traces, with what was said of them.
#[derive(Debug)]
pub struct AllFormats {
    /// What `ompttrace info --json` says.
    pub info: Value,
    export: Value,
    /// Perfetto's, Chrome's, and one archive or two.
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

    /// Whether all records are accounted for, and none was dropped.
    pub fn sums(&self) -> Result<String> {
        soundness::sums(&self.info, &self.export)
    }

    /// What the trace processor finds wrong with Perfetto's trace and Chrome's, which show the same.
    pub fn trace_faults(&self) -> Result<String> {
        let (mut said, mut slices) = (String::new(), Vec::new());
        for trace in &self.traces[..2] {
            let mut judged = Judged::of(trace, self.export.clone(), self.info.clone())?;
            said += &soundness::faults(&mut judged)?;
            slices.push(judged.count("select count(*) from slice where category != 'sched'")?);
        }
        if slices[0] != slices[1] {
            writeln!(said, "    Perfetto has {} slices, Chrome {}", slices[0], slices[1])?;
        }
        Ok(said)
    }

    /// The archives must be sound. `has_ends`: no task of theirs may be unfinished.
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
