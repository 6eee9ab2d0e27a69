//! The options of `ompttrace inspect`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
The program must have been started with `ompttrace run` (or with the library by hand). It continues while its recording
is read; to take call stacks, each thread is stopped for about a millisecond, one after the other. An interrupted system
call continues, except those that signal(7) lists under \"Interruption of system calls and library functions by stop
signals\" (epoll_wait, semop, sigtimedwait and a few more), which return EINTR.

Examples:
  ompttrace inspect 4711
  ompttrace inspect 4711 --json | jq .findings
  ompttrace inspect heat.4711.ompttrace      the last state of a program that hung and was killed
  ompttrace inspect core.4711 --exe ./heat   call stacks of a core file whose program was moved")]
pub struct InspectArguments {
    /// A process, a run folder (name.pid.ompttrace), the folder of an MPI job, or a core file (the program need not have
    /// been traced)
    #[arg(value_name = "PID|RUN|JOB|CORE")]
    pub target: OsString,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Also query the OMPD library beside the OpenMP runtime, or this one: states, frames and internal control variables,
    /// if the program was started with `ompttrace run --inspectable`; stops all its threads meanwhile
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub ompd: Option<Option<PathBuf>>,
    /// Read no call stacks: no thread is stopped
    #[arg(long)]
    pub no_stacks: bool,
    /// For a core file: the program, if it was moved
    #[arg(long, value_name = "FILE")]
    pub exe: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct OmpdArguments {
    /// A process
    #[arg(long, conflicts_with = "core", required_unless_present = "core")]
    pub pid: Option<u32>,
    /// A core file
    #[arg(long)]
    pub core: Option<PathBuf>,
    /// The core file's program, if it was moved
    #[arg(long, requires = "core")]
    pub exe: Option<PathBuf>,
    /// The library, if not the one beside the runtime
    #[arg(long)]
    pub library: Option<PathBuf>,
}
