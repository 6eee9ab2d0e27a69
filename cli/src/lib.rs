//! `ompttrace`, the command: makes traces and reports of recordings.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage, 4 slower than `compare --fail-above` allows; `ompttrace run` returns its program's status.

mod accounts;
mod address_space;
mod amend;
mod arguments;
mod ask_tool;
mod compare;
mod confined;
mod control;
mod cost;
mod debug_package;
mod deflated;
mod detail;
mod doctor;
mod estimate;
mod export;
mod first_look;
mod forecast;
mod formats;
mod gzip;
mod info;
mod inspect;
mod interrupted;
mod job;
mod jobs;
mod leftovers;
mod merge;
mod output_path;
mod pack;
mod pass;
mod perf_map;
mod preallocated;
mod process;
mod progress;
mod random;
mod rebuilt;
mod record;
mod recover;
mod region;
mod report;
mod run;
mod run_folder;
mod say;
mod scale;
mod snapshot;
mod source;
mod stack;
#[cfg(feature = "parquet")]
mod tables;
mod time_windows;
mod trace_size;
mod units;
mod view;
mod waiting;
mod window;

use arguments::{Arguments, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use job::Job;
use ompttrace_recording::INCOMPLETE_STATUS;
use std::path::Path;
use std::process::ExitCode;

/// The exit status of a comparison with runs that are slower than allowed.
const SLOWER_STATUS: u8 = 4;

/// The whole command.
pub fn main() -> ExitCode {
    address_space::adapt_to_limit();
    stack::of_usual_size(work)
}

/// The definition of the command line, of which man pages and completions are made.
pub fn definition() -> clap::Command {
    Arguments::command()
}

/// Does what the command line asks for.
fn work() -> ExitCode {
    let arguments = Arguments::parse();
    if let Command::Export(export) = &arguments.command
        && let Some(words) = export.contradiction()
    {
        Arguments::command().error(ErrorKind::ValueValidation, words).exit();
    }
    if let Some(words) = arguments.command.empty_window() {
        Arguments::command().error(ErrorKind::ValueValidation, words).exit();
    }
    if let Command::Compare(compare) = &arguments.command
        && let Err(words) = compare.sides()
    {
        Arguments::command().error(ErrorKind::WrongNumberOfValues, words).exit();
    }
    let outcome = match arguments.command {
        Command::Run(arguments) => return run::run(&arguments),
        Command::Report(arguments) if !arguments.program.is_empty() => {
            return run::with_report(&arguments);
        }
        Command::Doctor(arguments) => return doctor::run(&arguments),
        Command::UseRuntime(arguments) => return doctor::use_runtime::run(&arguments),
        Command::UseMpi(arguments) => return doctor::use_mpi::run(&arguments),
        Command::AskTool(arguments) => return ask_tool::run(&arguments),
        Command::AskOmpd(arguments) => return inspect::ompd::helper::run(&arguments),
        Command::Export(arguments) => {
            let of_job = |job: &Job| job::export::run(job, &arguments);
            job::or_run(&arguments.run, of_job, || export::run(&arguments))
        }
        Command::Info(arguments) => {
            let of_job = |job: &Job| job::info::run(job, &arguments);
            job::or_run(&arguments.run, of_job, || info::run(&arguments))
        }
        Command::Report(arguments) => {
            let of_job = |job: &Job| job::report::run(job, &arguments);
            // Without a run folder a term is explained.
            let run = arguments.run.clone().unwrap_or_default();
            job::or_run(&run, of_job, || report::run(&arguments))
        }
        Command::Compare(arguments) => match compare::run(&arguments) {
            Ok(false) => return ExitCode::from(SLOWER_STATUS),
            outcome => outcome.map(drop),
        },
        Command::Scale(arguments) => scale::run(&arguments),
        Command::Inspect(arguments) => {
            let of_job = |job: &Job| job::each::inspect(job, &arguments);
            job::or_run(Path::new(&arguments.target), of_job, || inspect::run(&arguments))
        }
        Command::Control(arguments) => control::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Snapshot(arguments) => snapshot::run(&arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Pack(arguments) => pack::run(&arguments),
    };
    match outcome {
        Ok(()) if run_folder::was_incomplete() => ExitCode::from(INCOMPLETE_STATUS),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::remark(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
