//! Sums of samples that have the same stack.

use crate::stack::Stacks;
use ompttrace_model::{CodeLine, ContextRef, Sample};
use rustc_hash::FxHashMap;

/// Sums over some samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Number of samples.
    pub samples: u64,
    /// Time that the samples stand for, in nanoseconds: more than a period each if ticks had no sample.
    pub time_ns: u64,
    /// Number of samples that were in the runtime's own code.
    pub in_runtime: u64,
    /// Idle time of workers while these samples ran, in nanoseconds, for which they are blamed.
    pub idle_ns: u64,
    /// Time for which others waited for them at barriers and for tasks, in nanoseconds.
    pub wait_ns: u64,
    /// Time for which others waited for mutexes that they held, in nanoseconds.
    pub mutex_ns: u64,
}

impl Weight {
    /// The sums of a single sample.
    pub fn of(sample: &Sample) -> Weight {
        Weight {
            samples: 1,
            time_ns: sample.time_ns(),
            in_runtime: u64::from(sample.in_runtime),
            idle_ns: sample.blame.idle_ns,
            wait_ns: sample.blame.wait_ns,
            mutex_ns: sample.blame.mutex_ns,
        }
    }

    /// Adds the sums of other samples; they saturate, since those of damaged recordings must not overflow.
    pub fn add(&mut self, other: &Weight) {
        self.samples = self.samples.saturating_add(other.samples);
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.in_runtime = self.in_runtime.saturating_add(other.in_runtime);
        self.idle_ns = self.idle_ns.saturating_add(other.idle_ns);
        self.wait_ns = self.wait_ns.saturating_add(other.wait_ns);
        self.mutex_ns = self.mutex_ns.saturating_add(other.mutex_ns);
    }
}

/// Properties by which samples are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    context: ContextRef,
    executed_in: ContextRef,
    line: Option<CodeLine>,
}

/// The sums of a run, one for each different stack.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    by_stack: FxHashMap<Key, Weight>,
    /// Period of the first sample, in nanoseconds.
    pub(crate) period_ns: u64,
}

impl Sums {
    /// Adds a sample.
    pub fn add(&mut self, sample: &Sample) {
        if self.by_stack.is_empty() {
            self.period_ns = sample.period_ns;
        }
        let Sample { context, executed_in, line, .. } = *sample;
        let sum = self.by_stack.entry(Key { context, executed_in, line }).or_default();
        sum.add(&Weight::of(sample));
    }

    /// True if there are no samples.
    pub fn is_empty(&self) -> bool {
        self.by_stack.is_empty()
    }

    /// The sums of all samples.
    pub fn all(&self) -> Weight {
        self.by_stack.values().fold(Weight::default(), |mut sum, one| {
            sum.add(one);
            sum
        })
    }

    /// The sums of each stack and its innermost line; `stacks` selects the stack of explicit tasks.
    pub(crate) fn by_stack(
        &self,
        stacks: Stacks,
    ) -> impl Iterator<Item = (ContextRef, Option<CodeLine>, &Weight)> {
        self.by_stack.iter().map(move |(key, weight)| {
            let context = match stacks {
                Stacks::Creation => key.context,
                Stacks::Execution => key.executed_in,
            };
            (context, key.line, weight)
        })
    }
}
