//! The options of `ompttrace run`.

use clap::{Args, ValueEnum};
use std::ffi::OsString;

#[derive(Args, Debug)]
#[command(after_help = "\
The exit status is the program's; a program that a signal ended ends this command by the same signal.
126: the program cannot be executed; 127: there is none of that name; 2: a wrong option; 1: it was
not started.

Example: ompttrace run --format otf2 --events=-mutex -- ./lulesh -s 30")]
pub struct RunArguments {
    /// Formats of the trace, separated by commas: perfetto, chrome, otf2, parquet, folded, pprof, recording (no trace) [default: perfetto]
    #[arg(long, value_name = "LIST")]
    pub format: Option<OsString>,
    /// What the trace shows: threads, regions or both [default: both, for OTF2 threads]
    #[arg(long)]
    pub view: Option<OsString>,
    /// Size that a trace for Perfetto or Chrome may have: what is larger becomes an overview; none [default: 80MB]
    #[arg(long, value_name = "SIZE")]
    pub limit: Option<OsString>,
    /// The run folder; %e program, %p process id, %h host, %r MPI rank [default: %e.%p.ompttrace]
    #[arg(long, value_name = "DIR")]
    pub output: Option<OsString>,
    /// What to record: all, task, work, sync, mutex, control, target or names of callbacks; -name leaves one out
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub events: Option<OsString>,
    /// Size of each of a thread's two buffers and where they lie: 64K@run, @shm [default: 16K@shm,
    /// for ring 256K]
    #[arg(long)]
    pub buffer: Option<OsString>,
    /// What a thread does whose buffers are full: wait until they are written, drop records where
    /// the disk is too slow for that (though a write that has begun is waited for), ring (keep the
    /// newest; written at a flush and at the end) [default: wait]
    #[arg(long)]
    pub overflow: Option<OsString>,
    /// Call stacks at which regions and tasks are made: off, regions, or regions:N for at most N
    /// frames (1 to 128) [default: off; regions is 32 frames]
    #[arg(long)]
    pub callstack: Option<OsString>,
    /// What is recorded of who has a core: switches (each switch of a thread, by perf events), accounting (the kernel's
    /// sums of a thread), auto (switches, where they are refused accounting), off [default: auto]
    #[arg(long, value_name = "MODE")]
    pub cores: Option<OsString>,
    /// What is counted of each thread where it forks, takes up or leaves an implicit task, comes to a barrier, or
    /// changes tasks, as a list: page-faults, context-switches, migrations, cycles, instructions and others
    #[arg(long, value_name = "LIST")]
    pub counters: Option<OsString>,
    /// Take samples of each thread's call stack, so many in a second of its CPU time: 200; 200,wall of all time;
    /// 200,signal=40 by a real-time signal instead of SIGURG
    #[arg(long, value_name = "RATE")]
    pub sample: Option<OsString>,
    /// Put another OpenMP runtime under the program: LLVM's, for programs built by GCC
    #[arg(long, value_enum)]
    pub runtime: Option<Runtime>,
    /// Have the runtime keep what `ompttrace inspect --ompd` asks for (OMP_DEBUG=enabled)
    #[arg(long)]
    pub inspectable: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true)]
    pub program: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Runtime {
    /// LLVM's libomp
    Libomp,
}
