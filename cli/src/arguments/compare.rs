//! The options of `ompttrace compare` and `ompttrace scale`.

use super::WindowArguments;
use crate::units;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
Regions and constructs are matched by source location; if lines moved, by function, kind and order. With several runs
a side, medians are compared; with three or more a change is clear if all runs of one side took longer than all of the
other. Jobs of MPI ranks are compared with jobs: their efficiencies, the waits between ranks, and findings.

Examples:
  ompttrace compare lulesh.4711.ompttrace lulesh.4812.ompttrace
  ompttrace compare --fail-above 5% base.*.ompttrace -- new.*.ompttrace
  ompttrace compare --after-first-region lulesh.4711.ompttrace lulesh.4812.ompttrace
  ompttrace compare --html change.html before.*.ompttrace -- after.*.ompttrace")]
pub struct CompareArguments {
    /// The run folders or jobs before; without `--` two of them: one before and one after
    #[arg(required = true, value_name = "BEFORE")]
    pub before: Vec<PathBuf>,
    /// The run folders or jobs after
    #[arg(last = true, value_name = "AFTER")]
    pub after: Vec<PathBuf>,
    /// Print everything as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Write a self-contained page to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// End with status 4 if the median of the wall times after is longer by more than this part of that before, and by more
    /// than runs of one side differ: 5%
    #[arg(long, value_name = "PERCENT", value_parser = units::percent)]
    pub fail_above: Option<f64>,
    #[command(flatten)]
    pub window: WindowArguments,
    /// Lines of each table at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
}

impl CompareArguments {
    /// The runs of both sides, or the reason why there are not two sides.
    pub fn sides(&self) -> Result<(&[PathBuf], &[PathBuf]), &'static str> {
        match (&self.before[..], &self.after[..]) {
            ([before, after], []) => {
                Ok((std::slice::from_ref(before), std::slice::from_ref(after)))
            }
            (_, []) => {
                Err("compare: give two runs, or put `--` between those before and those after")
            }
            (before, after) => Ok((before, after)),
        }
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
The program is recorded with each number of threads (OMP_NUM_THREADS) in turn, and the whole series is repeated. The
recordings are removed unless --keep names a folder for them. With --ranks, a launcher starts the program as a job of so many MPI
ranks, for each number of threads (default: 1).

Examples:
  ompttrace scale --threads 1,2,4,8 --repeat 5 -- ./lulesh -s 30
  ompttrace scale --ranks 1,8 --threads 1,2 --launcher 'mpirun --oversubscribe' -- ./lulesh -s 30")]
pub struct ScaleArguments {
    /// Numbers of threads, separated by commas [default: 1, 2, 4 and so on, and all cores]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub threads: Vec<u32>,
    /// Numbers of MPI ranks, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub ranks: Vec<u32>,
    /// The command that starts ranks, and options of it, separated by spaces; `-n RANKS` is added
    #[arg(long, value_name = "COMMAND", default_value = "mpirun", requires = "ranks")]
    pub launcher: String,
    /// Runs with each number of threads, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Keep the recordings in this folder, which must not exist
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Print everything as JSON on stdout; the program's output goes to stderr
    #[arg(long)]
    pub json: bool,
    /// Write a self-contained page with a plot to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Lines of each table at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true)]
    pub program: Vec<std::ffi::OsString>,
}
