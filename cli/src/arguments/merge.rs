//! What `ompttrace merge` and `ompttrace pack` can be asked for.

use super::View;
use crate::jobs::Jobs;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
Processes of one machine keep their common clock; machines meet by the time of day.

Example:
  mpirun -n 4 ompttrace run --format recording --output heat.%r -- ./heat
  ompttrace merge heat.? --output heat.pftrace
  ompttrace view heat.pftrace --open")]
pub struct MergeArguments {
    /// The run folders, one for each process
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// File of the trace [default: merged.pftrace, here]; an existing one is kept
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the trace shows: OS threads, logical threads of each region, or both; auto: as for export [default: auto]
    #[arg(long, value_enum)]
    pub view: Option<View>,
    /// Tell also what goes on for less than a microsecond between two suspensions; larger
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
    /// The run folder (name.pid.ompttrace); its program must be over
    pub run: PathBuf,
    /// How hard to compress, 1 (fast) to 22
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(i32).range(1..=22))]
    pub level: i32,
    /// Keep the files that the packed one takes the place of
    #[arg(long)]
    pub keep: bool,
    /// Pack it also where it cannot be known whether its program is over (another machine or PID
    /// namespace): what a living one records later is lost
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
