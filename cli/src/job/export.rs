//! The traces of a job: one of all ranks for Perfetto and as OTF2, and one of each rank in every other format.

use super::Job;
use crate::arguments::ExportArguments;
use crate::formats::table::Format;
#[cfg(not(feature = "otf2"))]
use crate::formats::table::row;
use crate::merge::{self, Merged};
use crate::{export, interrupted, say};
use anyhow::{Result, bail};
use std::path::PathBuf;

/// Formats of which one trace has all ranks.
const OF_ALL_RANKS: [Format; 2] = [Format::Perfetto, Format::Otf2];

/// Makes the traces and says where they are.
pub fn run(job: &Job, arguments: &ExportArguments) -> Result<()> {
    let shown = say::shown(&job.path);
    interrupted::watch_all(format!("the recordings are unchanged: ompttrace export {shown}"));
    check(arguments)?;
    job.remark_missing();
    if arguments.wants(Format::Perfetto) {
        trace(job, arguments)?.report(arguments)?;
    }
    if arguments.wants(Format::Otf2) {
        archives(job, arguments)?.report(arguments)?;
    }
    let others: Vec<_> = arguments.formats().filter(|one| !OF_ALL_RANKS.contains(one)).collect();
    for rank in job.ranks.iter().filter(|_| !others.is_empty()) {
        let run = rank.path.clone();
        export::run(&ExportArguments { run, format: others.clone(), ..arguments.clone() })?;
    }
    Ok(())
}

#[cfg(feature = "otf2")]
fn archives(job: &Job, arguments: &ExportArguments) -> Result<Merged> {
    merge::otf2::make(job, arguments)
}

#[cfg(not(feature = "otf2"))]
fn archives(_: &Job, _: &ExportArguments) -> Result<Merged> {
    bail!("{}", row(Format::Otf2).not_built_in().unwrap_or_default())
}

/// One trace of all ranks, in the folder of the job.
fn trace(job: &Job, arguments: &ExportArguments) -> Result<Merged> {
    merge::make(&job.runs(), arguments, (&job.path, "trace"))
}

/// Makes an OTF2 archive of all ranks if that is wanted, and else a trace for Perfetto; says nothing but which ranks are missing; returns the path.
pub fn make(job: &Job, arguments: &ExportArguments) -> Result<PathBuf> {
    job.remark_missing();
    let made = match arguments.wants(Format::Otf2) {
        true => archives(job, arguments)?,
        false => trace(job, arguments)?,
    };
    Ok(made.paths.into_iter().next().unwrap_or_default())
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
    if arguments.correct_clocks && arguments.formats().any(|one| !OF_ALL_RANKS.contains(&one)) {
        bail!(
            "--correct-clocks is for --format perfetto and --format otf2, which have all ranks in one trace"
        );
    }
    let are_of_all = arguments.formats().all(|format| OF_ALL_RANKS.contains(&format));
    let is_one = are_of_all && arguments.formats().count() == 1;
    if arguments.output.is_some() && !is_one {
        bail!(
            "--output names one trace, and only --format perfetto and --format otf2 make one of all ranks: {rank}"
        );
    }
    if arguments.json && !is_one {
        bail!("--json for a job is for --format perfetto or --format otf2 alone: {rank}");
    }
    Ok(())
}
