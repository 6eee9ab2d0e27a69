//! The options of `ompttrace inspect`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
The program must have been started with `ompttrace run` (or with the library by hand). It goes on while its recording
is read; for its call stacks each thread stops for a millisecond or so, one after the other. A system call that
a stop interrupts goes on, but for those that signal(7) names under \"Interruption of system calls and library functions
by stop signals\" (epoll_wait, semop, sigtimedwait and a few more), which return EINTR.

Examples:
  ompttrace inspect 4711
  ompttrace inspect 4711 --json | jq .findings
  ompttrace inspect heat.4711.ompttrace      where a program was that was killed because it hung
  ompttrace inspect core.4711 --exe ./heat   call stacks of a core file whose program is elsewhere now")]
pub struct InspectArguments {
    /// The process, a run folder (name.pid.ompttrace), or a core file, of a program that was not traced as well
    #[arg(value_name = "PID|RUN|CORE")]
    pub target: OsString,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Ask also the OMPD library that lies beside the OpenMP runtime, or this one: states, frames and internal control
    /// variables, where the program was started with `ompttrace run --inspectable`; all its threads stop meanwhile
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub ompd: Option<Option<PathBuf>>,
    /// Read no call stacks: no thread is stopped
    #[arg(long)]
    pub no_stacks: bool,
    /// Of a core file: the program, if it is not where it was
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
    /// The core file's program, if it is not where it was
    #[arg(long, requires = "core")]
    pub exe: Option<PathBuf>,
    /// The library, if not the one beside the runtime
    #[arg(long)]
    pub library: Option<PathBuf>,
}
