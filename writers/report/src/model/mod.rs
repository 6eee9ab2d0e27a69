//! The report: the data of `--json`, of the text and of the page.
//!
//! Times are nanoseconds, shares are between 0 and 1. Constructs are named by their position in
//! [`Report::constructs`]. The most important entry of a list comes first.

mod constructs;
mod contexts;
mod cores;
mod counters;
mod devices;
mod findings;
mod life;
mod memory;
mod mpi;
mod path;
mod phases;
mod samples;
mod tasks;
mod unfinished;

pub use constructs::{Balance, Blame, Class, ConstructReport, Replay, Site, WhatIf};
pub use contexts::{ContextReport, pseudo_frames};
pub use cores::{BusyMachine, Cores};
pub use counters::CounterReport;
pub use devices::{CopyReport, DeviceReport, DevicesReport, KernelReport, TargetReport};
pub use findings::{Evidence, Finding, Gain, Symptom, Unit};
pub use life::{Life, TimeWindow};
pub use memory::{InstructionRate, MemoryLimit};
pub use mpi::{MessageSizes, MessageSums, MpiCallReport, MpiReport};
pub use path::{CriticalPath, PathPart, Recording};
pub use phases::PhaseReport;
pub use samples::{SampleSums, SampledConstruct, SampledLine, SamplesReport, StackReport};
pub use tasks::{GrainBucket, QueuePoint, TaskReport, TasksReport};
pub use unfinished::Unfinished;

use crate::state::Times;
use ompttrace_recording::facts::{ForkOf, Surroundings};
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of this schema (`schemas/`): raised where a field changes its meaning or goes.
pub const SCHEMA: u32 = 4;

/// The report of one run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Version of the schema: [`SCHEMA`].
    pub schema: u32,
    /// The traced program.
    pub program: Program,
    /// Wall time of the process, as far as it is known, in nanoseconds.
    pub wall_ns: u64,
    /// Thread time that could have been worked: threads x wall time, and before the first team all cores.
    pub capacity_ns: u64,
    /// The largest number of teams with several threads that are nested in each other.
    pub levels: u32,
    /// The largest number of outermost teams with several threads at the same time: each root thread has one.
    pub teams: u64,
    /// Begin and end of the wall time.
    pub life: Life,
    /// The part of the run that all numbers are about; none where it is the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<TimeWindow>,
    /// Sentences about the limits of the numbers, such as where the recording is cut and what it lost.
    pub caveats: Vec<String>,
    /// Bytes of events that the recording had when it was closed and now lacks; if there are any, no findings are
    /// looked for.
    pub missing_bytes: u64,
    /// A busy machine, said before all findings; none where threads had cores, or the program itself is why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_machine: Option<BusyMachine>,
    /// Findings by the gain that is to be expected, the largest first; where the program is why threads lack cores, that
    /// is the first. On a busy machine they are of the time on cores, and those about cores come last.
    pub findings: Vec<Finding>,
    /// Regions whose work memory limits, if instructions and cycles were counted; otherwise a note that a single run cannot show
    /// it. None where findings or waiting explain more, or counters show no such region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
    /// POP's efficiencies of the whole run.
    pub efficiency: Efficiency,
    /// The time of all threads together, by state.
    pub times: Times,
    /// OpenMP Work, Wait and Idle of all threads together.
    pub metrics: Metrics,
    /// Time with and without a core of all threads together; none where it is not recorded.
    pub cores: Option<Cores>,
    /// Thread time in which threads wanted a core and had none, while fewer of them ran than the process may use cores:
    /// others had those. None where context switches are not recorded.
    pub taken_cores_ns: Option<u64>,
    /// Performance counters, with their sums over all threads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterReport>,
    /// Counter values outside of regions, by the counter's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counted_outside: BTreeMap<String, u64>,
    /// Idleness and waiting that was charged to the threads that worked meanwhile.
    pub blame: BlameSums,
    /// Every OS thread.
    pub threads: Vec<ThreadReport>,
    /// Parallel regions, the longest first.
    pub regions: Vec<RegionReport>,
    /// Everything that time is attributed to: regions, work-sharing, tasks, barriers, serial sections.
    pub constructs: Vec<ConstructReport>,
    /// Calling contexts, where call stacks were recorded: their own times add up to `times`.
    pub contexts: Vec<ContextReport>,
    /// Samples by construct, line, function and call stack; none where the recording has no samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<SamplesReport>,
    /// Calls of MPI; none where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpi: Option<MpiReport>,
    /// Activities of devices; none where none of them reports anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<DevicesReport>,
    /// Phases that the program marks itself, the longest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseReport>,
    /// Mutexes, the most waited-for first.
    pub locks: Vec<LockReport>,
    /// Source locations that acquire mutexes, the one that makes others wait the longest first.
    pub holders: Vec<HolderReport>,
    /// Waits that were not over when the recording stopped, the longest first.
    pub unfinished: Vec<Unfinished>,
    /// Explicit tasks.
    pub tasks: TasksReport,
    /// The chain of activities that determined how long the run took.
    pub critical_path: CriticalPath,
    /// Time that recording took.
    pub recording: Recording,
    /// The time that the run would have taken with a core for each thread that wanted one.
    #[serde(skip)]
    pub replayed_ns: u64,
    /// Threads that worked when the recording stopped.
    #[serde(skip)]
    pub working_at_stop: u64,
    /// The module that most of the time at locations is in, where these have no line.
    #[serde(skip)]
    pub without_lines: Option<String>,
}

/// The traced program.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Program {
    /// Path of the executable.
    pub executable: String,
    /// Command-line arguments, the program's name first.
    pub arguments: Vec<String>,
    /// Process id of the program.
    pub pid: u32,
    /// The process whose copy it is, by a fork; none: of none that had used OpenMP.
    pub fork_of: Option<ForkOf>,
    /// Host name of the machine.
    pub host: String,
    /// Number of cores that the process may use; 0 where it is unknown.
    pub cores: u32,
    /// Number of cores on which its threads ran; 0 where it is not recorded.
    pub used_cores: u32,
    /// Machine and settings around the process, such as core masks and quotas; empty in older recordings.
    pub surroundings: Surroundings,
    /// Date and time at which the recording began: `2026-11-23T16:40:05Z`; empty where it is not known.
    pub recorded: String,
    /// The program and its environment in words: names with their values.
    #[serde(skip)]
    pub environment: Vec<(String, String)>,
    /// Version of the OpenMP runtime, in the runtime's own words.
    pub runtime: String,
}

/// POP's efficiencies (pop-coe.eu) as far as they apply to one process. Parallel efficiency is core availability times
/// that on own cores; this is load balance times communication efficiency, which is serialisation times transfer. None
/// where waiting was not recorded. Work for which there was no core counts as work but in the first two.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Efficiency {
    /// Threads that there were at the same time, at most; helpers of the runtime left out.
    pub threads: u64,
    /// OpenMP Work of all threads / (threads x wall time).
    pub parallel: Option<f64>,
    /// Work / (work + time in which work had no core); none where it is not recorded which threads had cores.
    pub cores: Option<f64>,
    /// Parallel efficiency as if work had always had a core; none as before.
    pub on_own_cores: Option<f64>,
    /// Work of all threads / (threads x work of the thread that works most).
    pub load_balance: Option<f64>,
    /// Work of the thread that works most / wall time.
    pub communication: Option<f64>,
    /// Work of the thread that works most / (wall time - its overhead): the cost of waiting for others.
    pub serialisation: Option<f64>,
    /// (Wall time - overhead of that thread) / wall time: the cost of OpenMP's own overhead (`overhead_` states).
    pub transfer: Option<f64>,
    /// Wall time in which some region was active / wall time.
    pub parallel_coverage: f64,
}

/// OpenMP Work, Wait and Idle, and work that had no core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metrics {
    /// Time in which threads executed the program.
    pub work_ns: u64,
    /// Time in which threads waited or OpenMP itself was at work.
    pub wait_ns: u64,
    /// Time of workers in no team.
    pub idle_ns: u64,
    /// Time in the middle of work, but without a core.
    pub off_core_ns: u64,
}

/// The sums of blame shifting: what was charged and what could not be. They follow the order in which
/// things were reported, and what is reported late (that a thread waits for the tool no more) makes them differ
/// a little from [`Report::times`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct BlameSums {
    /// Idleness of workers; the runtime's helper threads left out.
    pub idle_ns: u64,
    /// Part of `idle_ns` in which no thread worked.
    pub idle_uncharged_ns: u64,
    /// Waiting at barriers and for tasks.
    pub wait_ns: u64,
    /// Part of `wait_ns` in which no thread worked.
    pub wait_uncharged_ns: u64,
    /// Part of `idle_ns` and `wait_ns` that no program could have used: there was no core for it, because others worked
    /// on them or because even threads with work had none. It is charged to nobody.
    pub without_core_ns: u64,
    /// Waiting for mutexes; of locks that are polled, from a refusal on until the thread has it.
    pub mutex_ns: u64,
    /// Part of `mutex_ns` in which no thread held the mutex: it was being handed over.
    pub mutex_uncharged_ns: u64,
}

/// One OS thread. The times of its states add up to its lifetime, exactly.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadReport {
    /// Number of the thread, as in the trace.
    pub number: u32,
    /// Thread id of the kernel.
    pub os_thread: u32,
    /// Name of the thread in the trace.
    pub name: String,
    /// Time from its begin or first event to its end or the end of the recording, in nanoseconds.
    pub lifetime_ns: u64,
    /// Begin of the thread, in nanoseconds since the run's begin.
    pub begin_ns: u64,
    /// Time of the thread by state.
    pub times: Times,
    /// Time of the thread by metric.
    pub metrics: Metrics,
    /// Time with and without a core; none where this was not recorded.
    pub cores: Option<Cores>,
    /// Counter values of the thread, by the counter's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
}

/// A parallel region, all its instances together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RegionReport {
    /// Position of the region in [`Report::constructs`].
    pub construct: usize,
    /// Number of times that the region was entered.
    pub calls: u64,
    /// Number of threads in its largest team.
    pub threads: u64,
    /// Elapsed time from its begins to its ends, added up where executions overlap, in nanoseconds.
    pub wall_ns: u64,
    /// The time of its threads, by state: its own and that of the constructs within.
    pub times: Times,
    /// Time of its threads with and without a core, constructs within included; none where this was not recorded.
    pub cores: Option<Cores>,
    /// Counter values of its threads without those in nested regions, by the counter's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Work / (wall time x threads), all instances together; none where waiting was not recorded.
    pub efficiency: Option<f64>,
    /// Distribution of work among its threads.
    pub balance: Balance,
    /// Time that other threads lost while the region and the constructs within were executed.
    pub blame: Blame,
    /// Work by thread number, in nanoseconds.
    pub work_by_thread_ns: Vec<u64>,
}

/// Kind of an ordered region, which is listed with the mutexes because its time is counted like theirs: it is a turn.
pub(crate) const ORDERED: &str = "ordered";

/// A mutex.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LockReport {
    /// Name of the mutex for users: `critical update`, `lock 0x5581…`.
    pub name: String,
    /// `lock`, `nest lock`, `critical`, `atomic` or `ordered`.
    pub kind: &'static str,
    /// Number of times that it was acquired.
    pub acquired: u64,
    /// Number of acquisitions that had to wait while another thread held it.
    pub contended: u64,
    /// Number of tests that were refused (`omp_test_lock`).
    pub refused: u64,
    /// Time that threads waited for it or polled it: from a refusal on until the thread has it, in nanoseconds.
    pub wait_ns: u64,
    /// Part of `wait_ns` in which threads polled it.
    pub polled_ns: u64,
    /// The longest wait, in nanoseconds.
    pub longest_wait_ns: u64,
    /// Waiting time in which no thread held it: it was being handed over, in nanoseconds.
    pub handover_ns: u64,
    /// Time that it was held, in nanoseconds.
    pub held_ns: u64,
    /// The longest hold, in nanoseconds.
    pub longest_hold_ns: u64,
    /// Source location at which the longest hold began.
    pub longest_hold_at: Site,
    /// Begin of the longest hold, in nanoseconds since the run's begin.
    pub longest_hold_begin_ns: u64,
}

/// A location in a construct that acquires a mutex, with the cost of its holds for others.
#[derive(Clone, Debug, Default, Serialize)]
pub struct HolderReport {
    /// Name of the mutex that is acquired there; of several, the first.
    pub lock: String,
    /// `lock`, `nest lock`, `critical`, `atomic` or `ordered`.
    pub kind: &'static str,
    /// True if several mutexes are acquired there.
    pub several: bool,
    /// Source location of the acquisition.
    pub location: Site,
    /// The construct that the holder executed then.
    pub construct: usize,
    /// Number of holds.
    pub holds: u64,
    /// Time of all holds, in nanoseconds.
    pub held_ns: u64,
    /// Time of the longest hold, in nanoseconds.
    pub longest_ns: u64,
    /// Part of `held_ns` in which the holder had a core.
    #[serde(skip)]
    pub on_core_ns: u64,
    /// Waiting time of other threads during the holds, in nanoseconds: the blame.
    pub blame_ns: u64,
}
