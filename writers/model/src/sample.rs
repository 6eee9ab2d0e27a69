//! Samples: a thread's activity at an instant, as a signal found it.

use crate::context::ContextRef;
use crate::definitions::{NameRef, SourceRef};
use crate::pseudo::sampled_frame;
use crate::state::State;

/// A sample of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The call stack as the program has it: where the task was created, the functions that it called, and a frame for
    /// what OpenMP did for it ([`pseudo_frame`](crate::pseudo_frame)). Never 0.
    pub context: ContextRef,
    /// The call stack with the place where the explicit task is executed instead of the one where it was created;
    /// outside of explicit tasks the same as [`Sample::context`].
    pub executed_in: ContextRef,
    /// The program's own code in which the thread was; none where only a runtime's is known.
    pub line: Option<CodeLine>,
    /// The thread's state by its events.
    pub doing: State,
    /// The thread's state that the runtime reported, ompt_state_t; 0 if it was not asked.
    pub state: u64,
    /// Time from one tick to the next, in nanoseconds.
    pub period_ns: u64,
    /// Number of ticks for which the sample stands: one, and one more for each tick since the last sample that left
    /// no sample.
    pub ticks: u64,
    /// True if the thread was in the runtime's own code.
    pub in_runtime: bool,
    /// Time that other threads lost because of this one.
    pub blame: SampleBlame,
}

impl Sample {
    /// The OpenMP activity that the sample shows as the innermost frame of its stack; none where the program itself
    /// was at work.
    pub fn pseudo_frame(&self) -> Option<&'static str> {
        sampled_frame(self.doing, self.in_runtime)
    }

    /// Time for which the sample stands, in nanoseconds.
    pub fn time_ns(&self) -> u64 {
        self.period_ns.saturating_mul(self.ticks)
    }
}

/// A line of the program's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeLine {
    /// The function.
    pub function: NameRef,
    /// The line in it.
    pub source: SourceRef,
}

/// Time of others that a sample is charged with, nanoseconds. By the state of all threads at its instant: idleness and
/// waiting in equal parts to the threads that work, waiting for a mutex to its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleBlame {
    /// Idleness of workers.
    pub idle_ns: u64,
    /// Waiting at barriers and for tasks.
    pub wait_ns: u64,
    /// Waiting for mutexes that this thread holds.
    pub mutex_ns: u64,
}
