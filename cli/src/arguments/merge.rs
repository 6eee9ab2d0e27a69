//! The options of `ompttrace merge` and `ompttrace pack`.

use super::{ExportArguments, one_of};
use crate::detail::{self, Detail};
use crate::jobs::Jobs;
use crate::units;
use clap::{Args, ValueEnum};
use ompttrace_recording::settings::View;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
Processes on one machine share a clock; different machines are aligned by the time of day, the ranks of an MPI job
by the comparisons of their clocks. `ompttrace export JOB` does the same for all ranks of a job.

Example:
  ompttrace run --output client -- ./client & ompttrace run --output server -- ./server
  ompttrace merge client server --output both.pftrace
  ompttrace view both.pftrace --open")]
pub struct MergeArguments {
    /// The run folders, one for each process, or folders of jobs (name.job.ompttrace)
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// File of the trace; an existing one is not overwritten [default: merged.pftrace in the current folder]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the trace shows: OS threads, logical threads of each region, or both; auto: as for export [default: auto]
    #[arg(long, value_parser = one_of(View::NAMES, View::named))]
    pub view: Option<View>,
    /// Also draw what runs for less than two microseconds between two suspensions; larger
    #[arg(long)]
    pub exact: bool,
    /// Begin of the time window, since the first process began: 2.5s, 300ms, 10us
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub from: Option<u64>,
    /// End of the time window
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub to: Option<u64>,
    /// Maximum size of the trace: each process has a share by the size of its recording, and a larger part becomes an overview;
    /// none [default: 80MB]
    #[arg(long, value_name = "SIZE", value_parser = detail::parse_limit)]
    pub limit: Option<u64>,
    /// Slices that are drawn unmerged: all, those that last at least a TIME such as 100us, or as many as --limit allows
    /// (auto)
    #[arg(long, value_name = "TIME", default_value = "auto", value_parser = detail::parse)]
    pub detail: Detail,
    /// Make times later where clocks disagree, until no message is received before it was sent (the controlled
    /// logical clock)
    #[arg(long)]
    pub correct_clocks: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Print what was written as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
}

impl MergeArguments {
    /// Arguments of an export that asks for the same.
    pub fn export(&self) -> ExportArguments {
        let run = self.runs.first().cloned().unwrap_or_default();
        ExportArguments {
            view: self.view,
            output: self.output.clone(),
            exact: self.exact,
            from: self.from,
            to: self.to,
            limit: self.limit,
            detail: self.detail,
            correct_clocks: self.correct_clocks,
            jobs: self.jobs,
            json: self.json,
            quiet: self.quiet,
            ..ExportArguments::of(&run)
        }
    }
}

/// Texts that an anonymised copy lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Anonymise {
    /// Paths, source files, the host, the command line, values of the environment
    Paths,
    /// Also the names that the program gives: functions, variables, phases, threads, communicators
    All,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ompttrace pack lulesh.4711.ompttrace
  ompttrace pack lulesh.4711.ompttrace --level 19 --keep
  ompttrace pack lulesh.4711.ompttrace --anonymise      for a bug report: without paths, host, command line")]
pub struct PackArguments {
    /// The run folder (name.pid.ompttrace), or the folder of a job; its program must have ended
    pub run: PathBuf,
    /// Compression level, 1 (fast) to 22
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(i32).range(1..=22))]
    pub level: i32,
    /// Keep the original files
    #[arg(long)]
    pub keep: bool,
    /// Make an anonymised copy to pass on, and leave the recording as it is. Paths, source files, the host, the command line and
    /// values of the environment are replaced; with `all` also names of functions, variables, phases, threads and communicators
    #[arg(
        long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "paths",
        value_enum, conflicts_with = "keep"
    )]
    pub anonymise: Option<Anonymise>,
    /// Folder of the anonymised copy; an existing one is not overwritten [default: anonymised.ompttrace beside the recording]
    #[arg(long, value_name = "FOLDER", requires = "anonymise")]
    pub output: Option<PathBuf>,
    /// Pack it even if it is unknown whether its program has ended (another machine or PID
    /// namespace): if it still runs, its later records are lost
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Print what was written as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
}
