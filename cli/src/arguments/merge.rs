//! The options of `ompttrace merge` and `ompttrace pack`.

use super::one_of;
use crate::jobs::Jobs;
use clap::Args;
use ompttrace_recording::settings::View;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
Processes on one machine share a clock; different machines are aligned by the time of day.

Example:
  mpirun -n 4 ompttrace run --format recording --output heat.%r -- ./heat
  ompttrace merge heat.? --output heat.pftrace
  ompttrace view heat.pftrace --open")]
pub struct MergeArguments {
    /// The run folders, one for each process
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
    #[command(flatten)]
    pub jobs: Jobs,
    /// Print what was written as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ompttrace pack lulesh.4711.ompttrace
  ompttrace pack lulesh.4711.ompttrace --level 19 --keep")]
pub struct PackArguments {
    /// The run folder (name.pid.ompttrace); its program must have ended
    pub run: PathBuf,
    /// Compression level, 1 (fast) to 22
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(i32).range(1..=22))]
    pub level: i32,
    /// Keep the original files
    #[arg(long)]
    pub keep: bool,
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
