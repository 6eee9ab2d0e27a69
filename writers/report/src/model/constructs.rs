//! Constructs in a report: where they stand and what is reported of each.

use super::Cores;
use crate::state::Times;
use ompttrace_model::SourceLocation;
use serde::Serialize;

/// What a construct is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// What lies outside of all constructs: threads that begin, end, idle.
    #[default]
    Outside,
    /// A parallel region, or a league of teams: what no construct inside of it claims.
    Region,
    /// A loop, sections, single, taskloop and the like.
    Work,
    /// Explicit tasks that are made at one location.
    Task,
    /// A masked region.
    Masked,
    /// A barrier, taskwait or taskgroup that belongs to no construct.
    Sync,
    /// A target construct.
    Target,
    /// What a root thread does from one parallel region to the next.
    Serial,
}

impl Class {
    /// Its name in JSON.
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
    /// `stencil.c:47`, `near stencil.c:47` where the code itself has no line; empty where it is unknown.
    pub short: String,
    /// The file as the compiler wrote it.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The function.
    pub function: Option<String>,
    /// Of code without a line the executable or library that it is in.
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

/// How evenly the threads of a team shared work, over all instances in which all of them took part; of none
/// where waiting was not recorded.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Balance {
    /// Instances that were counted.
    pub instances: u64,
    /// The work of the thread that worked most, summed over the instances.
    pub longest_ns: u64,
    /// The mean work of a thread, summed over the instances.
    pub mean_ns: u64,
    /// How much longer than the mean the longest is: 0 is even, 1 means twice the mean.
    pub imbalance: f64,
    /// Thread time that the others lost: longest less own, summed.
    pub lost_ns: u64,
}

/// What a loop would have taken, had its instances been shared otherwise: each was replayed from what its threads did.
/// Sums over the instances of [`Balance`]; 0 where the runtime reported no chunks.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WhatIf {
    /// The longest chunk.
    pub longest_chunk_ns: u64,
    /// The work of the thread that works most, had the chunks been handed out from the longest to the shortest.
    pub longest_first_ns: u64,
    /// What less it would have taken without the barrier at its end, together with the construct that follows.
    pub nowait_ns: u64,
    /// That construct.
    pub nowait_before: Option<usize>,
}

/// What others lost while a construct was worked at.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Blame {
    /// Idleness of workers in no team.
    pub idle_ns: u64,
    /// Waiting at barriers, taskwaits and taskgroups.
    pub wait_ns: u64,
    /// Waiting for a mutex that was held here.
    pub mutex_ns: u64,
    /// Time of threads that had not begun yet or were over, of as many as there are at most. No thread's time,
    /// and so in no other sum.
    pub absent_ns: u64,
}

impl Blame {
    /// All that threads lost.
    pub fn all(&self) -> u64 {
        self.idle_ns + self.wait_ns + self.mutex_ns
    }

    /// Time of all threads that had nothing to do, those that were not there among them.
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
    /// What it is.
    pub class: Class,
    /// Its name in the trace: `for dynamic stencil.c:47`.
    pub name: String,
    /// The name without the location: `for dynamic`.
    pub what: String,
    /// Where it stands.
    pub location: Site,
    /// The region it is executed in.
    pub region: Option<usize>,
    /// Of a serial section the regions on either side; none is the begin or the end of the run.
    pub between: Option<[Option<usize>; 2]>,
    /// Instances: entries of a region, executions of a loop by a team, tasks that ran, serial sections; of
    /// what threads do each by itself (barriers, taskwait, masked) the times that one did.
    pub calls: u64,
    /// Threads that took part in one instance, at most.
    pub threads: u64,
    /// Time of all threads by state, without constructs inside. Waiting at the barrier that ends it is
    /// counted here.
    pub times: Times,
    /// When they had cores; none where it is not recorded.
    pub cores: Option<Cores>,
    /// How its threads' work differs.
    pub balance: Balance,
    /// What it would have taken otherwise.
    pub what_if: WhatIf,
    /// What others lost meanwhile.
    pub blame: Blame,
    /// Chunks that the runtime handed out.
    pub chunks: u64,
    /// What threads spent on getting chunks or sections; none where it is not recorded when one of them is over.
    pub dispatch_ns: Option<u64>,
    /// Iterations of a loop, or sections, over all instances; 0 where the runtime did not say.
    pub iterations: u64,
    /// Of a region: whether loops with a static schedule in it are not reported, because its compiler makes
    /// them without the runtime (GCC). They are the region's own time then.
    pub static_loops_unreported: bool,
    /// Work by thread number, for loops, sections and regions.
    pub work_by_thread_ns: Vec<u64>,
    /// Its replay with a core for each thread that wanted one.
    #[serde(skip)]
    pub replay: Replay,
}

/// A construct with a core for each thread that wanted one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Thread time that threads would have waited at its barriers.
    pub wait_ns: u64,
    /// Of a region, the time from its begins to its ends.
    pub wall_ns: u64,
    /// The work of the thread that works most, over all instances, chunks handed out as they were.
    pub in_order_ns: u64,
    /// Overhead that was want of a core.
    pub lacked: Times,
}
