//! A `taskwait` with dependences is a task for the tools interface, one that has no id in what comes
//! after its creation: runtimes keep a single word for all taskwaits of a thread. They end innermost
//! first, so which one is meant is known.

use super::World;
use crate::sink::Sink;
use ompttrace_recording::Id;

/// Without records of their ends they would be kept for ever.
const MOST: usize = 256;

impl<S: Sink> World<'_, S> {
    /// It was created.
    pub(super) fn taskwait_begins(&mut self, t: u32, task: Id) {
        let waits = &mut self.thread(t).taskwaits;
        if waits.len() == MOST {
            waits.remove(0);
        }
        waits.push(task);
    }

    /// The task that a record means, where it names none.
    pub(super) fn or_taskwait(&mut self, t: u32, task: Id) -> Id {
        if !task.is_none() {
            return task;
        }
        self.thread(t).taskwaits.last().copied().unwrap_or(task)
    }

    /// One is over: the one that the record names, which older recordings do, or the innermost.
    pub(super) fn taskwait_over(&mut self, t: u32, prior: Id) -> Id {
        let task = self.or_taskwait(t, prior);
        self.thread(t).taskwaits.pop();
        task
    }
}
