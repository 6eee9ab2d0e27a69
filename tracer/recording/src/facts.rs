//! `recording.json`: the facts of a run besides its events.

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
    /// True if the machine that wrote the recording is little-endian.
    pub little_endian: bool,
    /// The traced process.
    pub process: Process,
    /// The part of the machine that the process may use, and the settings of its runtimes.
    #[serde(skip_serializing_if = "Surroundings::is_unknown")]
    pub surroundings: Surroundings,
    /// The clock of the records' ticks.
    pub clock: Clock,
    /// The begin and the end of the process, as far as they are known.
    #[serde(skip_serializing_if = "Life::is_unknown")]
    pub life: Life,
    /// Path of the pool as long as the run is not closed; a bare name is a file in the run folder.
    pub pool: Option<String>,
    /// Path of the pool before it was moved into the run folder, after its process had ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_moved_from: Option<String>,
    /// Bytes of each of a thread's two buffers; 0 is unknown.
    pub buffer_bytes: u64,
    /// True if the tool finished; otherwise the pool may have records that no file has.
    pub closed: bool,
    /// True if the runtimes reported that they were finalised; otherwise other threads may have gone on until the end.
    pub finalized: bool,
    /// Every initialisation of an OpenMP runtime in this process, in order.
    pub runtimes: Vec<Runtime>,
    /// The setting for threads whose buffers are full: `wait`, `drop` or `ring`; empty in older recordings.
    pub overflow: String,
    /// Records lost outside any thread's stream: name of the event, with its end where it has ends
    /// (`work:begin`), and count.
    pub lost: BTreeMap<String, u64>,
    /// Time that it took to store one record when the run began, in picoseconds: the clock read and the stores,
    /// without the runtime's call of the tool. 0 is unknown.
    pub record_picoseconds: u64,
    /// The way in which it was recorded which threads had a core.
    #[serde(skip_serializing_if = "Cores::is_unknown")]
    pub cores: Cores,
    /// The counters of threads.
    #[serde(skip_serializing_if = "Counters::are_none")]
    pub counters: Counters,
    /// Bytes that were written to each file by the end; for event files the bytes of their fragments' areas. Empty if
    /// the process did not come to its end, or an older tool made the recording.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, u64>,
    /// Threads that recorded, in a process that lost no record and came to its end: the files have all of them, by their numbers
    /// from 0, and of each all chunks, by theirs from 1. 0 is unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub gapless_threads: u64,
    /// True if the files have every record, even if the run is not closed: the pool may be gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub emptied: bool,
    /// In a snapshot of a program that ran on: buffers that their threads overwrote while they were copied, and that are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub snapshot_left_out: u64,
    /// The sampling of threads.
    #[serde(skip_serializing_if = "Samples::are_not_asked")]
    pub samples: Samples,
    /// Time that threads spent writing full buffers, in a run that ended by itself.
    pub drains: Drains,
}

impl Facts {
    /// Cores that the process may use, by masks: a quota does not count. 0 is unknown.
    pub fn usable_cores(&self) -> u32 {
        self.surroundings.cores().unwrap_or(self.process.cores)
    }
}

/// Recording of the times at which threads had a core: the setting, and the number of threads for which it succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cores {
    /// The setting: `auto`, `switches`, `accounting` or `off`; empty in recordings of tools without the setting.
    pub asked: String,
    /// The best method that any thread got: `switches`, `accounting`, or `off` for none. Empty, as are the numbers,
    /// if the run did not come to its end.
    pub used: String,
    /// The reason why some thread did not get the method that was asked for, in words; empty if all threads did.
    pub why: String,
    /// Threads of which every switch was recorded.
    pub threads_by_switches: u64,
    /// Threads of which the kernel's sums were recorded instead.
    pub threads_by_accounting: u64,
    /// Threads of which neither was recorded.
    pub threads_unknown: u64,
    /// Number of switches that were lost because they came faster than they were read.
    pub lost_switches: u64,
    /// Number of times that a thread's switches came so fast that the kernel's sums were recorded instead, for about
    /// a second.
    pub storms: u64,
}

impl Cores {
    /// Returns true if the recording has no such facts.
    pub fn is_unknown(&self) -> bool {
        *self == Cores::default()
    }
}

/// Drains: how often threads had to write their full buffers, and how long that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Drains {
    /// Number of drains.
    pub count: u64,
    /// Time of all drains, in nanoseconds.
    pub nanoseconds: u64,
    /// Time of the longest drain, in nanoseconds.
    pub longest: u64,
    /// Time of the longest drain when the slowest thousandth is left out (to a quarter), in nanoseconds.
    pub longest_of_999_in_1000: u64,
}

/// The traced process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Start time of the process (field 22 of /proc/pid/stat), to know it from a later process with the same id; 0 is
    /// unknown.
    pub start: u64,
    /// Inode of the process's PID namespace, in which its id is valid; 0 is unknown.
    pub pid_namespace: u64,
    /// Inode of the process's time namespace, whose offset its start time has; 0 where the kernel has none.
    pub time_namespace: u64,
    /// Parent's process id.
    pub parent: u32,
    /// The process of which this one is a copy: one that recorded OpenMP events and forked it. `None`: it is no such copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fork_of: Option<ForkOf>,
    /// File of the program (lossy UTF-8).
    pub executable: String,
    /// The process's arguments (lossy UTF-8), as they were when the library was loaded: a program may write over them.
    pub arguments: Vec<String>,
    /// Bytes of the arguments at exec, with a zero after each; 0 is unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub argument_bytes: u64,
    /// Name of the machine.
    pub host: String,
    /// Cores that the process may use.
    pub cores: u32,
    /// The process's number among the processes of an MPI program, according to its launcher; `None` outside one.
    pub rank: Option<u32>,
    /// The number of processes of that program, as its launcher says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u32>,
    /// A word that identifies the `ompttrace run` under which the process was started; empty if it was started under none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub started_by: String,
}

/// A process that forked another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ForkOf {
    /// The process id.
    pub pid: u32,
    /// Number of threads with OpenMP events that lived then, besides the one that forked: none of them exists in the copy.
    pub threads: u32,
}

/// The clock of the records' ticks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clock {
    /// `tsc`, `cntvct` or `quanta` (nanoseconds of quanta's clock, where no counter is sound).
    pub source: String,
    /// Clock pairs at the start and, in a closed run, at the end.
    pub pairs: Vec<ClockPair>,
    /// CLOCK_REALTIME, nanoseconds since 1970, at the first pair.
    pub realtime: u64,
    /// CLOCK_BOOTTIME less CLOCK_MONOTONIC, in nanoseconds: the time for which the machine slept; 0 in recordings of
    /// older tools.
    #[serde(skip_serializing_if = "is_zero")]
    pub boottime_offset: u64,
}

/// The begin and the end of the process, which lie before its first and after its last record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Life {
    /// Time at which the process began at the latest, in CLOCK_MONOTONIC nanoseconds: never before its true start.
    pub began: Option<u64>,
    /// True if recording was paused when it began: nothing is known of the time up to the first record.
    pub paused: bool,
    /// Time since which no runtime reports anything, in CLOCK_MONOTONIC nanoseconds: the last one ended then (a hard
    /// pause, or its library was unloaded), and the program went on. `None`: one reports, or all ended with the
    /// program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent: Option<u64>,
    /// Last sign of life of a process whose end was not observed, from a pool that was packed since, in
    /// CLOCK_MONOTONIC nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// The end of the process. `None`: it was not observed.
    pub ended: Option<End>,
}

impl Facts {
    /// The runtime of OpenMP that was initialised last; where there is none, MPI, CUPTI or an interface of phases.
    pub fn last_runtime(&self) -> Option<&Runtime> {
        let is_of_openmp = |runtime: &&Runtime| {
            ![MPI, CUPTI].contains(&runtime.interface.as_str()) && !runtime.is_of_phases()
        };
        let of_openmp = self.runtimes.iter().rfind(is_of_openmp);
        of_openmp.or(self.runtimes.last())
    }

    /// True for a snapshot of a program that ran on.
    pub fn is_snapshot(&self) -> bool {
        self.life.ended.as_ref().is_some_and(|ended| ended.by == end::SNAPSHOT)
    }

    /// True if MPI was recorded.
    pub fn has_mpi(&self) -> bool {
        self.runtimes.iter().any(|runtime| runtime.interface == MPI)
    }
}

impl Life {
    /// Returns true if neither the begin nor the end nor anything else is known.
    pub fn is_unknown(&self) -> bool {
        *self == Life::default()
    }
}

/// The end of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct End {
    /// Time of the end, in CLOCK_MONOTONIC nanoseconds.
    pub monotonic: u64,
    /// The way in which the process ended: one of the words of [`end`].
    pub by: String,
    /// The exit status or the number of the signal.
    pub number: Option<i32>,
}

/// The ways in which a process ends: [`End::by`].
pub mod end {
    /// An exit() or a return from main: the process's exit handlers ran, the tool's last of all.
    pub const EXIT: &str = "exit";
    /// An exit that runs no handlers, as _exit() and quick_exit() are.
    pub const AT_ONCE: &str = "_exit";
    /// A signal.
    pub const SIGNAL: &str = "signal";
    /// An exec: another program continues in the same process.
    pub const EXEC: &str = "exec";
    /// An end without the tool's exit handlers, by _exit or by a signal: it was not observed which of them.
    pub const UNKNOWN: &str = "unknown";
    /// None yet: the recording is a snapshot of a program that ran on (`ompttrace snapshot`).
    pub const SNAPSHOT: &str = "snapshot";
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// One instant on two clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockPair {
    /// The instant in ticks of the records' clock.
    pub ticks: u64,
    /// The instant in CLOCK_MONOTONIC nanoseconds.
    pub monotonic: u64,
}

/// The interface of an MPI library among the runtimes.
pub const MPI: &str = "mpi";

/// The interface of NVIDIA's devices among the runtimes.
pub const CUPTI: &str = "cupti";

/// The interface of phases that the program marks itself, among the runtimes.
pub const PHASES: &str = "phases";

/// The interface of Kokkos Tools among the runtimes.
pub const KOKKOS: &str = "kokkos";

/// The interface of NVTX among the runtimes.
pub const NVTX: &str = "nvtx";

/// The interface of ITT among the runtimes.
pub const ITT: &str = "itt";

/// One initialisation of an OpenMP runtime, of MPI, or of CUPTI, or the first phase that came through an interface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Runtime {
    /// Interface it speaks: `ompt`, `ompt-tr2` for that of 2014, `collector` for Sun's of 2007, [`MPI`], [`CUPTI`], [`PHASES`],
    /// [`KOKKOS`], [`NVTX`], [`ITT`].
    pub interface: String,
    /// The variant of the interface, where there is more than one.
    pub dialect: String,
    /// The runtime's name and version, as it reports them.
    pub version: String,
    /// `_OPENMP` of the interface that the runtime claims to follow.
    pub omp_version: u32,
    /// Path of the file whose code called the tool: the runtime's library, or the program if it is linked in statically.
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
    /// True if phases came through it.
    pub fn is_of_phases(&self) -> bool {
        [PHASES, KOKKOS, NVTX, ITT].contains(&self.interface.as_str())
    }

    /// Returns true if the runtime was to report an event, such as `task_schedule`. An event is assumed to be
    /// reported if its registration is not in `callbacks`.
    pub fn reports(&self, event: &str) -> bool {
        let answer = self.callbacks.get(event).map_or("", String::as_str);
        !(answer.starts_with("left out") || matches!(answer, "not wanted" | "never" | "impossible"))
    }
}
