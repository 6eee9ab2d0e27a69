//! The implicit tasks that each thread has begun, and the task that runs in each of them.

use ompttrace_model::ThreadRef;
use ompttrace_recording::Id;
use std::collections::HashMap;

/// The implicit tasks of each thread, outermost first, each with the task that runs in it.
#[derive(Debug, Default)]
pub(super) struct TeamThreads(HashMap<ThreadRef, Vec<(Id, Id)>>);

impl TeamThreads {
    pub(super) fn begin(&mut self, thread: ThreadRef, task: Id) {
        self.0.entry(thread).or_default().push((task, task));
    }

    /// The task that still ran, if it was not the implicit task itself.
    pub(super) fn end(&mut self, thread: ThreadRef) -> Result<(), Option<Id>> {
        match self.0.get_mut(&thread).and_then(Vec::pop) {
            Some((own, running)) if own == running => Ok(()),
            left => Err(left.map(|(_, running)| running)),
        }
    }

    pub(super) fn runs(&mut self, thread: ThreadRef, task: Id) {
        if let Some((_, running)) =
            self.0.get_mut(&thread).and_then(|team_threads| team_threads.last_mut())
        {
            *running = task;
        }
    }

    /// The task that runs on a thread; `None` if the thread is in no implicit task.
    pub(super) fn running(&self, thread: ThreadRef) -> Option<Id> {
        self.0.get(&thread)?.last().map(|(_, running)| *running)
    }

    /// Number of implicit tasks that were not ended.
    pub(super) fn open(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}
