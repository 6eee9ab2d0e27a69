//! `recording.json`: what is known of a run besides its events.

mod counters;
mod samples;
mod surroundings;

pub use counters::{Counter, Counters, Refused};
pub use samples::Samples;
pub use surroundings::{Quota, Surroundings, cores_of};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The facts of one run folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// [`crate::FORMAT_VERSION`] of the writer.
    pub format: u32,
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Whether the machine that wrote it is little-endian.
    pub little_endian: bool,
    /// The traced process.
    pub process: Process,
    /// What the process has of its machine.
    #[serde(skip_serializing_if = "Surroundings::is_unknown")]
    pub surroundings: Surroundings,
    /// What the ticks of the records are.
    pub clock: Clock,
    /// When the process began and how it ended, as far as is known.
    #[serde(skip_serializing_if = "Life::is_unknown")]
    pub life: Life,
    /// Where the pool lies while the run is not closed; a bare name means in the run folder.
    pub pool: Option<String>,
    /// Where the pool was before it was moved into the run folder: by then its process was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_moved_from: Option<String>,
    /// Bytes of each of a thread's two buffers; 0 is unknown.
    pub buffer_bytes: u64,
    /// Whether the tool finished; otherwise the pool may have records that no file has.
    pub closed: bool,
    /// Whether the runtime said that it is done; otherwise other threads may have gone on until the end.
    pub finalized: bool,
    /// Every initialisation of an OpenMP runtime in this process, in order.
    pub runtimes: Vec<Runtime>,
    /// What a thread did whose buffers were full: `wait`, `drop` or `ring`; older recordings say nothing.
    pub overflow: String,
    /// Records lost outside any thread's stream: name of the event, with its end where it has ends
    /// (`work:begin`), and count.
    pub lost: BTreeMap<String, u64>,
    /// What storing one record took when the run began, in picoseconds: the clock read and the
    /// stores, without the runtime's own way to us. 0 is unknown.
    pub record_picoseconds: u64,
    /// The way in which it was recorded which threads had a core.
    #[serde(skip_serializing_if = "Cores::is_unknown")]
    pub cores: Cores,
    /// What is counted of threads.
    #[serde(skip_serializing_if = "Counters::are_none")]
    pub counters: Counters,
    /// Bytes that were written to each file by the end: of event files those of their fragments' areas. Empty where the process
    /// did not come to its end, or an older tool said nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, u64>,
    /// Threads that recorded, in a process that lost no record and came to its end: the files have all of them, by their numbers
    /// from 0, and of each all chunks, by theirs from 1. 0 is unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub gapless_threads: u64,
    /// Whether the files have every record, also where the run is not closed: its buffers may be gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub emptied: bool,
    /// How threads are sampled.
    #[serde(skip_serializing_if = "Samples::are_not_asked")]
    pub samples: Samples,
    /// What writing full buffers cost the threads that filled them, in a run that ended by itself.
    pub drains: Drains,
}

impl Facts {
    /// Cores that the process may use, by masks: a quota does not count. 0 is unknown.
    pub fn usable_cores(&self) -> u32 {
        self.surroundings.cores().unwrap_or(self.process.cores)
    }
}

/// Recording of which threads had a core: the setting, and for how many threads it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cores {
    /// The setting: `auto`, `switches`, `accounting` or `off`; empty where the tool knew no such setting.
    pub asked: String,
    /// The best that any thread got: `switches`, `accounting`, or `off` for nothing. Empty, as are the numbers, where
    /// the run did not come to its end.
    pub used: String,
    /// Why some thread did not get what was asked for, in words; empty: all did.
    pub why: String,
    /// Threads of which every switch was recorded.
    pub threads_by_switches: u64,
    /// Threads of which the kernel's sums were recorded instead.
    pub threads_by_accounting: u64,
    /// Threads of which neither is known.
    pub threads_unknown: u64,
    /// Switches that came faster than they were read.
    pub lost_switches: u64,
    /// How often a thread's switches came so fast that the kernel's sums were recorded instead, for about a second.
    pub storms: u64,
}

impl Cores {
    /// Whether the recording says nothing of it.
    pub fn is_unknown(&self) -> bool {
        *self == Cores::default()
    }
}

/// Drains: how often threads had to write their full buffers, and how long that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Drains {
    /// How many.
    pub count: u64,
    /// All of them, in nanoseconds.
    pub nanoseconds: u64,
    /// The longest, in nanoseconds.
    pub longest: u64,
    /// The longest when the slowest thousandth is left out (to a quarter), in nanoseconds.
    pub longest_of_999_in_1000: u64,
}

/// The traced process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// When it began (field 22 of /proc/pid/stat), to know it from a later process with that number; 0 is
    /// unknown.
    pub start: u64,
    /// Inode of its PID namespace, in which its number means something; 0 is unknown.
    pub pid_namespace: u64,
    /// Inode of its time namespace, whose offset its start time has; 0 where the kernel has none.
    pub time_namespace: u64,
    /// Parent's process id.
    pub parent: u32,
    /// The process whose copy it is: one that recorded OpenMP events and forked it. `None`: it is none's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fork_of: Option<ForkOf>,
    /// File of the program (lossy UTF-8).
    pub executable: String,
    /// Its arguments (lossy UTF-8), as they were when the library was loaded: a program may write over them.
    pub arguments: Vec<String>,
    /// Bytes of its arguments at exec, with a zero after each; 0 is unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub argument_bytes: u64,
    /// Name of the machine.
    pub host: String,
    /// Cores that the process may use.
    pub cores: u32,
    /// Its number among the processes of an MPI program, as its launcher says; `None` outside one.
    pub rank: Option<u32>,
    /// The number of processes of that program, as its launcher says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u32>,
    /// Which `ompttrace run` it was started under: a word that no other run has; empty: none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub started_by: String,
}

/// A process that forked another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ForkOf {
    /// Its number.
    pub pid: u32,
    /// Its threads with OpenMP events that lived then, besides the one that forked: none of them exists in its copy.
    pub threads: u32,
}

/// What the ticks of the records are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clock {
    /// `tsc`, `cntvct` or `quanta` (nanoseconds of quanta's clock, where no counter is sound).
    pub source: String,
    /// Clock pairs at the start and, in a closed run, at the end.
    pub pairs: Vec<ClockPair>,
    /// CLOCK_REALTIME, nanoseconds since 1970, at the first pair.
    pub realtime: u64,
    /// CLOCK_BOOTTIME less CLOCK_MONOTONIC, nanoseconds: how long the machine slept; older tools never said it.
    #[serde(skip_serializing_if = "is_zero")]
    pub boottime_offset: u64,
}

/// The begin and the end of the process, which lie before its first and after its last record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Life {
    /// When it began at the latest, CLOCK_MONOTONIC in nanoseconds: never before its true start.
    pub began: Option<u64>,
    /// Whether recording was off when the recording was made: nothing is known of the time up to the
    /// first record.
    pub paused: bool,
    /// Since when no runtime reports anything, CLOCK_MONOTONIC in nanoseconds: the last one ended then (a hard pause, or its
    /// library was unloaded), and the program went on. `None`: one reports, or all ended with the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent: Option<u64>,
    /// What a pool that is packed away said last of a process whose end was not observed: CLOCK_MONOTONIC,
    /// nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// Its end. `None`: it was not observed.
    pub ended: Option<End>,
}

impl Facts {
    /// The runtime of OpenMP that was initialised last; where there is none, MPI or CUPTI.
    pub fn last_runtime(&self) -> Option<&Runtime> {
        let is_other = |runtime: &&Runtime| ![MPI, CUPTI].contains(&runtime.interface.as_str());
        let of_openmp = self.runtimes.iter().rfind(is_other);
        of_openmp.or(self.runtimes.last())
    }

    /// True if MPI was recorded.
    pub fn has_mpi(&self) -> bool {
        self.runtimes.iter().any(|runtime| runtime.interface == MPI)
    }
}

impl Life {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Life::default()
    }
}

/// The end of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct End {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub monotonic: u64,
    /// One of the words of [`end`].
    pub by: String,
    /// The exit status or the number of the signal.
    pub number: Option<i32>,
}

/// How a process ended: [`End::by`].
pub mod end {
    /// By exit() or a return from main: its exit handlers ran, ours the last of them.
    pub const EXIT: &str = "exit";
    /// By an exit that runs no handlers, as _exit() and quick_exit() are.
    pub const AT_ONCE: &str = "_exit";
    /// By a signal.
    pub const SIGNAL: &str = "signal";
    /// By an exec: another program continues in the same process.
    pub const EXEC: &str = "exec";
    /// Without exit handlers of ours, by _exit or by a signal: nobody saw which.
    pub const UNKNOWN: &str = "unknown";
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The same instant on two clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockPair {
    /// Ticks of the records' clock.
    pub ticks: u64,
    /// CLOCK_MONOTONIC, nanoseconds.
    pub monotonic: u64,
}

/// The interface of an MPI library among the runtimes.
pub const MPI: &str = "mpi";

/// The interface of NVIDIA's devices among the runtimes.
pub const CUPTI: &str = "cupti";

/// One initialisation of an OpenMP runtime, of MPI, or of CUPTI.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Runtime {
    /// Interface it speaks: `ompt`, `ompt-tr2` for that of 2014, `collector` for Sun's of 2007, [`MPI`], [`CUPTI`].
    pub interface: String,
    /// How it speaks it, where there is more than one way.
    pub dialect: String,
    /// What it calls itself.
    pub version: String,
    /// `_OPENMP` of the interface it says it follows.
    pub omp_version: u32,
    /// The library that called us.
    pub library: String,
    /// Registration result of every callback of the interface.
    pub callbacks: BTreeMap<String, String>,
    /// Notes on the runtime that a user should know: callbacks left out and why.
    pub notes: Vec<String>,
    /// ompt_enumerate_states: number and name.
    pub states: Vec<(u64, String)>,
    /// ompt_enumerate_mutex_impls: number and name.
    pub mutex_implementations: Vec<(u64, String)>,
}

impl Runtime {
    /// Whether it was to report an event, such as `task_schedule`; if nobody asked, it is assumed.
    pub fn reports(&self, event: &str) -> bool {
        let answer = self.callbacks.get(event).map_or("", String::as_str);
        !(answer.starts_with("left out") || matches!(answer, "not wanted" | "never" | "impossible"))
    }
}
