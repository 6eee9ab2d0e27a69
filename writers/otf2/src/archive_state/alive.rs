//! Explicit tasks that are alive: there may be tens of millions, nearly all of which have not run yet. So
//! each takes as little as it can (24 bytes with its id), and what suspended tasks have entered
//! lies apart.

use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

use super::track::EnteredRegion;
use crate::ids::TrackRef;
use crate::op::TaskName;

/// All tasks that were created and are not over.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    known: FxHashMap<Id, Task>,
    left_tasks: Vec<LeftTask>,
    /// Indices in `left_tasks` that are free.
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    name: TaskName,
    state: TaskState,
}

/// State of a task in two bits, and a number: its location, or its index in `left_tasks` if it is suspended.
#[derive(Clone, Copy, Debug)]
struct TaskState(u32);

const RUNS: u32 = 1 << 31;
const SUSPENDED: u32 = 1 << 30;
const NUMBER: u32 = SUSPENDED - 1;

/// A suspended task that has entered regions.
#[derive(Debug)]
struct LeftTask {
    on: TrackRef,
    stack: Vec<EnteredRegion>,
}

/// A task that resumes.
#[derive(Debug)]
pub(crate) struct Resumed {
    pub name: TaskName,
    pub stack: Vec<EnteredRegion>,
    pub left_on: Option<TrackRef>,
}

/// Location of a task, and what it does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskLocation {
    /// The task was created or suspended here, and has entered no region.
    Waits(TrackRef),
    Runs(TrackRef),
    /// The task was suspended here, and has entered regions.
    Suspended(TrackRef),
}

const _: () = assert!(size_of::<(Id, Task)>() == 24);

impl TaskState {
    fn waits(on: TrackRef) -> TaskState {
        TaskState(on & NUMBER)
    }

    fn runs(on: TrackRef) -> TaskState {
        TaskState(on & NUMBER | RUNS)
    }

    fn number(self) -> u32 {
        self.0 & NUMBER
    }

    /// Index in `left_tasks`, if the task is suspended.
    fn index(self) -> Option<u32> {
        (self.0 & SUSPENDED != 0).then_some(self.number())
    }
}

impl Tasks {
    /// Adds a task that is created.
    pub(crate) fn make(&mut self, task: Id, name: TaskName, on: TrackRef) {
        self.known.insert(task, Task { name, state: TaskState::waits(on) });
    }

    pub(crate) fn is_known(&self, task: Id) -> bool {
        self.known.contains_key(&task)
    }

    pub(crate) fn task_location(&self, task: Id) -> Option<TaskLocation> {
        let state = self.known.get(&task)?.state;
        Some(match state.index() {
            _ if state.0 & RUNS != 0 => TaskLocation::Runs(state.number()),
            None => TaskLocation::Waits(state.number()),
            Some(index) => TaskLocation::Suspended(self.left_tasks.get(index as usize)?.on),
        })
    }

    /// Resumes a task on this location. Returns its name, the regions that it has entered, and the location on which it
    /// was suspended if there are any; `None` if there is no such task or it runs already.
    #[inline]
    pub(crate) fn run(&mut self, task: Id, on: TrackRef) -> Option<Resumed> {
        let known = self.known.get_mut(&task).filter(|task| task.state.0 & RUNS == 0)?;
        let before = std::mem::replace(&mut known.state, TaskState::runs(on));
        let name = known.name;
        let Some(index) = before.index() else {
            return Some(Resumed { name, stack: Vec::new(), left_on: None });
        };
        let left_task = self.left_tasks.get_mut(index as usize)?;
        let (stack, left_on) = (std::mem::take(&mut left_task.stack), Some(left_task.on));
        self.free.push(index);
        Some(Resumed { name, stack, left_on })
    }

    /// The task runs no longer, and will go on with what it has entered.
    #[inline]
    pub(crate) fn suspend(&mut self, task: Id, stack: Vec<EnteredRegion>) {
        let Some(known) = self.known.get_mut(&task) else { return };
        let on = known.state.number();
        if stack.is_empty() {
            known.state = TaskState::waits(on);
            return;
        }
        let left_task = LeftTask { on, stack };
        let index = match self.free.pop() {
            Some(index) => {
                self.left_tasks[index as usize] = left_task;
                index
            }
            None => {
                self.left_tasks.push(left_task);
                self.left_tasks.len() as u32 - 1
            }
        };
        known.state = TaskState(index & NUMBER | SUSPENDED);
    }

    /// Gives a task another id.
    pub(crate) fn rename(&mut self, task: Id, other: Id) {
        if let Some(known) = self.known.remove(&task) {
            self.known.insert(other, known);
        }
    }

    /// Removes a task that is over; returns its name.
    pub(crate) fn remove(&mut self, task: Id) -> Option<TaskName> {
        let Task { name, state } = self.known.remove(&task)?;
        self.take(state);
        Some(name)
    }

    /// Takes the regions that a task in this state has entered, and frees its index.
    fn take(&mut self, state: TaskState) -> Vec<EnteredRegion> {
        let Some(index) = state.index() else { return Vec::new() };
        let Some(left_task) = self.left_tasks.get_mut(index as usize) else { return Vec::new() };
        self.free.push(index);
        std::mem::take(&mut left_task.stack)
    }

    /// Ids of tasks that have something entered and do not run, in order.
    pub(crate) fn suspended(&self) -> Vec<Id> {
        let suspended = self.known.iter().filter(|(_, task)| task.state.index().is_some());
        let mut ids: Vec<_> = suspended.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids
    }

    /// Ids and names of the tasks that were created in the session.
    pub(crate) fn made_here(&self) -> impl Iterator<Item = (Id, TaskName)> {
        let names = self.known.iter().map(|(id, task)| (*id, task.name));
        names.filter(|(_, name)| name.index_among_earlier().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive_state::track::EndAction;
    use crate::ids::RegionId;
    use ompttrace_model::SliceKind;

    fn name(generation: u32) -> TaskName {
        TaskName { team: 0, thread: 0, generation }
    }

    fn stack() -> Vec<EnteredRegion> {
        let region = RegionId::default();
        vec![EnteredRegion { kind: SliceKind::Task, region, more: EndAction::Nothing }]
    }

    #[test]
    fn what_was_suspended_comes_back_and_frees_its_index() {
        let mut tasks = Tasks::default();
        let [one, other] = [Id(1), Id(2)];
        tasks.make(one, name(1), 5);
        tasks.make(other, name(2), 6);
        assert_eq!(tasks.task_location(one), Some(TaskLocation::Waits(5)));
        for (task, on) in [(one, 7), (other, 8)] {
            assert!(tasks.run(task, on).is_some_and(|task| task.stack.is_empty()));
            assert!(tasks.run(task, on).is_none(), "it runs already");
            assert_eq!(tasks.task_location(task), Some(TaskLocation::Runs(on)));
            tasks.suspend(task, stack());
            assert_eq!(tasks.task_location(task), Some(TaskLocation::Suspended(on)));
            let Resumed { name, stack, left_on } = tasks.run(task, 0).expect("known");
            assert_eq!((name.generation, stack.len(), left_on), (task.0 as u32, 1, Some(on)));
            assert_eq!(tasks.suspended(), []);
        }
        assert_eq!(tasks.left_tasks.len(), 1, "indices are used again");
    }

    #[test]
    fn a_task_with_nothing_entered_only_waits() {
        let mut tasks = Tasks::default();
        tasks.make(Id(1), name(1), 5);
        tasks.run(Id(1), 9);
        tasks.suspend(Id(1), Vec::new());
        assert_eq!(tasks.task_location(Id(1)), Some(TaskLocation::Waits(9)));
        assert_eq!((tasks.suspended(), tasks.left_tasks.len()), (Vec::new(), 0));
    }

    #[test]
    fn a_task_that_is_over_or_renamed_is_known_no_more() {
        let mut tasks = Tasks::default();
        tasks.make(Id(1), name(1), 5);
        tasks.run(Id(1), 5);
        tasks.suspend(Id(1), stack());
        tasks.rename(Id(1), Id(2));
        assert_eq!((tasks.is_known(Id(1)), tasks.suspended()), (false, vec![Id(2)]));
        assert_eq!(tasks.remove(Id(2)).map(|name| name.generation), Some(1));
        assert_eq!((tasks.made_here().count(), tasks.free.len()), (0, 1));
    }
}
