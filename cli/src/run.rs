//! `ompttrace run`: starts a program with the library in it, and makes the traces when it is over.
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
mod run_folders;
mod settings;
pub mod start;
pub mod stop;
mod traces;

use crate::arguments::RunArguments;
use crate::say;
use family::Family;
use life::ObservedProcess;
use run_folders::EarlierFolders;
use settings::Settings;
use start::Plan;
use std::process::ExitCode;
use stop::{FAILURE, Stop};

pub fn run(arguments: &RunArguments) -> ExitCode {
    match carry_out(arguments) {
        Ok(code) => code,
        Err(stop) => {
            say::remark(&stop.line);
            ExitCode::from(stop.code)
        }
    }
}

fn carry_out(arguments: &RunArguments) -> Result<ExitCode, Stop> {
    let library = start::library()?;
    let settings = Settings::new(arguments, &library)?;
    let mut plan = Plan::new(arguments, &settings, &library)?;
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
    for (index, run) in found.iter().enumerate() {
        traces::make(run, &settings, (last == Some(index)).then_some(status));
    }
    traces::of_launcher(&found, &settings);
    ompi_trace::make(&found, &settings);
    seen.lines.iter().filter(|_| !settings.quiet).for_each(|line| say::remark(line));
    Ok(child::end_like(status))
}
