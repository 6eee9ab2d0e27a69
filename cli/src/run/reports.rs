//! The reports at the end of a run: one of each process that recorded, or of each MPI job that the program started.

use super::job::Role;
use super::run_folders::FoundRun;
use crate::arguments::ReportArguments;
use crate::job::Job;
use crate::process::Life;
use crate::{job, report, say};
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Prints the reports; returns true if there are any, and none failed.
pub fn print(found: &[FoundRun], role: Role, arguments: &ReportArguments) -> bool {
    let over = found.iter().filter(|run| run.life != Life::Runs);
    let runs: BTreeSet<PathBuf> = over.map(|run| of(run, role)).collect();
    let outcome = is_one(runs.len(), arguments).and_then(|()| {
        runs.iter().try_for_each(|run| {
            let (path, program) = (Some(run.clone()), Vec::new());
            let arguments = ReportArguments { run: path, program, ..arguments.clone() };
            let of_job = |job: &Job| job::report::run(job, &arguments);
            job::or_run(run, of_job, || report::run(&arguments))
        })
    });
    if let Err(error) = &outcome {
        say::remark(&format!("no report: {error:#}"));
    }
    outcome.is_ok() && !runs.is_empty()
}

/// The folder of which there is a report: that of the job, if the program is a launcher, or the process's own.
fn of(run: &FoundRun, role: Role) -> PathBuf {
    let job = run.path.parent().filter(|_| role == Role::Launcher);
    let job = job.filter(|folder| Job::at(folder).is_ok_and(|job| job.is_some()));
    job.unwrap_or(&run.path).to_owned()
}

/// A page and a JSON object are of one recording or job.
fn is_one(count: usize, arguments: &ReportArguments) -> Result<()> {
    if count > 1 && (arguments.json || arguments.html.is_some()) {
        bail!(
            "{count} processes have recorded, and --json and --html are of one: `ompttrace report RUN` with one of their folders"
        );
    }
    Ok(())
}
