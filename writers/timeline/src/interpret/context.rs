//! Switches to the task that runs on a thread, by events, or by ids where events are missing.

use super::{Interpreter, Outcome, Reason};
use crate::out::{Details, Out};
use crate::state::tasks::Tasks;
use crate::state::thread::{OpenSlice, TaskFrame, Thread};
use ompttrace_model::ompt;
use ompttrace_model::{LogicalThreadRef, Mark, SliceKind};
use ompttrace_recording::Id;

impl Interpreter<'_> {
    /// Makes `task` the running one, because an event says that it does something.
    #[inline(always)]
    pub(super) fn enter(&mut self, t: u32, at: u64, task: Id) {
        let task = task.started();
        if task != self.thread(t).current && !task.is_none() {
            self.enter_other(t, at, task);
        }
    }

    /// The switch to `task` was not reported: it is inferred.
    #[cold]
    fn enter_other(&mut self, t: u32, at: u64, task: Id) {
        if self.thread(t).guests.contains(&task) {
            // It encounters what the task that runs does.
        } else if !task.is_implicit() {
            self.run_explicit(t, at, task, false, Mark::Inferred);
        } else if let Some(depth) = self.thread(t).depth_of(task) {
            self.return_to(t, at, depth);
        } else {
            self.make_up_implicit(t, at, task);
        }
    }

    /// Makes `task` the running one for an end, as [`Interpreter::enter`] does, but does not make up an unknown task.
    #[cold]
    pub(super) fn enter_known(&mut self, t: u32, at: u64, task: Id) -> Result<(), Outcome> {
        let task = task.started();
        if self.thread(t).is_late(task) {
            return Err(Outcome::Absorbed);
        }
        if task.is_none() || task == self.thread(t).current || self.thread(t).guests.contains(&task)
        {
            return Ok(());
        }
        if self.thread(t).depth_of(task).is_some() || self.tasks.is_suspended(task) {
            self.enter_other(t, at, task);
            return Ok(());
        }
        Err(Outcome::Dropped(Reason::EndWithoutBegin))
    }

    /// The implicit task at `depth` continues: what is above it was left without a report.
    pub(super) fn return_to(&mut self, t: u32, at: u64, depth: usize) {
        self.close_task_frames(t, at, depth, Mark::Inferred);
        if !self.thread(t).top.running.is_none() {
            self.suspend_running(t, at, Mark::Inferred);
            self.implicit_runs(t, at);
        }
        self.continue_wait(t, at);
    }

    /// The implicit task of the top frame runs again, after an explicit one.
    #[inline]
    pub(super) fn implicit_runs(&mut self, t: u32, at: u64) {
        let thread = &mut self.threads[t as usize];
        let task = thread.top.task;
        self.out.runs(thread, at, task);
    }

    /// An implicit task whose begin was not recorded.
    fn make_up_implicit(&mut self, t: u32, at: u64, task: Id) {
        self.close_stale(t, at);
        let thread = self.thread(t);
        if thread.depth() == 0 && (thread.first_of_process || thread.kind == ompt::Thread::Initial)
        {
            return self.make_up_root(t, at, task);
        }
        let (logical_thread, level) = self.logical_thread_of_unreported(t);
        let task_frame =
            TaskFrame { task, logical_thread, level, made_up: true, ..TaskFrame::default() };
        let open = OpenSlice::new(SliceKind::ImplicitTask, self.implicit_name(task, Id::NONE));
        self.push_task_frame(t, at, task_frame, 0, open, Details::mark(Mark::Inferred));
    }

    /// The logical thread and level of an implicit task above the thread's innermost one where nothing was lost: LLVM's
    /// runtime of 2014 reports neither region nor begin if a region is serialised by its `if` clause.
    fn logical_thread_of_unreported(&mut self, t: u32) -> (Option<LogicalThreadRef>, u32) {
        let top = &self.thread(t).top;
        let (parent, level) = (top.logical_thread, top.level);
        if self.source_ids.is_none() || self.lost > 0 || parent.is_none() {
            return (None, 0);
        }
        (self.team_logical_thread(parent, 0, false), level + 1)
    }

    /// An initial task whose begin was not reported: so are forked children's and hidden helpers' in
    /// some runtimes, which then have no id either.
    pub(super) fn make_up_root(&mut self, t: u32, at: u64, task: Id) {
        self.root_was_there(t, at, task, Mark::Inferred);
    }

    /// A root's initial task begins here, as far as is known.
    pub(super) fn root_was_there(&mut self, t: u32, at: u64, task: Id, mark: Mark) {
        let root = self.root_kind(t);
        let logical_thread = self.root_logical_thread(t, root);
        let task_frame =
            TaskFrame { task, logical_thread, root: true, made_up: true, ..TaskFrame::default() };
        let open = OpenSlice::new(SliceKind::InitialTask, self.plain("initial task"));
        self.push_task_frame(t, at, task_frame, 0, open, Details::mark(mark));
    }

    /// Closes implicit tasks that are probably over: after a pause those from before it, and always
    /// those whose begin was not recorded, because then their end is not recorded either.
    fn close_stale(&mut self, t: u32, at: u64) {
        let thread = &self.threads[t as usize];
        let (seen, roots) =
            (thread.seen, thread.task_frames().filter(|(_, task_frame)| task_frame.root).count());
        let is_sure = thread.asked.is_some() && thread.asked >= self.last_pause;
        if !is_sure && self.paused.is_some_and(|paused| seen <= paused) {
            self.close_task_frames(t, seen, roots, Mark::Inferred);
        }
        while self.thread(t).top.made_up && !self.thread(t).top.root {
            let keep = self.thread(t).depth() - 1;
            self.close_task_frames(t, at, keep, Mark::Inferred);
        }
    }

    /// Suspends the explicit task that runs in the top frame, if one does.
    #[inline]
    pub(super) fn suspend_running(&mut self, t: u32, at: u64, mark: Mark) {
        let Interpreter { threads, out, tasks, .. } = self;
        threads[t as usize].suspend_running(at, mark, (out, tasks));
    }

    /// An explicit task runs from now on: for the first time, or again, or nothing is known of it.
    pub(super) fn run_explicit(&mut self, t: u32, at: u64, task: Id, fresh: bool, mark: Mark) {
        let Interpreter { threads, out, tasks, .. } = self;
        let thread = &mut threads[t as usize];
        thread.suspend_running(at, mark, (out, tasks));
        thread.interrupt_wait(at, out);
        // A task that has not run yet is not suspended.
        let suspended = if fresh { None } else { tasks.resume(task) };
        thread.top.running = task;
        thread.refresh();
        out.runs(thread, at, task);
        match suspended {
            Some(slices) => {
                let before = std::mem::replace(&mut thread.top.task_slices, slices);
                tasks.recycle(before);
                // Its slices begin again, if it runs for the minimum duration.
                out.go_on(thread, at, mark);
            }
            None => self.begin_task(t, at, task, fresh, mark),
        }
    }
}

impl Thread {
    /// Suspends the explicit task that runs in the top frame, if one does.
    #[inline(always)]
    fn suspend_running(&mut self, at: u64, mark: Mark, (out, tasks): (&mut Out<'_>, &mut Tasks)) {
        let task = self.top.running;
        if task.is_none() {
            return;
        }
        out.leave_unreported(self, at);
        let mut slices = std::mem::take(&mut self.top.task_slices);
        let shown = if out.takes.resumptions { slices.as_mut_slice() } else { &mut [] };
        for open in shown.iter_mut().rev().filter(|open| open.shown) {
            open.shown = false;
            out.suspend(self, at, open, mark);
        }
        self.top.running = Id::NONE;
        self.refresh();
        tasks.suspend(self.here.thread, task, slices);
    }

    /// Closes the explicit task that runs in the top frame, if nothing inside it is open: then its own slice is all that ends.
    #[inline(always)]
    pub(super) fn close_alone(&mut self, at: u64, out: &mut Out<'_>) -> bool {
        if !matches!(self.top.task_slices[..], [OpenSlice { kind: SliceKind::Task, .. }]) {
            return false;
        }
        out.show_hidden(self);
        if let Some(own) = self.top.task_slices.pop_if(|own| own.shown) {
            out.end(self, at, &own, Mark::Observed);
        }
        self.top.task_slices.clear();
        self.top.running = Id::NONE;
        self.refresh();
        true
    }

    /// The open wait of the implicit task stops, because a task runs.
    #[inline(always)]
    fn interrupt_wait(&mut self, at: u64, out: &mut Out<'_>) {
        out.leave_unreported(self, at);
        if out.takes.resumptions
            && let Some(open) = self.top.own.last_mut()
            && open.shown
            && matches!(open.kind, SliceKind::Wait(_))
        {
            open.shown = false;
            let open = *open;
            out.suspend(self, at, &open, Mark::Observed);
        }
    }
}
