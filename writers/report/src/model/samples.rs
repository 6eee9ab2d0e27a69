//! Samples in a report: in which lines, functions and call stacks threads were found.

use super::Site;
use ompttrace_samples::Weight;
use serde::Serialize;

/// All samples of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SamplesReport {
    /// What was asked for: `200,cpu`.
    pub asked: String,
    /// All of them together.
    #[serde(flatten)]
    pub all: SampleSums,
    /// By construct, those with most samples first.
    pub constructs: Vec<SampledConstruct>,
    /// By construct, line and what OpenMP did there.
    pub lines: Vec<SampledLine>,
    /// The same by function; their locations have no lines.
    pub functions: Vec<SampledLine>,
    /// By call stack: tasks stand where they were created.
    pub stacks: Vec<StackReport>,
    /// The same with tasks where they were executed; empty where that is no other tree.
    pub executed: Vec<StackReport>,
}

/// What samples add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SampleSums {
    /// How many there are.
    pub samples: u64,
    /// The time that they stand for.
    pub time_ns: u64,
    /// How many of them were in the runtime's own code.
    pub in_runtime: u64,
    /// Idleness of workers at the same time, in equal parts charged to those who worked.
    pub others_idle_ns: u64,
    /// The same of waiting at barriers and for tasks.
    pub others_wait_ns: u64,
    /// Waiting of others for mutexes that were held.
    pub others_mutex_ns: u64,
}

impl SampleSums {
    pub(crate) fn of(weight: &Weight) -> SampleSums {
        let Weight { samples, time_ns, in_runtime, idle_ns, wait_ns, mutex_ns } = *weight;
        SampleSums {
            samples,
            time_ns,
            in_runtime,
            others_idle_ns: idle_ns,
            others_wait_ns: wait_ns,
            others_mutex_ns: mutex_ns,
        }
    }
}

/// The samples of a construct.
#[derive(Clone, Debug, Serialize)]
pub struct SampledConstruct {
    /// Its position in the report's constructs; none outside of all.
    pub construct: Option<usize>,
    /// Its samples.
    #[serde(flatten)]
    pub sums: SampleSums,
}

/// The samples of a line or function in a construct.
#[derive(Clone, Debug, Serialize)]
pub struct SampledLine {
    /// Its construct's position in the report's; none outside of all.
    pub construct: Option<usize>,
    /// The function; empty where only the runtime's are known.
    pub function: String,
    /// The line.
    pub location: Site,
    /// What OpenMP did there (`<OMP-lock_wait>`); none where the program was at work.
    pub doing: Option<&'static str>,
    /// Its samples.
    #[serde(flatten)]
    pub sums: SampleSums,
}

/// A frame of call stacks. A list of them is a tree: each stands behind its caller, those with most samples first.
#[derive(Clone, Debug, Serialize)]
pub struct StackReport {
    /// `solve`, `parallel solve.c:80`, `<OMP-implicit_barrier>`.
    pub name: String,
    /// `function`, `region`, `task`, `state` (what OpenMP does) or `unknown`.
    pub kind: &'static str,
    /// The frame around it, by position.
    pub caller: Option<usize>,
    /// How many frames are around it.
    pub depth: usize,
    /// Samples in the frame itself.
    pub own_samples: u64,
    /// Those and the ones of all frames inside.
    #[serde(flatten)]
    pub sums: SampleSums,
}
