//! Which events the user wants, by the groups and names of OMPTTRACE_EVENTS: the same for every source.

use crate::events::{self, EventCode, OURS};

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

impl Family {
    /// The group of the event with this name. None: threads, regions, implicit tasks and the program's commands, which are
    /// always on, as all else depends on them, and what is none of OpenMP's events.
    pub fn of(event: &str) -> Option<Family> {
        let family = match event {
            "task_create" | "task_schedule" | "dependences" | "task_dependence" => Family::Task,
            "work" | "masked" | "dispatch" => Family::Work,
            "sync_region" | "sync_region_wait" | "reduction" | "flush" => Family::Sync,
            "mutex_acquire" | "mutex_acquired" | "mutex_released" | "lock_init"
            | "lock_destroy" | "nest_lock" => Family::Mutex,
            "cancel" | "error" => Family::Control,
            "target" | "target_emi" | "target_data_op" | "target_data_op_emi" | "target_submit"
            | "target_submit_emi" | "target_map" | "target_map_emi" | "device_initialize"
            | "device_finalize" | "device_load" | "device_unload" => Family::Target,
            _ => return None,
        };
        Some(family)
    }
}

/// Which groups and single events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Groups left out.
    pub without: Vec<Family>,
    /// Single events left out, by name.
    pub without_names: Vec<String>,
    /// Single events that the user named: recorded even where a runtime is known to be weak.
    pub insisted: Vec<String>,
    /// Frames to keep of the call stacks at which regions and tasks are made, at most; 0: none.
    pub stack_depth: usize,
}

impl Selection {
    /// Whether the user named this event.
    pub fn insists_on(&self, event: &str) -> bool {
        self.insisted.iter().any(|insisted| insisted == event)
    }

    /// Whether events of this name are wanted.
    pub fn keeps(&self, event: &str) -> bool {
        Family::of(event).is_none_or(|family| {
            let is_left_out = self.without.contains(&family)
                || self.without_names.iter().any(|without| without == event);
            self.insists_on(event) || !is_left_out
        })
    }

    /// Every event of OpenMP's tool interface: number, name, and whether it is wanted.
    pub fn events(&self) -> impl Iterator<Item = (u16, &'static str, bool)> {
        openmp().map(|number| (number, events::name(number), self.keeps(events::name(number))))
    }

    /// Whether `event` is one that can be left out by itself.
    pub(crate) fn is_optional(event: &str) -> bool {
        openmp().any(|number| events::name(number) == event) && Family::of(event).is_some()
    }
}

/// The numbers of all events of OpenMP's tool interface.
fn openmp() -> impl Iterator<Item = u16> {
    EventCode::numbers().filter(|number| *number < OURS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_events_cannot_be_left_out() {
        let selection = Selection {
            without: Family::ALL.to_vec(),
            without_names: vec!["parallel_begin".into()],
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
        assert!(!Selection::is_optional("parallel_begin") && Selection::is_optional("flush"));
        assert!(!Selection::is_optional("text"));
    }
}
