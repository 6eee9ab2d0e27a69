//! Constructs of a report, with their source locations and numbers.

use super::Cores;
use crate::state::Times;
use ompttrace_model::SourceLocation;
use serde::Serialize;

/// Class of a construct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Time outside of all constructs: threads begin, end or idle.
    #[default]
    Outside,
    /// A parallel region, or a league of teams, without the constructs inside of it.
    Region,
    /// A loop, sections, single, taskloop and the like.
    Work,
    /// Explicit tasks that are created at one location.
    Task,
    /// A masked region.
    Masked,
    /// A barrier, taskwait or taskgroup that belongs to no construct.
    Sync,
    /// A target construct.
    Target,
    /// Serial section: a root thread between two parallel regions.
    Serial,
}

impl Class {
    /// Name of the class in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Outside => "outside",
            Class::Region => "region",
            Class::Work => "work",
            Class::Task => "task",
            Class::Masked => "masked",
            Class::Sync => "sync",
            Class::Target => "target",
            Class::Serial => "serial",
        }
    }
}

/// A source location in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Site {
    /// Short form: `stencil.c:47`, `near stencil.c:47` where the code itself has no line; empty where it is unknown.
    pub short: String,
    /// The file as the compiler wrote it.
    pub file: Option<String>,
    /// The line number, from 1.
    pub line: Option<u32>,
    /// The function.
    pub function: Option<String>,
    /// Path of the executable or library, for code without a line.
    pub module: Option<String>,
}

impl Site {
    pub(crate) fn of(location: &SourceLocation) -> Site {
        let SourceLocation { function, file, line, module, is_near, .. } = location;
        // `/usr/lib/libsolver.so+0x1234 (build id …)`.
        let path = module.as_deref().filter(|_| line.is_none());
        let path = path.and_then(|path| Some(path.split(" (build id").next()?.rsplit_once('+')?.0));
        let short = match (file, line, module) {
            (Some(file), Some(line), _) if *is_near => format!("near {}:{line}", base(file)),
            (Some(file), Some(line), _) => format!("{}:{line}", base(file)),
            (Some(file), None, _) => base(file).to_owned(),
            (None, _, Some(module)) => base(module.split(" (").next().unwrap_or("")).to_owned(),
            _ => function.clone().unwrap_or_default(),
        };
        let module = path.map(str::to_owned);
        Site { short, file: file.clone(), line: *line, function: function.clone(), module }
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Distribution of work among the threads of a team, summed over the instances in which all of them took part. All
/// fields are 0 where waiting was not recorded.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Balance {
    /// Number of instances in the sums.
    pub instances: u64,
    /// The work of the thread that worked most, summed over the instances, in nanoseconds.
    pub longest_ns: u64,
    /// The mean work of a thread, summed over the instances, in nanoseconds.
    pub mean_ns: u64,
    /// Imbalance, `longest_ns / mean_ns - 1`: 0 is even, 1 means that the longest thread works twice the mean.
    pub imbalance: f64,
    /// Thread time that the other threads lost: the longest work less their own, summed, in nanoseconds.
    pub lost_ns: u64,
}

/// Estimated times of a loop whose instances are shared otherwise: each was replayed from the work of its threads. All
/// fields are sums over the instances of [`Balance`]; without reported chunks `longest_chunk_ns` is 0 and
/// `longest_first_ns` the work as it was shared.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WhatIf {
    /// Work of the longest chunk of each instance, in nanoseconds.
    pub longest_chunk_ns: u64,
    /// Work of the thread that works most if chunks are handed out from the longest to the shortest, in nanoseconds.
    pub longest_first_ns: u64,
    /// Time saved if the construct had no barrier at its end, including the construct that follows, in nanoseconds.
    pub nowait_ns: u64,
    /// The construct that follows, by position; of several, the one for which most time is saved.
    pub nowait_before: Option<usize>,
}

/// Time that other threads lost while a construct was executed.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Blame {
    /// Idleness of workers in no team.
    pub idle_ns: u64,
    /// Waiting at barriers, taskwaits and taskgroups.
    pub wait_ns: u64,
    /// Waiting for a mutex that was held in the construct.
    pub mutex_ns: u64,
    /// Time in which threads did not exist yet or any more, for as many as there are at most. It is no thread's time,
    /// so no other sum contains it.
    pub absent_ns: u64,
}

impl Blame {
    /// All time that existing threads lost, in nanoseconds.
    pub fn all(&self) -> u64 {
        self.idle_ns + self.wait_ns + self.mutex_ns
    }

    /// Time, in nanoseconds, in which other threads had nothing to do: idle, waiting at barriers or for tasks, or not existing. Waits for a
    /// mutex are not in it.
    pub fn unused(&self) -> u64 {
        self.idle_ns + self.wait_ns + self.absent_ns
    }

    pub(crate) fn add(&mut self, other: &Blame) {
        self.idle_ns += other.idle_ns;
        self.wait_ns += other.wait_ns;
        self.mutex_ns += other.mutex_ns;
        self.absent_ns += other.absent_ns;
    }
}

/// A construct, all its instances in one region together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ConstructReport {
    /// Class of the construct.
    pub class: Class,
    /// Name of the construct in the trace: `for dynamic stencil.c:47`.
    pub name: String,
    /// The name without the location: `for dynamic`.
    pub what: String,
    /// Source location of the construct; empty for serial sections.
    pub location: Site,
    /// The region that it is executed in, by position.
    pub region: Option<usize>,
    /// Regions before and after a serial section; none is the begin or the end of the run.
    pub between: Option<[Option<usize>; 2]>,
    /// Number of instances: entries of a region, executions of a loop by a team, tasks that ran, serial sections.
    /// Barriers, taskwait and masked, which each thread executes by itself, count once for each thread.
    pub calls: u64,
    /// The largest number of threads that took part in one instance.
    pub threads: u64,
    /// Time of all threads by state, without constructs inside. Waiting at the barrier that ends it is
    /// counted here.
    pub times: Times,
    /// Time of its threads with and without a core; none where this was not recorded.
    pub cores: Option<Cores>,
    /// Distribution of work among its threads.
    pub balance: Balance,
    /// Estimated times if its work were shared otherwise.
    pub what_if: WhatIf,
    /// Time that other threads lost meanwhile.
    pub blame: Blame,
    /// Number of chunks that the runtime handed out.
    pub chunks: u64,
    /// Time that threads spent on getting chunks or sections, in nanoseconds; none where the ends of these are not
    /// recorded.
    pub dispatch_ns: Option<u64>,
    /// The shortest time from a thread's begin of the loop to its first chunk, in nanoseconds; none of a few.
    #[serde(skip)]
    pub first_chunk_ns: Option<u64>,
    /// Number of iterations of a loop, or of sections, over all instances; 0 where the runtime did not report it.
    pub iterations: u64,
    /// True for a region whose loops with a static schedule are not reported, because its compiler implements them
    /// without the runtime (GCC). They count as the region's own time then.
    pub static_loops_unreported: bool,
    /// Work by thread number, in nanoseconds, for loops, sections and regions.
    pub work_by_thread_ns: Vec<u64>,
    /// The replay of the construct with a core for each thread that wanted one.
    #[serde(skip)]
    pub replay: Replay,
}

/// A construct with a core for each thread that wanted one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Thread time that threads would have waited at its barriers.
    pub wait_ns: u64,
    /// Elapsed time of a region from its begins to its ends, in nanoseconds.
    pub wall_ns: u64,
    /// The work of the thread that works most, over all instances, chunks handed out as they were.
    pub in_order_ns: u64,
    /// Overhead that was want of a core.
    pub lacked: Times,
}
