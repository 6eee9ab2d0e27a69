//! One run folder's traces in all formats and views, made at once.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use serde_json::Value;

/// Exports of a run: the paths of the traces, and the JSON of `export` and `info`.
#[derive(Debug)]
pub struct Exported {
    /// Path of Perfetto's trace.
    pub perfetto: PathBuf,
    /// Path of Chrome's trace.
    pub chrome: PathBuf,
    /// Folders of the archives: that of OS threads, then that of logical threads.
    pub archives: [PathBuf; 2],
    export: Value,
    info: Value,
}

impl Exported {
    /// Exports everything, without a minimum duration.
    pub fn new(run: &Path) -> Result<Exported> {
        let product = Product::find()?;
        let all = ["--exact", "--format", "perfetto,chrome,otf2", "--view", "both"];
        let (export, traces) = export(run, &all)?;
        ensure!(traces.len() == 4, "{traces:?}");
        let [perfetto, chrome, threads, regions] = [0, 1, 2, 3].map(|at| traces[at].clone());
        let archives = [threads, regions].map(|anchor| anchor.with_file_name(""));
        Ok(Exported { perfetto, chrome, archives, export, info: product.info(run)? })
    }

    /// Returns true if releases of mutexes were recorded: they are excluded for runtimes that crash with this callback.
    pub fn has_releases(&self) -> Result<bool> {
        let answer = self.info["callbacks"]["mutex_released"]["registered"].as_str();
        Ok(!answer.context("no word of mutex_released")?.starts_with("left out"))
    }

    /// The trace, loaded in the trace processor.
    pub fn judged(&self, trace: &Path) -> Result<Judged> {
        Judged::of(trace, self.export.clone(), self.info.clone())
    }
}

/// Exports a run folder in this way: what was said, and the traces, archives by their anchor files.
pub fn export(run: &Path, arguments: &[&str]) -> Result<(Value, Vec<PathBuf>)> {
    let mut command = Command::new(&Product::find()?.program);
    command.args(["export", "--json", "--no-findings", "--detail", "all"]).args(arguments).arg(run);
    let said: Value = serde_json::from_slice(&build::run(&mut command, "")?)?;
    let paths = said["traces"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let paths = paths.map(PathBuf::from).collect();
    Ok((said, paths))
}
