//! Explicit tasks that are alive: there may be tens of millions, nearly all of which have not run yet. So
//! each takes as little as it can (24 bytes with its id), and what suspended tasks have entered is kept by
//! the track on which they ran (`track.rs`).

use std::collections::hash_map::Entry;

use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

use crate::ids::TrackRef;
use crate::op::TaskName;

/// All tasks that were created and are not over.
#[derive(Debug, Default)]
pub(crate) struct Tasks(FxHashMap<Id, Task>);

/// A task that is alive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub name: TaskName,
    location: PackedLocation,
}

/// A [`TaskLocation`] in 32 bits.
#[derive(Clone, Copy, Debug)]
struct PackedLocation(u32);

const STARTED: u32 = 1 << 31;

/// Location of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskLocation {
    /// The task was created or suspended here, and has entered no region.
    Waits(TrackRef),
    /// The task runs or is suspended here: the track knows which.
    Started(TrackRef),
}

const _: () = assert!(size_of::<(Id, Task)>() == 24);

impl PackedLocation {
    fn waits(on: TrackRef) -> PackedLocation {
        PackedLocation(on & !STARTED)
    }

    fn started(on: TrackRef) -> PackedLocation {
        PackedLocation(on | STARTED)
    }

    fn unpacked(self) -> TaskLocation {
        match self.0 & STARTED {
            0 => TaskLocation::Waits(self.0),
            _ => TaskLocation::Started(self.0 & !STARTED),
        }
    }
}

impl Task {
    pub(crate) fn location(&self) -> TaskLocation {
        self.location.unpacked()
    }

    /// The task runs on this track.
    pub(crate) fn start(&mut self, on: TrackRef) {
        self.location = PackedLocation::started(on);
    }

    /// The task runs no longer on this track, and has entered nothing.
    pub(crate) fn wait(&mut self, on: TrackRef) {
        self.location = PackedLocation::waits(on);
    }
}

impl Tasks {
    /// Adds a task that is created here, unless it is known; returns its name then.
    #[inline]
    pub(crate) fn make(
        &mut self,
        task: Id,
        on: TrackRef,
        name: impl FnOnce() -> TaskName,
    ) -> Option<TaskName> {
        match self.0.entry(task) {
            Entry::Occupied(_) => None,
            Entry::Vacant(entry) => {
                let name = name();
                entry.insert(Task { name, location: PackedLocation::waits(on) });
                Some(name)
            }
        }
    }

    pub(crate) fn is_known(&self, task: Id) -> bool {
        self.0.contains_key(&task)
    }

    #[inline]
    pub(crate) fn get(&mut self, task: Id) -> Option<&mut Task> {
        self.0.get_mut(&task)
    }

    /// Gives a task another id.
    pub(crate) fn rename(&mut self, task: Id, other: Id) {
        if let Some(known) = self.0.remove(&task) {
            self.0.insert(other, known);
        }
    }

    /// Removes a task that is over; returns its name.
    pub(crate) fn remove(&mut self, task: Id) -> Option<TaskName> {
        self.0.remove(&task).map(|task| task.name)
    }

    /// Ids and names of the tasks that were created in the session.
    pub(crate) fn made_here(&self) -> impl Iterator<Item = (Id, TaskName)> {
        let names = self.0.iter().map(|(id, task)| (*id, task.name));
        names.filter(|(_, name)| name.index_among_earlier().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_where_it_was_created_or_runs_until_it_is_over() {
        let mut tasks = Tasks::default();
        let [one, other] = [Id(1), Id(2)];
        let name = TaskName { team: 0, thread: 0, generation: 7 };
        assert_eq!(tasks.make(one, 5, || name), Some(name));
        assert_eq!(tasks.make(one, 6, || unreachable!()), None);
        let mut location = |change: fn(&mut Task)| {
            let task = tasks.get(one).expect("known");
            change(task);
            task.location()
        };
        assert_eq!(location(|_| {}), TaskLocation::Waits(5));
        assert_eq!(location(|task| task.start(6)), TaskLocation::Started(6));
        assert_eq!(location(|task| task.wait(8)), TaskLocation::Waits(8));
        tasks.rename(one, other);
        assert_eq!((tasks.is_known(one), tasks.is_known(other)), (false, true));
        assert_eq!((tasks.remove(other), tasks.made_here().count()), (Some(name), 0));
    }
}
