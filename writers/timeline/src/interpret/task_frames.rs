//! Implicit tasks put on a thread and taken off again, with their logical threads.

use super::Interpreter;
use crate::names::{NameAndSource, Subject};
use crate::out::Details;
use crate::state::logical_threads::Root;
use crate::state::thread::{OpenSlice, TaskFrame};
use ompttrace_model::{Event, LogicalThread, LogicalThreadRef, Mark, SliceKind, TeamThread};
use ompttrace_recording::Id;

/// Implicit tasks on one thread; a recording that nests deeper is not believed.
pub(super) const MAX_TASK_FRAMES: usize = 4096;

impl Interpreter<'_> {
    /// An implicit task begins on a thread.
    pub(super) fn push_task_frame(
        &mut self,
        t: u32,
        at: u64,
        mut task_frame: TaskFrame,
        team_size: u64,
        open: OpenSlice,
        details: Details<'_>,
    ) {
        if self.thread(t).depth() >= MAX_TASK_FRAMES {
            self.close_task_frames(t, at, MAX_TASK_FRAMES - 1, Mark::Inferred);
        }
        self.out.show(&mut self.threads[t as usize], Mark::Observed);
        self.serial += 1;
        task_frame.serial = self.serial;
        let mut free_from = 0;
        if let Some(logical_thread) = task_frame.logical_thread {
            self.evict(logical_thread);
            free_from = self.logical_threads.take(logical_thread, (t, task_frame.serial));
        }
        task_frame.own = self.tasks.empty();
        task_frame.task_slices = self.tasks.empty();
        let thread = &mut self.threads[t as usize];
        thread.last = thread.last.max(free_from);
        let task = task_frame.task;
        let TaskFrame { region, thread_num, root, .. } = task_frame;
        thread.push(task_frame);
        self.out.team_thread(thread, at, &TeamThread { task, region, thread_num, team_size, root });
        self.out.begin(thread, at, &open, task, details);
        thread.top.own.push(open);
    }

    /// Closes implicit tasks until `keep` are left, and the explicit tasks above them.
    pub(super) fn close_task_frames(&mut self, t: u32, at: u64, keep: usize, mark: Mark) {
        while self.thread(t).depth() > keep {
            self.end_explicit(t, at, mark);
            self.close_above(t, at, 0, mark);
            self.drop_task_frame(t);
        }
    }

    /// Closes the explicit task that runs in the top frame, if one does.
    pub(super) fn close_explicit(&mut self, t: u32, at: u64, mark: Mark) {
        if self.thread(t).top.running.is_none() {
            return;
        }
        self.close_above(t, at, 0, mark);
        let thread = self.thread(t);
        thread.top.running = Id::NONE;
        thread.refresh();
    }

    /// Ends the explicit task that runs in the top frame, if one does, whose end was not reported.
    pub(super) fn end_explicit(&mut self, t: u32, at: u64, mark: Mark) {
        let task = self.thread(t).top.running;
        if !task.is_none() {
            self.close_explicit(t, at, mark);
            self.tasks.over(task);
            self.out.task_over(&mut self.threads[t as usize], at, task, None);
            self.implicit_runs(t, at);
        }
    }

    /// Removes the top frame, whose slices are all closed.
    pub(super) fn drop_task_frame(&mut self, t: u32) {
        let thread = &mut self.threads[t as usize];
        let last = thread.last;
        if thread.depth() > 0 {
            self.out.to.emit(last, &Event::TeamThreadEnd(thread.here));
        }
        let Some(task_frame) = thread.pop() else { return };
        if let Some(logical_thread) = task_frame.logical_thread {
            self.logical_threads.leave(logical_thread, (t, task_frame.serial), last);
        }
        self.tasks.recycle(task_frame.own);
        self.tasks.recycle(task_frame.task_slices);
    }

    /// An implicit task on a logical thread that another one needs has ended without a report.
    fn evict(&mut self, logical_thread: LogicalThreadRef) {
        let Some((owner, serial)) = self.logical_threads.owner(logical_thread) else { return };
        self.settle(owner);
        let (seen, at) = (self.thread(owner).seen, self.now);
        self.close_task_frame_of(owner, serial, seen, Mark::Inferred);
        self.note_state(owner, seen);
        self.note_activity(owner, at);
    }

    /// Closes one frame and all above it, by its serial number; its own late end may still come.
    pub(super) fn close_task_frame_of(&mut self, t: u32, serial: u64, at: u64, mark: Mark) {
        let found =
            self.thread(t).task_frames().find(|(_, task_frame)| task_frame.serial == serial);
        let Some((depth, task)) = found.map(|(depth, task_frame)| (depth, task_frame.task)) else {
            return;
        };
        self.close_task_frames(t, at, depth - 1, mark);
        self.thread(t).expect_late(task);
    }

    /// The logical thread of a root thread.
    pub(super) fn root_logical_thread(&mut self, t: u32, root: Root) -> Option<LogicalThreadRef> {
        if let Some(logical_thread) = self.thread(t).root_logical_thread {
            return Some(logical_thread);
        }
        let (logical_thread, defined) = self.logical_threads.root(root);
        self.define(defined);
        self.thread(t).root_logical_thread = logical_thread;
        logical_thread
    }

    /// The logical thread of an implicit task of a region that a task on `parent` forked.
    pub(super) fn team_logical_thread(
        &mut self,
        parent: Option<LogicalThreadRef>,
        number: u64,
        league: bool,
    ) -> Option<LogicalThreadRef> {
        let (logical_thread, defined) =
            self.logical_threads.of_team_thread(parent?, number, league);
        self.define(defined);
        logical_thread
    }

    fn define(&mut self, logical_thread: Option<LogicalThread>) {
        if let Some(logical_thread) = logical_thread {
            self.out.to.definitions.add_logical_thread(logical_thread);
        }
    }

    /// The name of an implicit task, after the location of its region.
    pub(super) fn implicit_name(&mut self, task: Id, region: Id) -> NameAndSource {
        let known = self.regions.get_mut(region).map(|region| region.code);
        let known = known.filter(|code| code.address != 0);
        let code = known.unwrap_or_else(|| self.names.sites.get(task.site()));
        self.names.at(&mut self.out.to.definitions, Subject::Slice(SliceKind::ImplicitTask), code)
    }

    /// A fixed word as a name.
    pub(super) fn plain(&mut self, word: &'static str) -> NameAndSource {
        NameAndSource { name: self.names.word(&mut self.out.to.definitions, word), source: 0 }
    }
}
