//! The events that the user wants, by the groups and names of OMPTTRACE_EVENTS: the same for every source.

use crate::events::{self, EventCode, Group, OURS, Scope};

choice! {
    /// Groups of events that a user can keep or leave out.
    Family {
        /// Explicit tasks and their dependences.
        Task = "task",
        /// Loops, sections, single, masked, chunks.
        Work = "work",
        /// Barriers, taskwait, taskgroup, reductions, flush.
        Sync = "sync",
        /// Locks, critical, ordered, atomic.
        Mutex = "mutex",
        /// Cancellation and errors.
        Control = "control",
        /// Devices and offloading.
        Target = "target",
    }
}

/// The groups and single events that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Groups of which no events are recorded, except for those in `insisted`.
    pub without: Vec<Family>,
    /// Single events left out, by number.
    pub without_events: Vec<u16>,
    /// Single events that the user named: recorded even where a runtime is known to be weak.
    pub insisted: Vec<u16>,
    /// Largest number of frames to keep of the call stacks at which regions and tasks are made; 0: none.
    pub stack_depth: usize,
}

impl Selection {
    /// True if the user named the event with this number.
    pub fn insists_on(&self, event: u16) -> bool {
        self.insisted.contains(&event)
    }

    /// True if events with this number are wanted.
    pub fn keeps(&self, event: u16) -> bool {
        family(event).is_none_or(|family| {
            let is_left_out =
                self.without.contains(&family) || self.without_events.contains(&event);
            self.insists_on(event) || !is_left_out
        })
    }

    /// Every event of OpenMP's tool interface: number, name, and true if it is wanted.
    pub fn events(&self) -> impl Iterator<Item = (u16, &'static str, bool)> {
        openmp().map(|number| (number, events::name(number), self.keeps(number)))
    }

    /// The number of an event of this name that can be left out by itself.
    pub(crate) fn optional(name: &str) -> Option<u16> {
        openmp().find(|number| events::name(*number) == name).filter(|at| family(*at).is_some())
    }
}

fn family(event: u16) -> Option<Family> {
    EventCode::new(event, Scope::None).group().and_then(Group::family)
}

/// The numbers of all events of OpenMP's tool interface.
fn openmp() -> impl Iterator<Item = u16> {
    EventCode::numbers().filter(|number| *number < OURS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Flush, ParallelBegin};

    #[test]
    fn base_events_cannot_be_left_out() {
        let selection = Selection {
            without: Family::ALL.to_vec(),
            without_events: vec![ParallelBegin::NUMBER],
            ..Selection::default()
        };
        let kept = selection.events().filter(|(.., wanted)| *wanted);
        let mut kept: Vec<_> = kept.map(|(_, name, _)| name).collect();
        kept.sort_unstable();
        assert_eq!(
            kept,
            [
                "control_tool",
                "implicit_task",
                "parallel_begin",
                "parallel_end",
                "thread_begin",
                "thread_end"
            ]
        );
        assert_eq!(Selection::optional("flush"), Some(Flush::NUMBER));
        assert!(
            ["parallel_begin", "text", "no"].map(Selection::optional).iter().all(Option::is_none)
        );
    }
}
