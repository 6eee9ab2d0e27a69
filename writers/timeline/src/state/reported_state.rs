//! The state of a thread, as it was reported to the sink: see [`ompttrace_model::Event::State`].

use ompttrace_model::{Core, State};

/// The state of a thread, as it was reported to the sink.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReportedState {
    /// The last state; `None` while the thread does not exist.
    pub state: Option<State>,
    /// Time since which the thread is in this state, in nanoseconds.
    pub since: u64,
    /// State of the thread's core.
    pub core: Core,
    /// True if an earlier window of the run has events of it.
    pub begun_before: bool,
    /// True once its end was reported.
    pub ended: bool,
    /// Latest time at which the thread is known to exist from streams other than its own, in nanoseconds.
    pub seen: u64,
}
