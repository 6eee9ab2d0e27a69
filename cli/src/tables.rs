//! `export --format parquet`: tables of where time went.

use crate::arguments::ExportArguments;
use crate::output_path::OutputPath;
use crate::process::Life;
use crate::progress::Progress;
use crate::report::ending;
use crate::{accounts, job, say};
use anyhow::{Result, anyhow};
use ompttrace_model::Summary;
use ompttrace_parquet::{Options, ParquetSink, SECOND};
use ompttrace_recording::Recording;
use ompttrace_timeline::{LastArrivals, Matching, OfJob};
use std::path::PathBuf;

/// Writes the tables; returns the dataset's folder.
pub fn write(
    recording: &Recording,
    arguments: &ExportArguments,
    life: Life,
) -> Result<(PathBuf, Summary)> {
    let (output, stem) = (arguments.output.as_deref(), arguments.stem("trace-parquet"));
    let output_path = OutputPath::folder(&arguments.run, output, stem, "")?;
    let shown = say::shown(&output_path.name());
    let in_words = |error: &dyn std::fmt::Display| anyhow!("{shown}: {error}");
    let options = Options {
        intervals: arguments.intervals,
        bin: arguments.bin.unwrap_or(SECOND),
        helpers: arguments.jobs.count().get() - 1,
        ending: ending(life, &recording.facts),
    };
    let folder = output_path.made().map_err(|error| in_words(&error))?;
    let clocks = match recording.facts.has_mpi() {
        true => ompttrace_timeline::count(recording).mpi.clocks,
        false => Vec::new(),
    };
    let sink = ParquetSink::begin(folder, options).compared(clocks);
    let (matching, last) =
        (Matching::of(recording, job::number(&recording.path)), LastArrivals::default());
    let of_job = Some(OfJob { matching: &matching, last: &last });
    let mut progress = Progress::new(arguments.quiet);
    let outcome = accounts::read_of_job(recording, sink, arguments.jobs, &mut progress, of_job);
    recording.check()?;
    let ((), summary) = outcome.map_err(|error| in_words(&error))?;
    Ok((output_path.done()?, summary))
}
