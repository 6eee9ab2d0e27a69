//! The traces of a job: one of all ranks for Perfetto, and one of each rank in every other format.

use super::Job;
use crate::arguments::ExportArguments;
use crate::formats::table::Format;
use crate::merge::{self, Merged};
use crate::{export, interrupted, say};
use anyhow::{Result, bail};
use std::path::PathBuf;

/// Makes the traces and says where they are.
pub fn run(job: &Job, arguments: &ExportArguments) -> Result<()> {
    let shown = say::shown(&job.path);
    interrupted::watch_all(format!("the recordings are unchanged: ompttrace export {shown}"));
    check(arguments)?;
    job.remark_missing();
    if arguments.wants(Format::Perfetto) {
        trace(job, arguments)?.report(arguments)?;
    }
    let others: Vec<_> = arguments.formats().filter(|one| *one != Format::Perfetto).collect();
    for rank in job.ranks.iter().filter(|_| !others.is_empty()) {
        let run = rank.path.clone();
        export::run(&ExportArguments { run, format: others.clone(), ..arguments.clone() })?;
    }
    Ok(())
}

/// One trace of all ranks, in the folder of the job.
fn trace(job: &Job, arguments: &ExportArguments) -> Result<Merged> {
    merge::make(&job.runs(), arguments, (&job.path, "trace"))
}

/// Makes that trace and says nothing but which ranks are missing; returns its path.
pub fn make(job: &Job, arguments: &ExportArguments) -> Result<PathBuf> {
    job.remark_missing();
    Ok(trace(job, arguments)?.path)
}

/// Refuses what is for the traces of one process.
fn check(arguments: &ExportArguments) -> Result<()> {
    let rank = "give the run folder of a rank";
    if arguments.split.is_some() {
        bail!("--split is for the trace of one process: {rank}, or use --from and --to");
    }
    if arguments.wants(Format::Perfetto) && (arguments.gzip || arguments.compress) {
        bail!("--gzip and --compress are for the trace of one process: {rank}");
    }
    if arguments.formats().any(|format| format != Format::Perfetto) {
        if arguments.output.is_some() {
            bail!(
                "--output names one trace, and only --format perfetto makes one of all ranks: {rank}"
            );
        }
        if arguments.json {
            bail!("--json for a job is for --format perfetto: {rank}");
        }
    }
    Ok(())
}
