//! The report: what `--json` prints, and what the text and the page are drawn from.
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
mod samples;
mod tasks;
mod unfinished;

pub use constructs::{Balance, Blame, Class, ConstructReport, Replay, Site, WhatIf};
pub use contexts::{ContextReport, pseudo_frames};
pub use cores::{BusyMachine, Cores};
pub use counters::CounterReport;
pub use devices::{CopyReport, DeviceReport, DevicesReport, KernelReport, TargetReport};
pub use findings::{Evidence, Finding, Gain, Symptom, Unit};
pub use life::Life;
pub use memory::{InstructionRate, MemoryLimit};
pub use mpi::{MessageSizes, MessageSums, MpiCallReport, MpiReport};
pub use path::{CriticalPath, PathPart, Recording};
pub use samples::{SampleSums, SampledConstruct, SampledLine, SamplesReport, StackReport};
pub use tasks::{GrainBucket, QueuePoint, TaskReport, TasksReport};
pub use unfinished::Unfinished;

use crate::state::Times;
use ompttrace_recording::facts::{ForkOf, Surroundings};
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of this schema (`schemas/`): raised where a field changes its meaning or goes.
pub const SCHEMA: u32 = 4;

/// All that is reported of one run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The traced program.
    pub program: Program,
    /// The time of the process, as far as it is known.
    pub wall_ns: u64,
    /// Thread time that could have been worked: threads x wall time, and before the first team all cores.
    pub capacity_ns: u64,
    /// The most teams of several threads within each other.
    pub levels: u32,
    /// The most teams of several threads at a time that are in no other one: a root thread has one each.
    pub teams: u64,
    /// From where to where that goes.
    pub life: Life,
    /// What the numbers cannot know: where the recording is cut, what it lost.
    pub caveats: Vec<String>,
    /// Bytes of events that the recording had when it was closed and now lacks; where there are some, findings are not looked for.
    pub missing_bytes: u64,
    /// A busy machine, said before all findings; none where threads had cores, or the program itself is why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_machine: Option<BusyMachine>,
    /// Findings by the gain that is to be expected, the largest first; where the program is why threads lack cores, that
    /// is the first. On a busy machine they are of the time on cores, and those about cores come last.
    pub findings: Vec<Finding>,
    /// Limits by memory; none where something else comes first, or counters say that it does not.
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
    /// others had those. None where it is not recorded who ran when.
    pub taken_cores_ns: Option<u64>,
    /// What was counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterReport>,
    /// Of that, outside of regions, by the counter's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counted_outside: BTreeMap<String, u64>,
    /// Idleness and waiting that was charged to those who worked meanwhile.
    pub blame: BlameSums,
    /// Every OS thread.
    pub threads: Vec<ThreadReport>,
    /// Parallel regions, the longest first.
    pub regions: Vec<RegionReport>,
    /// Everything that time is attributed to: regions, work-sharing, tasks, barriers, serial sections.
    pub constructs: Vec<ConstructReport>,
    /// Calling contexts, where call stacks were recorded: their own times add up to `times`.
    pub contexts: Vec<ContextReport>,
    /// Where samples found the threads; none where there are no samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<SamplesReport>,
    /// Calls of MPI; none where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpi: Option<MpiReport>,
    /// Activities of devices; none where none of them reports anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<DevicesReport>,
    /// Mutexes, the most waited-for first.
    pub locks: Vec<LockReport>,
    /// Where mutexes are held, the one that lets others wait the longest first.
    pub holders: Vec<HolderReport>,
    /// Waits that were not over when the recording stopped, the longest first.
    pub unfinished: Vec<Unfinished>,
    /// Explicit tasks.
    pub tasks: TasksReport,
    /// The chain of activities that determined how long the run took.
    pub critical_path: CriticalPath,
    /// What recording took of it.
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
    /// Its file.
    pub executable: String,
    /// Its arguments, the name first.
    pub arguments: Vec<String>,
    /// Process id.
    pub pid: u32,
    /// The process whose copy it is, by a fork; none: of none that had used OpenMP.
    pub fork_of: Option<ForkOf>,
    /// The machine.
    pub host: String,
    /// Cores that it may use.
    pub cores: u32,
    /// Cores on which its threads were seen; 0 where it is not recorded.
    pub used_cores: u32,
    /// What it had of the machine; older recordings do not say.
    pub surroundings: Surroundings,
    /// When the recording began: `2026-11-23T16:40:05Z`; empty where it is not known.
    pub recorded: String,
    /// All this in words: what it is about, and what is to be said of it.
    #[serde(skip)]
    pub environment: Vec<(String, String)>,
    /// What the OpenMP runtime calls itself.
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
    /// Communication efficiency without the overhead of that thread: what waiting for others costs.
    pub serialisation: Option<f64>,
    /// What OpenMP's own overhead (`overhead_` states) of that thread costs.
    pub transfer: Option<f64>,
    /// Wall time in which some region was active / wall time.
    pub parallel_coverage: f64,
}

/// OpenMP Work, Wait and Idle, and work that had no core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metrics {
    /// Executing the program.
    pub work_ns: u64,
    /// Waiting, and OpenMP's own overhead.
    pub wait_ns: u64,
    /// Workers in no team.
    pub idle_ns: u64,
    /// In the middle of work, but without a core.
    pub off_core_ns: u64,
}

/// The sums of blame shifting: what was charged and what could not be. They follow the order in which
/// things were reported, and what is reported late (that a thread waits for the tool no more) makes them differ
/// a little from [`Report::times`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct BlameSums {
    /// Idleness of workers; the runtime's helper threads left out.
    pub idle_ns: u64,
    /// Of that, while no thread worked.
    pub idle_uncharged_ns: u64,
    /// Waiting at barriers and for tasks.
    pub wait_ns: u64,
    /// Of that, while no thread worked.
    pub wait_uncharged_ns: u64,
    /// Of both, what no program could have used: there was no core for it, because others worked on them or because
    /// even those that were to work had none. It is charged to nobody.
    pub without_core_ns: u64,
    /// Waiting for mutexes; of locks that are polled, from a refusal on until the thread has it.
    pub mutex_ns: u64,
    /// Of that, while nobody held the mutex: it was being handed over.
    pub mutex_uncharged_ns: u64,
}

/// One OS thread. Its states add up to its lifetime, exactly.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadReport {
    /// Our number, as in the trace.
    pub number: u32,
    /// The kernel's id.
    pub os_thread: u32,
    /// Its name in the trace.
    pub name: String,
    /// From its first event, or its begin, to its end, or that of the recording.
    pub lifetime_ns: u64,
    /// When it begins, after the begin of the run.
    pub begin_ns: u64,
    /// Its time by state.
    pub times: Times,
    /// The same in the metrics.
    pub metrics: Metrics,
    /// When it had a core; none where it is not recorded.
    pub cores: Option<Cores>,
    /// What was counted of it, by the counter's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
}

/// A parallel region, all its instances together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RegionReport {
    /// Its position in [`Report::constructs`].
    pub construct: usize,
    /// How often it was entered.
    pub calls: u64,
    /// Threads of its largest team.
    pub threads: u64,
    /// From its begins to its ends, overlapping ones added.
    pub wall_ns: u64,
    /// The time of its threads, by state: its own and that of the constructs within.
    pub times: Times,
    /// When they had cores; none where it is not recorded.
    pub cores: Option<Cores>,
    /// What was counted of its threads in it, regions within left out, by the counter's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Work / (wall time x threads), all instances together; none where waiting was not recorded.
    pub efficiency: Option<f64>,
    /// How its threads' work differs.
    pub balance: Balance,
    /// What was charged to it and the constructs within.
    pub blame: Blame,
    /// Work by thread number.
    pub work_by_thread_ns: Vec<u64>,
}

/// The kind of an ordered region, which stands among mutexes because time is counted alike: it is a turn.
pub(crate) const ORDERED: &str = "ordered";

/// A mutex.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LockReport {
    /// What a user calls it: `critical update`, `lock 0x5581…`.
    pub name: String,
    /// `lock`, `nest lock`, `critical`, `atomic` or `ordered`.
    pub kind: &'static str,
    /// How often it was acquired.
    pub acquired: u64,
    /// Acquisitions that had to wait while another thread held it.
    pub contended: u64,
    /// Tests that were refused (`omp_test_lock`).
    pub refused: u64,
    /// Waiting for it, and polling it: from a refusal on until the thread has it.
    pub wait_ns: u64,
    /// Of that, polling.
    pub polled_ns: u64,
    /// The longest wait.
    pub longest_wait_ns: u64,
    /// Waiting for it while nobody held it: it was being handed over.
    pub handover_ns: u64,
    /// Holding it.
    pub held_ns: u64,
    /// The longest hold.
    pub longest_hold_ns: u64,
    /// Where the longest hold began.
    pub longest_hold_at: Site,
    /// When the longest hold began, after the begin of the run.
    pub longest_hold_begin_ns: u64,
}

/// A location where a mutex is taken, in a construct: what holding it cost others.
#[derive(Clone, Debug, Default, Serialize)]
pub struct HolderReport {
    /// What is taken there; of several locks the first.
    pub lock: String,
    /// `lock`, `nest lock`, `critical`, `atomic` or `ordered`.
    pub kind: &'static str,
    /// Whether several mutexes are taken there.
    pub several: bool,
    /// Where it is taken.
    pub location: Site,
    /// The construct that the holder executed then.
    pub construct: usize,
    /// Holds.
    pub holds: u64,
    /// Their time.
    pub held_ns: u64,
    /// The longest of them.
    pub longest_ns: u64,
    /// Of their time, that on cores.
    #[serde(skip)]
    pub on_core_ns: u64,
    /// Waiting of others meanwhile: the blame.
    pub blame_ns: u64,
}
