//! Samples in a report: in which lines, functions and call stacks threads were found.

use super::Site;
use ompttrace_samples::Weight;
use serde::Serialize;

/// All samples of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SamplesReport {
    /// Sampling setting, samples in a second and their clock: `200,cpu`.
    pub asked: String,
    /// Sums over all samples.
    #[serde(flatten)]
    pub all: SampleSums,
    /// Samples by construct, the construct with most samples first.
    pub constructs: Vec<SampledConstruct>,
    /// Samples by construct, line and OpenMP's activity there.
    pub lines: Vec<SampledLine>,
    /// Samples by construct, function and OpenMP's activity; their locations have no lines.
    pub functions: Vec<SampledLine>,
    /// Tree of call stacks in which tasks are in the frames that created them.
    pub stacks: Vec<StackReport>,
    /// Tree of call stacks in which tasks are in the frames that executed them; empty where it is the same tree.
    pub executed: Vec<StackReport>,
}

/// Sums over a set of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SampleSums {
    /// Number of samples.
    pub samples: u64,
    /// The time that the samples stand for, in nanoseconds.
    pub time_ns: u64,
    /// Number of samples in the runtime's own code.
    pub in_runtime: u64,
    /// Idleness of workers at the same time, in equal parts charged to the threads that worked.
    pub others_idle_ns: u64,
    /// Waiting of other threads at barriers and for tasks at the same time, in equal parts charged to the threads that
    /// worked.
    pub others_wait_ns: u64,
    /// Waiting of other threads for mutexes that were held there.
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
    /// Position of the construct in the report's constructs; none outside of all.
    pub construct: Option<usize>,
    /// Sums over the construct's samples.
    #[serde(flatten)]
    pub sums: SampleSums,
}

/// The samples of a line or function in a construct.
#[derive(Clone, Debug, Serialize)]
pub struct SampledLine {
    /// Position of the construct in the report's constructs; none outside of all.
    pub construct: Option<usize>,
    /// The function; empty where only the runtime's are known.
    pub function: String,
    /// The line.
    pub location: Site,
    /// Pseudo-frame of OpenMP's activity there (`<OMP-lock_wait>`); none where the program was at work.
    pub doing: Option<&'static str>,
    /// Sums over the samples of the line or function.
    #[serde(flatten)]
    pub sums: SampleSums,
}

/// A frame of call stacks. A list of them is a tree: each follows its caller, those with most samples first.
#[derive(Clone, Debug, Serialize)]
pub struct StackReport {
    /// `solve`, `parallel solve.c:80`, `<OMP-implicit_barrier>`.
    pub name: String,
    /// `function`, `region`, `task`, `state` (OpenMP's activity) or `unknown`.
    pub kind: &'static str,
    /// The frame around it, by position.
    pub caller: Option<usize>,
    /// Number of frames around it.
    pub depth: usize,
    /// Samples in the frame itself.
    pub own_samples: u64,
    /// Sums over the samples of the frame and of all frames inside.
    #[serde(flatten)]
    pub sums: SampleSums,
}
