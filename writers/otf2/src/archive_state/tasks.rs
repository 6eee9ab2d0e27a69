//! Explicit tasks: created, run, suspended with the regions that they have entered, resumed elsewhere, over.

use ompttrace_recording::Id;

use super::ArchiveState;
use super::alive::{Resumed, TaskLocation};
use crate::ids::{RegionId, TrackRef};
use crate::op::{Attribute, Otf2Event, TaskName};
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
        attributes: &[Attribute],
    ) {
        self.ready(track).enter(at, region, attributes);
        if !self.tasks.is_known(task) {
            self.make(track, at, task);
        }
        self.track(track).leave(at, region, &[]);
    }

    fn make(&mut self, track: TrackRef, at: u64, task: Id) {
        if self.is_before {
            return self.meet(track, at, task);
        }
        let to = self.track(track);
        to.made = to.made.wrapping_add(1).max(1);
        let generation = to.made;
        let name = self.task_name(track, generation);
        self.teams.made(name.team);
        self.track(track).add(at, Otf2Event::ThreadTaskCreate(name));
        self.tasks.make(task, name, track);
    }

    /// Adds a task whose creation is not in the session.
    fn meet(&mut self, track: TrackRef, at: u64, task: Id) {
        let index = self.name_earlier(track, task, false);
        self.track(track).add(at, Otf2Event::UnknownTaskCreate(index));
        self.tasks.make(task, TaskName::earlier(index), track);
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
    pub(crate) fn task_runs(&mut self, track: TrackRef, at: u64, task: Id) {
        let to = self.track(track);
        let (running, is_due) = (to.top.running, to.switch_due);
        if task.is_none() || task.is_implicit() {
            if !running.is_none() || is_due {
                self.suspend_running(track);
                self.switch_to_implicit(track, at);
            }
            return;
        }
        if running == task {
            return;
        }
        self.suspend_running(track);
        let mut resumed = self.tasks.run(task, track);
        if resumed.is_none() {
            self.fetch(track, at, task);
            resumed = self.tasks.run(task, track);
        }
        let Some(Resumed { name, stack, left_on }) = resumed else { return };
        if let Some(on) = left_on {
            self.taken_up(on, task);
        }
        let to = &mut self.tracks[track as usize];
        to.switch_due = false;
        to.top.running = task;
        // Mostly it has entered nothing, and the memory of the one before serves again.
        if !stack.is_empty() {
            self.spare_stacks.push(std::mem::replace(&mut to.top.stack, stack));
        }
        to.add(at, Otf2Event::ThreadTaskSwitch(name));
    }

    /// Removes a task that resumes from the suspended ones; mostly it is the last one that was suspended where it ran.
    fn taken_up(&mut self, on: TrackRef, task: Id) {
        let on = self.track(on);
        if on.top.left_tasks.pop_if(|left| *left == task).is_some() {
            return;
        }
        for task_frame in std::iter::once(&mut on.top).chain(on.below.iter_mut().rev()) {
            if let Some(found) = task_frame.left_tasks.iter().rposition(|left| *left == task) {
                task_frame.left_tasks.remove(found);
                return;
            }
        }
    }

    /// Ensures that the task is known and runs on no track.
    #[cold]
    fn fetch(&mut self, track: TrackRef, at: u64, task: Id) {
        match self.tasks.task_location(task) {
            None if self.knows_all => self.make(track, at, task),
            None => self.meet(track, at, task),
            Some(TaskLocation::Runs(on)) => {
                if self.track(on).top.running == task {
                    // It goes on here before it was said to be left there.
                    self.suspend_running(on);
                    self.taken_up(on, task);
                    self.switch_to_implicit(on, at);
                } else {
                    // Below an inner region it cannot be left: then this is another one.
                    self.rename_below(on, task);
                    self.make(track, at, task);
                }
            }
            Some(TaskLocation::Suspended(_) | TaskLocation::Waits(_)) => {}
        }
    }

    /// A task that runs below an inner region loses its id to another one that goes by it.
    fn rename_below(&mut self, on: TrackRef, task: Id) {
        self.unknown_tasks += 1;
        let unknown_task = Id(UNKNOWN_TASK | self.unknown_tasks);
        let below = &mut self.track(on).below;
        if let Some(task_frame) =
            below.iter_mut().rev().find(|task_frame| task_frame.running == task)
        {
            task_frame.running = unknown_task;
        }
        self.tasks.rename(task, unknown_task);
    }

    /// The explicit task that runs keeps what it has entered for later. A switch must follow.
    pub(super) fn suspend_running(&mut self, track: TrackRef) {
        let to = &mut self.tracks[track as usize];
        let running = to.top.running;
        if running.is_none() {
            return;
        }
        (to.top.running, to.switch_due) = (Id::NONE, true);
        if to.top.stack.is_empty() {
            return self.tasks.suspend(running, Vec::new());
        }
        let spare = self.spare_stacks.pop().unwrap_or_default();
        let stack = std::mem::replace(&mut to.top.stack, spare);
        to.top.left_tasks.push(running);
        self.tasks.suspend(running, stack);
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
        if !task.is_none() && self.track(track).top.running == task {
            return self.running_over(track, at, task);
        }
        let Some(is) = self.tasks.task_location(task) else {
            return self.earlier_over(track, at, task);
        };
        match is {
            // It waits below an inner region: its end will be reported again.
            TaskLocation::Runs(on) if self.track(on).top.running != task => {}
            TaskLocation::Runs(on) => self.running_over(on, at, task),
            TaskLocation::Suspended(on) => self.close_suspended(on, at, task),
            TaskLocation::Waits(_) => {
                self.ready(track);
                self.complete(track, at, task);
            }
        }
    }

    fn running_over(&mut self, on: TrackRef, at: u64, task: Id) {
        self.close_frames(on, at, 0);
        self.complete(on, at, task);
        self.track(on).top.running = Id::NONE;
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
        let before = self.track(on).top.running;
        self.task_runs(on, at, task);
        self.close_frames(on, at, 0);
        self.complete(on, at, task);
        self.track(on).top.running = Id::NONE;
        self.track(on).switch_due = true;
        self.task_runs(on, at, before);
    }

    /// Ends the suspended tasks of the innermost team, which will not resume where they were suspended.
    pub(crate) fn close_left_tasks(&mut self, track: TrackRef, at: u64) {
        for task in std::mem::take(&mut self.track(track).top.left_tasks) {
            self.close_suspended(track, at, task);
        }
    }
}
