//! `ompttrace compare`: runs, or jobs, before and after a change.

use crate::arguments::{CompareArguments, Part};
use crate::job::{self, Job};
use crate::jobs::Jobs;
use crate::output_path::OutputPath;
use crate::{report, say};
use anyhow::{Context, Result, bail};
use ompttrace_report::compare::{Change, gate};
use ompttrace_report::{Report, compare, html, job as of_jobs};
use std::io::Write;
use std::path::{Path, PathBuf};

/// False: the runs after are slower than allowed.
pub fn run(arguments: &CompareArguments) -> Result<bool> {
    let (before, after) = arguments.sides().map_err(anyhow::Error::msg)?;
    let wall = match jobs([before, after])? {
        Some([before, after]) => of_job(arguments, &before, &after)?,
        None => of_runs(arguments, before, after)?,
    };
    let runs = [before.len(), after.len()];
    let verdict = arguments.fail_above.map(|allowed| gate(&wall, runs, allowed));
    verdict.iter().for_each(|verdict| say::remark(&verdict.line));
    Ok(verdict.is_none_or(|verdict| verdict.passes))
}

/// The jobs of both sides; `None`: all are runs of one process.
fn jobs(sides: [&[PathBuf]; 2]) -> Result<Option<[Vec<Job>; 2]>> {
    let (mut jobs, mut run) = ([Vec::new(), Vec::new()], None);
    for (side, jobs) in sides.into_iter().zip(&mut jobs) {
        for path in side {
            match Job::at(path)? {
                Some(job) => jobs.push(job),
                None => run = run.or(Some(path)),
            }
        }
    }
    match (jobs.iter().flatten().next(), run) {
        (None, _) => Ok(None),
        (Some(_), None) => Ok(Some(jobs)),
        (Some(job), Some(run)) => bail!(
            "compare: {} is a job and {} is the run of one process: give jobs only, or the run folders of ranks",
            say::shown(&job.path),
            say::shown(run)
        ),
    }
}

/// Compares runs of one process; returns the change of the wall time.
fn of_runs(arguments: &CompareArguments, before: &[PathBuf], after: &[PathBuf]) -> Result<Change> {
    let reports = |runs: &[PathBuf]| -> Result<Vec<Report>> {
        runs.iter().map(|run| report::of(run, arguments.window.part(), arguments.json)).collect()
    };
    let comparison = compare::compare(&reports(before)?, &reports(after)?);
    if let Some(file) = &arguments.html {
        page(&html::comparison(&comparison, arguments.top.max(1)), file)?;
    }
    match arguments.json {
        true => say::json(&comparison)?,
        false => {
            say::coloured(&compare::text::render(&comparison, arguments.top, say::width()))?;
        }
    }
    Ok(comparison.wall)
}

/// Compares jobs; returns the change of the wall time.
fn of_job(arguments: &CompareArguments, before: &[Job], after: &[Job]) -> Result<Change> {
    if arguments.window.part() != Part::Whole {
        bail!(
            "compare: windows (--from, --to, --region, --after-first-region) are for runs of one process: give the run folders of \
             ranks"
        );
    }
    let reports = |jobs: &[Job]| -> Result<Vec<_>> {
        jobs.iter().map(|job| job::report::of(job, Jobs::default().count(), false)).collect()
    };
    let comparison = of_jobs::compare::compare(&reports(before)?, &reports(after)?);
    if let Some(file) = &arguments.html {
        page(&of_jobs::compared::page(&comparison, arguments.top.max(1)), file)?;
    }
    match arguments.json {
        true => say::json(&comparison)?,
        false => {
            say::coloured(&of_jobs::compared::render(&comparison, arguments.top, say::width()))?;
        }
    }
    Ok(comparison.wall)
}

/// Writes a page that belongs to no single run, and reports its path.
pub fn page(page: &str, file: &Path) -> Result<()> {
    let (output_path, mut to) =
        OutputPath::file(Path::new("."), Some(file), ("page".to_owned(), "html"))?;
    to.write_all(page.as_bytes()).with_context(|| say::shown(file))?;
    let path = output_path.done()?;
    say::remark(&format!("{}: a page to open in a browser", say::shown(&path)));
    Ok(())
}
