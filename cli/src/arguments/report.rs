//! The options of `ompttrace report`.

use super::WindowArguments;
use crate::jobs::Jobs;
use clap::{Args, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The text is also printed if --html writes a page. Build the program with -g to get source lines. Two threads make a
report, one with --jobs 1.

With `-- PROGRAM`, the program is recorded as `ompttrace run --format recording` does it, and the exit status is the
program's; the recording stays for further commands.

A window counts what lies in it: times to the nanosecond, and calls, tasks and executions that end in it.

Examples:
  ompttrace report -- ./lulesh -s 30
  ompttrace report lulesh.4711.ompttrace --top 20
  ompttrace report lulesh.4711.ompttrace --from 2.0s --to 2.5s
  ompttrace report heat.4711.ompttrace --region heat.c:104 --instance 3
  ompttrace report heat.4711.ompttrace --phase solve
  ompttrace report lulesh.4711.ompttrace --html lulesh.html
  ompttrace report lulesh.4711.ompttrace --json | jq .findings
  ompttrace report --explain 'load balance'")]
pub struct ReportArguments {
    /// The run folder (name.pid.ompttrace), or the folder of an MPI job (name.job.ompttrace)
    #[arg(required_unless_present_any = ["explain", "program"])]
    pub run: Option<PathBuf>,
    /// Only explain a term of reports: a state, a kind of finding, a field of the JSON; all
    #[arg(long, value_name = "NAME", exclusive = true)]
    pub explain: Option<String>,
    /// Print everything as JSON on stdout; the output of a PROGRAM goes to stderr then
    #[arg(long)]
    pub json: bool,
    /// Write a self-contained page with charts to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Include the source lines around each location in the page; only for recordings in a run folder of your own
    #[arg(long, requires = "html")]
    pub source: bool,
    #[command(flatten)]
    pub window: WindowArguments,
    /// Maximum number of rows of each table
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Cores that the program has for itself; all but one count as idle before its first team [default: those that it may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub cores: Option<u32>,
    /// For a job: make times later where clocks disagree, until no message is received before it was sent (the controlled
    /// logical clock)
    #[arg(long)]
    pub correct_clocks: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
    /// A program and its arguments: it is recorded first, without a trace
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "run")]
    pub program: Vec<OsString>,
    /// Whether the text goes to stderr, because stdout is the recorded program's.
    #[arg(skip)]
    pub to_stderr: bool,
}

impl ReportArguments {
    /// The report at the end of `ompttrace run --report`.
    pub fn at_end_of_run(quiet: bool) -> ReportArguments {
        let command = ReportArguments::augment_args(clap::Command::new("report"));
        let matches = command.get_matches_from(["report", "."]);
        let usual = ReportArguments::from_arg_matches(&matches);
        let usual = usual.unwrap_or_else(|error| error.exit());
        ReportArguments { quiet, to_stderr: true, ..usual }
    }
}
