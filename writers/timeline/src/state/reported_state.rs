//! The state of a thread, as it was reported to the sink: see [`ompttrace_model::Event::State`].

use ompttrace_model::{Core, State};

/// See the file's text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReportedState {
    /// The last state; `None`: the thread is not there.
    pub state: Option<State>,
    /// The time from which on that is so.
    pub since: u64,
    /// The thread's core, or that it has none.
    pub core: Core,
    /// True if an earlier window of the run has events of it.
    pub begun_before: bool,
    /// True once its end was reported.
    pub ended: bool,
    /// The last time at which it was there, by what came beside its own records.
    pub seen: u64,
}
