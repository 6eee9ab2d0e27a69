//! What a thread was doing at an instant, as a signal found it.

use crate::context::ContextRef;

/// A sample of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The functions that the thread was in, below the construct whose code it ran.
    pub context: ContextRef,
    /// The state as the runtime said it, ompt_state_t; 0: it was not asked.
    pub state: u64,
    /// For what time it stands, nanoseconds: one period, and one more for each tick since the last sample that left
    /// none.
    pub period_ns: u64,
    /// Whether it was in the runtime's own code.
    pub in_runtime: bool,
}
