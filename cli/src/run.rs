//! `ompttrace run`: starts a program with the library in it, and makes the traces when it is over; `ompttrace report -- PROGRAM`
//! does the same without traces.
//!
//! The program has the terminal, the streams, the exit status and the signals; nothing of ours goes
//! to stdout.

mod child;
pub mod elf;
mod family;
mod job;
pub mod libraries;
mod life;
mod mpi;
mod ompi_trace;
mod pattern;
pub mod program_kind;
mod reports;
mod run_folders;
mod settings;
pub mod start;
pub mod stop;
mod traces;

use crate::arguments::{ReportArguments, RunArguments};
use crate::say;
use family::Family;
use life::ObservedProcess;
use run_folders::EarlierFolders;
use settings::Settings;
use start::Plan;
use std::process::{ExitCode, ExitStatus};
use stop::{FAILURE, Stop};
use traces::Next;

pub fn run(arguments: &RunArguments) -> ExitCode {
    let quiet = arguments.quiet;
    let report = arguments.report.then(|| ReportArguments::at_end_of_run(quiet));
    ended(carry_out(arguments, report.as_ref()).map(|(status, _)| child::end_like(status)))
}

/// Records the program of `report -- PROGRAM` and reports on it. The exit status is the program's, unless only the report
/// fails.
pub fn with_report(report: &ReportArguments) -> ExitCode {
    let arguments = RunArguments::recording_only(&report.program, report.quiet);
    ended(carry_out(&arguments, Some(report)).map(|(status, is_reported)| {
        if status.success() && !is_reported {
            return ExitCode::from(FAILURE);
        }
        child::end_like(status)
    }))
}

fn ended(outcome: Result<ExitCode, Stop>) -> ExitCode {
    outcome.unwrap_or_else(|stop| {
        say::remark(&stop.line);
        ExitCode::from(stop.code)
    })
}

/// Runs the program, makes its traces and its report; returns how it ended, and whether there is a report of it.
fn carry_out(
    arguments: &RunArguments,
    report: Option<&ReportArguments>,
) -> Result<(ExitStatus, bool), Stop> {
    let library = start::library()?;
    let settings = Settings::new(arguments, &library)?;
    let mut plan = Plan::new(arguments, &settings, &library)?;
    if report.is_some_and(|report| report.json) {
        plan.write_to_stderr();
    }
    let before = EarlierFolders::list(&settings.output);
    let family = Family::listen(&settings.socket);
    plan.remarks.iter().filter(|_| !settings.quiet).for_each(|remark| say::remark(remark));
    let mut running = plan.start()?;
    let (status, ended) =
        running.wait().map_err(|error| Stop::new(FAILURE, format!("{error:#}")))?;
    let seen = family.seen();
    let found = before.since(&settings, running.pid());
    // A reason that was given is the right one.
    if found.is_empty() && !settings.quiet && !seen.has_reason {
        say::remark(&format!("no recording: {}", plan.why_nothing()));
    }
    let (pid, started) = (running.pid(), running.started);
    life::note_children(&found, pid, &seen);
    life::note(
        &found,
        &ObservedProcess { pid, started, ended, status, arguments: arguments.program.clone() },
    );
    // After an exec there are several of one process, and its end is the last one's.
    let last = found.iter().rposition(|run| run.facts.process.pid == running.pid());
    let next = if report.is_some() { Next::View } else { Next::Report };
    for (index, run) in found.iter().enumerate() {
        let is_last = index + 1 == found.len();
        let status = (last == Some(index)).then_some(status);
        traces::make(run, &settings, status, is_last.then_some(next));
    }
    traces::of_launcher(&found, &settings);
    ompi_trace::make(&found, &settings);
    seen.lines.iter().filter(|_| !settings.quiet).for_each(|line| say::remark(line));
    let is_reported = report.is_none_or(|report| reports::print(&found, settings.role, report));
    Ok((status, is_reported))
}
