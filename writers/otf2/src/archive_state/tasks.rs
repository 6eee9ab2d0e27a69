//! Explicit tasks: created, run, suspended with the regions that they have entered, resumed elsewhere, over.

use ompttrace_recording::Id;

use super::ArchiveState;
use super::alive::TaskLocation;
use super::track::{StartedTask, TaskFrame, Track};
use crate::ids::{RegionId, TrackRef};
use crate::op::{Attributes, Otf2Event, TaskName};
use crate::segment::EarlierTask;

/// Maximum number of tasks from before the session whose ends are examined although the session has nothing else of
/// them: the ids of all are kept, and ends of tasks whose records are missing come again and again.
const MAX_EARLIER_OVER: usize = 1 << 16;

/// Bit of the ids that are given here to tasks which lost theirs; no recorded id has it.
const UNKNOWN_TASK: u64 = 1 << 63;

impl ArchiveState {
    /// The running task makes another.
    pub(crate) fn task_create(
        &mut self,
        track: TrackRef,
        at: u64,
        task: Id,
        region: RegionId,
        attributes: Attributes<'_>,
    ) {
        self.ready(track).enter(at, region, attributes);
        self.make(track, at, task);
        self.track(track).leave(at, region, &[]);
    }

    /// Adds a task that is created, unless it is known.
    fn make(&mut self, track: TrackRef, at: u64, task: Id) {
        let to = self.track(track);
        let team = match to.top.slot.or(to.top.alone) {
            Some(team) if !self.is_before => team,
            _ if self.tasks.is_known(task) => return,
            _ if self.is_before => return self.meet(track, at, task),
            _ => self.team(track),
        };
        let to = &mut self.tracks[track as usize];
        let made = &mut to.made;
        let name = || {
            *made = made.wrapping_add(1).max(1);
            TaskName { team, thread: track, generation: *made }
        };
        if let Some(name) = self.tasks.make(task, track, name) {
            to.add(at, Otf2Event::ThreadTaskCreate(name));
            self.teams.made(team);
        }
    }

    /// Adds a task whose creation is not in the session.
    fn meet(&mut self, track: TrackRef, at: u64, task: Id) {
        let index = self.name_earlier(track, task, false);
        self.track(track).add(at, Otf2Event::UnknownTaskCreate(index));
        self.tasks.make(task, track, || TaskName::earlier(index));
    }

    fn name_earlier(&mut self, track: TrackRef, task: Id, is_over: bool) -> u32 {
        let index = self.earlier_count;
        self.earlier_count += 1;
        let team = self.team(track);
        self.earlier.push(EarlierTask { task, team, track, is_over });
        index
    }

    /// Writes the end of a task that the session has nothing else of: it was created before, and discarded before it
    /// ran. Its end may be reported again.
    #[cold]
    fn earlier_over(&mut self, track: TrackRef, at: u64, task: Id) {
        let is_full = self.earlier_over.len() >= MAX_EARLIER_OVER;
        if self.knows_all || task.is_none() || is_full || !self.earlier_over.insert(task) {
            return;
        }
        let index = self.name_earlier(track, task, true);
        self.ready(track).add(at, Otf2Event::EarlierTaskComplete(index));
        self.over.push(index);
    }

    /// The innermost implicit task of a location continues with a task: explicit, or itself.
    #[inline(always)]
    pub(crate) fn task_runs(&mut self, track: TrackRef, at: u64, task: Id) {
        let to = self.track(track);
        let TaskFrame { running, suspended, .. } = &mut to.top;
        if task.is_none() || task.is_implicit() {
            if !running.id.is_none() || to.switch_due {
                self.implicit_runs(track, at);
            }
        } else if running.id == task {
            // It goes on.
        } else if let Some(last) = suspended.last_mut()
            && last.id == task
            && !running.stack.is_empty()
        {
            // Between two tasks a thread mostly looks into the one that it suspended last.
            std::mem::swap(last, running);
            to.add_switch(at);
        } else {
            self.other_runs(track, at, task);
        }
    }

    /// The implicit task runs instead of an explicit one.
    #[inline(never)]
    fn implicit_runs(&mut self, track: TrackRef, at: u64) {
        self.suspend_running(track);
        self.switch_to_implicit(track, at);
    }

    /// An explicit task runs, wherever it was before.
    #[inline(never)]
    fn other_runs(&mut self, track: TrackRef, at: u64, id: Id) {
        let last = self.track(track).top.suspended.pop_if(|last| last.id == id);
        self.suspend_running(track);
        if let Some(task) = self.tasks.get(id).filter(|_| last.is_none())
            && let TaskLocation::Waits(_) = task.location()
        {
            task.start(track);
            let name = task.name;
            // It has entered nothing, and the memory of the one before serves again.
            let to = &mut self.tracks[track as usize];
            (to.top.running.id, to.top.running.name) = (id, name);
            return to.add_switch(at);
        }
        let Some(found) = last.or_else(|| self.find(track, at, id)) else { return };
        let to = &mut self.tracks[track as usize];
        let before = std::mem::replace(&mut to.top.running, found);
        self.spare_stacks.push(before.stack);
        to.add_switch(at);
    }

    /// Takes a task that is to run on a location from wherever it is.
    #[inline(never)]
    fn find(&mut self, track: TrackRef, at: u64, task: Id) -> Option<StartedTask> {
        if let Some(found) = self.take_up(track, task) {
            return Some(found);
        }
        self.fetch(track, at, task);
        self.take_up(track, task)
    }

    /// Takes a task that waits or is suspended; `None` if there is no such task or it runs.
    fn take_up(&mut self, track: TrackRef, id: Id) -> Option<StartedTask> {
        let task = self.tasks.get(id)?;
        let taken = match task.location() {
            TaskLocation::Waits(_) => StartedTask { id, name: task.name, stack: Vec::new() },
            TaskLocation::Started(on) => self.tracks.get_mut(on as usize)?.take_suspended(id)?,
        };
        task.start(track);
        Some(taken)
    }

    /// Ensures that the task is known and runs on no track.
    #[cold]
    fn fetch(&mut self, track: TrackRef, at: u64, task: Id) {
        match self.tasks.get(task).map(|task| task.location()) {
            None if self.knows_all => self.make(track, at, task),
            None => self.meet(track, at, task),
            Some(TaskLocation::Waits(_)) => {}
            Some(TaskLocation::Started(on)) if self.track(on).top.running.id == task => {
                // It goes on here before it was said to be left there.
                self.suspend_running(on);
                self.switch_to_implicit(on, at);
            }
            Some(TaskLocation::Started(on)) => {
                // Below an inner region it cannot be left: then this is another one.
                self.rename_below(on, task);
                self.make(track, at, task);
            }
        }
    }

    /// A task that runs below an inner region loses its id to another one that goes by it.
    fn rename_below(&mut self, on: TrackRef, task: Id) {
        self.unknown_tasks += 1;
        let unknown_task = Id(UNKNOWN_TASK | self.unknown_tasks);
        let below = &mut self.track(on).below;
        if let Some(task_frame) =
            below.iter_mut().rev().find(|task_frame| task_frame.running.id == task)
        {
            task_frame.running.id = unknown_task;
        }
        self.tasks.rename(task, unknown_task);
    }

    /// The explicit task that runs keeps what it has entered for later. A switch must follow.
    pub(super) fn suspend_running(&mut self, track: TrackRef) {
        let to = &mut self.tracks[track as usize];
        let TaskFrame { running, suspended, .. } = &mut to.top;
        if running.id.is_none() {
            return;
        }
        to.switch_due = true;
        if !running.stack.is_empty() {
            let stack = self.spare_stacks.pop().unwrap_or_default();
            suspended
                .push(std::mem::replace(running, StartedTask { stack, ..StartedTask::default() }));
        } else if let Some(task) = self.tasks.get(std::mem::replace(&mut running.id, Id::NONE)) {
            task.wait(track);
        }
    }

    /// Writes the switch to the implicit task.
    pub(super) fn switch_to_implicit(&mut self, track: TrackRef, at: u64) {
        let name = self.task_name(track, 0);
        let to = self.track(track);
        to.switch_due = false;
        to.add(at, Otf2Event::ThreadTaskSwitch(name));
    }

    /// A task is over, wherever it is.
    pub(crate) fn task_over(&mut self, track: TrackRef, at: u64, task: Id) {
        if !task.is_none() && self.track(track).top.running.id == task {
            return self.running_over(track, at, task);
        }
        let Some(location) = self.tasks.get(task).map(|task| task.location()) else {
            return self.earlier_over(track, at, task);
        };
        match location {
            TaskLocation::Waits(_) => {
                self.ready(track);
                self.complete(track, at, task);
            }
            TaskLocation::Started(on) if self.track(on).has_suspended(task) => {
                self.close_suspended(on, at, task);
            }
            TaskLocation::Started(on) if self.track(on).top.running.id == task => {
                self.running_over(on, at, task);
            }
            // It waits below an inner region: its end will be reported again.
            TaskLocation::Started(_) => {}
        }
    }

    fn running_over(&mut self, on: TrackRef, at: u64, task: Id) {
        if !self.track(on).top.running.stack.is_empty() {
            self.close_frames(on, at, 0);
        }
        self.complete(on, at, task);
        self.track(on).top.running.id = Id::NONE;
        self.track(on).switch_due = true;
    }

    /// Writes the end of a task that nothing is open of.
    fn complete(&mut self, track: TrackRef, at: u64, task: Id) {
        let Some(name) = self.tasks.remove(task) else { return };
        self.track(track).add(at, Otf2Event::ThreadTaskComplete(name));
        match name.index_among_earlier() {
            Some(index) => {
                self.over.push(index);
                self.earlier_over.insert(task);
            }
            None => self.teams.task_over(name.team),
        }
    }

    /// Ends a suspended task that will not resume: its regions are left where it ran last.
    fn close_suspended(&mut self, on: TrackRef, at: u64, task: Id) {
        let before = self.track(on).top.running.id;
        self.task_runs(on, at, task);
        self.close_frames(on, at, 0);
        self.complete(on, at, task);
        self.track(on).top.running.id = Id::NONE;
        self.track(on).switch_due = true;
        self.task_runs(on, at, before);
    }

    /// Ends the suspended tasks of the innermost team, which will not resume where they were suspended.
    pub(crate) fn close_left_tasks(&mut self, track: TrackRef, at: u64) {
        let suspended = &self.track(track).top.suspended;
        let ids: Vec<Id> = suspended.iter().map(|task| task.id).collect();
        for task in ids {
            self.close_suspended(track, at, task);
        }
    }

    /// Ids of the tasks that are suspended and have entered something, in order.
    pub(super) fn suspended_tasks(&self) -> Vec<Id> {
        let mut ids: Vec<_> = self.tracks.iter().flat_map(Track::suspended).collect();
        ids.sort_unstable();
        ids
    }
}
