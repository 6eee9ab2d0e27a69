//! The options of `ompttrace run`.

use clap::{Args, ValueEnum};
use std::ffi::OsString;

#[derive(Args, Debug)]
#[command(after_help = "\
The exit status is the program's; if a signal ended the program, the same signal ends this command.
126: the program cannot be executed; 127: no such program; 2: a wrong option; 1: it was not started.

Example: ompttrace run --format otf2 --events=-mutex -- ./lulesh -s 30")]
pub struct RunArguments {
    /// Formats of the trace, separated by commas: perfetto, chrome, otf2, parquet, folded, pprof, recording (no trace) [default: perfetto]
    #[arg(long, value_name = "LIST")]
    pub format: Option<OsString>,
    /// What the trace shows: auto, threads, regions or both [default: auto, for OTF2 threads]
    #[arg(long)]
    pub view: Option<OsString>,
    /// Maximum size of a trace for Perfetto or Chrome: a larger one becomes an overview; none [default: 80MB]
    #[arg(long, value_name = "SIZE")]
    pub limit: Option<OsString>,
    /// The run folder; %e program, %p process id, %h host, %r MPI rank [default: %e.%p.ompttrace]
    #[arg(long, value_name = "DIR")]
    pub output: Option<OsString>,
    /// What to record: all, task, work, sync, mutex, control, target or names of callbacks; -name excludes one
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub events: Option<OsString>,
    /// Size of each of a thread's two buffers and where they are: 64K@run, @shm [default: 16K@shm,
    /// for ring 256K]
    #[arg(long)]
    pub buffer: Option<OsString>,
    /// What a thread does when its buffers are full: wait until they are written, drop records if
    /// the disk is too slow (but wait for a write that has begun), ring (keep the newest; written at
    /// a flush and at the end) [default: wait]
    #[arg(long)]
    pub overflow: Option<OsString>,
    /// Call stacks where regions and tasks are created: off, regions, or regions:N for at most N
    /// frames (1 to 128) [default: off; regions is 32 frames]
    #[arg(long)]
    pub callstack: Option<OsString>,
    /// How to record which threads have a core: switches (each switch of a thread, by perf events), accounting (the
    /// kernel's sums per thread), auto (switches, or accounting if they are refused), off [default: auto]
    #[arg(long, value_name = "MODE")]
    pub cores: Option<OsString>,
    /// Counters to read where a thread forks, begins or ends an implicit task, reaches a barrier, or switches tasks, as a
    /// list: page-faults, context-switches, migrations, cycles, instructions and others
    #[arg(long, value_name = "LIST")]
    pub counters: Option<OsString>,
    /// Sample each thread's call stack this often per second of its CPU time: 200; 200,wall: of elapsed time;
    /// 200,signal=40: with a real-time signal instead of SIGURG
    #[arg(long, value_name = "RATE")]
    pub sample: Option<OsString>,
    /// Run the program on another OpenMP runtime: LLVM's, for programs built by GCC
    #[arg(long, value_enum)]
    pub runtime: Option<Runtime>,
    /// Make the runtime keep what `ompttrace inspect --ompd` queries (OMP_DEBUG=enabled)
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
