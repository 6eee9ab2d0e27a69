//! Events that a recording leaves out, and what nobody can know without them.

use ompttrace_recording::facts::Facts;

/// What is left out, by what it would have reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOut {
    /// Waiting at barriers and for tasks.
    pub waits: bool,
    /// Waiting for mutexes.
    mutexes: bool,
    /// What explicit tasks do, and when.
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

    /// What a reader of the numbers must know.
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

/// Whether a runtime was not asked for an event, or does not report it.
fn lacks(facts: &Facts, event: &str) -> bool {
    let mut answers = facts.runtimes.iter().filter_map(|runtime| runtime.callbacks.get(event));
    answers.any(|answer| answer == "not wanted" || answer.starts_with("left out"))
}
