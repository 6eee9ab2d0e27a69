//! The options of `ompttrace control`, `ompttrace record` and `ompttrace snapshot`.

use super::{format_names, one_of};
use crate::units;
use clap::{Args, ValueEnum};
use ompttrace_recording::settings::Format;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
#[command(after_help = "\
The program takes the command at its next event, on whatever thread; one that computes or waits without any event takes it
later, and the exit status is 1 until then. The trace shows the command as it shows those of omp_control_tool. A thread
without an event since a start is shown as unknown.

Examples:
  ompttrace run --start off -- ./server &    run without recording
  ompttrace control 4711 start               record from now on
  ompttrace control 4711 pause
  ompttrace control lulesh.1234.ompttrace flush   all ranks of an MPI job that run here: their files have all records up to now
  ompttrace control 4711 end                 nothing more is recorded, the program runs on")]
pub struct ControlArguments {
    /// A process that is recorded, its run folder (name.pid.ompttrace), or the folder of an MPI job: all ranks
    #[arg(value_name = "PID|RUN|JOB")]
    pub target: OsString,
    /// What the recording is to do
    #[arg(value_enum)]
    pub command: ControlCommand,
    /// The time to wait for the program to take the command
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub wait: Duration,
    /// Print what became of the command, for each program, as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// A command, by the number that omp_control_tool has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ControlCommand {
    /// Record from now on
    Start = 1,
    /// Record nothing until the next start
    Pause = 2,
    /// Write all records up to now to the files
    Flush = 3,
    /// Record nothing any more; the program runs on
    End = 4,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The program must have been started with recording paused: `ompttrace run --start off`, or OMPTTRACE_START=off. Its recording
is started, paused again after the time, and a trace of that time is made, in the run folder unless --output names a
file. Ctrl-C ends the time.

Example:
  ompttrace run --start off -- ./server &
  ompttrace record 4711 --for 10s --output busy.pftrace")]
pub struct RecordArguments {
    /// A process whose recording is paused, its run folder (name.pid.ompttrace), or the folder of an MPI job: all ranks
    #[arg(value_name = "PID|RUN|JOB")]
    pub target: OsString,
    /// The time to record
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub time: Duration,
    /// Formats of the trace, separated by commas
    #[arg(long, value_parser = one_of(format_names(), Format::named), value_delimiter = ',', default_value = "perfetto")]
    pub format: Vec<Format>,
    /// File of the trace (folder for OTF2 and Parquet), for a single format; an existing one is not overwritten
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// The time to wait for the program to take each of the two commands
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub wait: Duration,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
    /// Print the trace's path and counts as JSON on stdout, as `ompttrace export --json` does
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The program must be recorded with OMPTTRACE_OVERFLOW=ring: each thread keeps its newest events. It is not stopped, and
records on. What a thread overwrites while it is copied is left out and counted.

Example:
  ompttrace run --overflow ring --buffer 1M -- ./server &
  ompttrace snapshot 4711
  ompttrace report server.4711.snapshot.ompttrace")]
pub struct SnapshotArguments {
    /// A process that is recorded, its run folder (name.pid.ompttrace), or the folder of an MPI job: all ranks
    #[arg(value_name = "PID|RUN|JOB")]
    pub target: OsString,
    /// Folder of the new recording, which must not exist [default: name.pid.snapshot.ompttrace beside the run folder]
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
    /// Print the path, and what was copied of each program, as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

fn duration(text: &str) -> Result<Duration, String> {
    units::time(text).map(Duration::from_nanos)
}
