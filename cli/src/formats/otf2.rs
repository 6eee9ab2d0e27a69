//! Archives of OTF2: one for each view, as the same event on two locations would be counted twice.

use super::table::Folder;
use super::writer::{self, Writer};
use crate::arguments::{ExportArguments, view_of};
use crate::run_folder::ANCHOR;
use anyhow::{Result, bail};
use ompttrace_model::View;
use ompttrace_otf2::{Otf2Job, Otf2Sink};
use rustix::fs::Mode;
use std::path::PathBuf;

/// Begins the archives.
pub fn open(arguments: &ExportArguments, folder: Folder<'_>) -> Result<Box<dyn Writer>> {
    let [threads, regions] = folders(arguments, folder)?;
    let sink = Otf2Sink::new(threads.as_deref(), regions.as_deref())?;
    Ok(writer::of(sink.with_encoders(arguments.helpers()), Some(Otf2Sink::in_windows), |_| None))
}

/// Begins archives of all ranks of a job.
pub fn open_job(arguments: &ExportArguments, folder: Folder<'_>, size: u32) -> Result<Otf2Job> {
    let [threads, regions] = folders(arguments, folder)?;
    let is_part = arguments.from.is_some() || arguments.to.is_some();
    Ok(Otf2Job::new(threads.as_deref(), regions.as_deref(), size, is_part)?)
}

/// The folders of the archives: of threads and of logical threads, as far as they are wanted.
fn folders(arguments: &ExportArguments, folder: Folder<'_>) -> Result<[Option<PathBuf>; 2]> {
    let view = match view_of(arguments.view) {
        View::Auto => View::Threads,
        view => view,
    };
    if arguments.output.is_some() && view == View::Both {
        bail!("--output names one archive, but --view both makes two");
    }
    let mut folder = |wanted: bool, stem| wanted.then(|| folder(stem, ANCHOR)).transpose();
    let threads = folder(view.has_threads(), "trace-otf2")?;
    let regions = folder(view.has_logical_threads(), "trace-otf2-regions")?;
    // OTF2's library has no other way to make all its files and folders for the owner alone, as our traces are.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    Ok([threads, regions])
}
