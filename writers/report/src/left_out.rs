//! Events that a recording leaves out, and the figures that are unknown without them.

use ompttrace_recording::facts::Facts;

/// Information that a recording lacks, as the events for it were left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOut {
    /// Waiting at barriers and for tasks.
    pub waits: bool,
    /// Waiting for mutexes.
    mutexes: bool,
    /// Execution of explicit tasks.
    tasks: bool,
    /// Work-sharing constructs.
    work: bool,
}

impl LeftOut {
    pub(crate) fn of(facts: &Facts) -> LeftOut {
        let lacks = |event| lacks(facts, event);
        LeftOut {
            // What is in a barrier and does not wait is no work either.
            waits: lacks("sync_region_wait") && lacks("sync_region"),
            mutexes: lacks("mutex_acquire") || lacks("mutex_acquired"),
            tasks: lacks("task_schedule"),
            work: lacks("work"),
        }
    }

    /// Caveats for readers of the numbers.
    pub(crate) fn caveats(self) -> impl Iterator<Item = &'static str> {
        let LeftOut { waits, mutexes, tasks, work } = self;
        let waits = waits.then_some(
            "Waiting at barriers and for tasks was not recorded: it counts as work, and \
             efficiencies, imbalance and the critical path are not known.",
        );
        let mutexes = mutexes.then_some(
            "Waiting for mutexes was not recorded: it counts as what is around it, mostly work.",
        );
        let tasks = tasks.then_some(
            "Explicit tasks were not recorded: if there are any, their work counts as what is around \
             it, and so as waiting at the barrier where a thread runs them.",
        );
        let work = work.then_some(
            "Loops, sections and `single` were not recorded: they count with the region around them.",
        );
        [waits, mutexes, tasks, work].into_iter().flatten()
    }
}

/// True if an event is not recorded because it was not wanted or because the runtime does not report it properly.
fn lacks(facts: &Facts, event: &str) -> bool {
    let mut answers = facts.runtimes.iter().filter_map(|runtime| runtime.callbacks.get(event));
    answers.any(|answer| answer == "not wanted" || answer.starts_with("left out"))
}
