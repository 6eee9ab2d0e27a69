//! Explicit tasks whose source reports where they begin to run, and neither their creation nor, where their creator
//! runs them at once, any switch: LLVM's runtime of 2014.

use super::calls::Creation;
use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::hash::task_flow;
use crate::names::NameAndSource;
use crate::out::{Details, id};
use ompttrace_model::ompt::TaskStatus;
use ompttrace_model::{ArgKey, ContextRef, FrameKind, InstantKind, Mark};
use ompttrace_recording::Id;
use ompttrace_recording::events::{TaskCreate, TaskSchedule};

impl Interpreter<'_> {
    /// Returns true if a task is an explicit one that has not begun yet.
    #[cold]
    pub(super) fn may_begin(&mut self, t: u32, task: Id) -> bool {
        let is_current = task == self.thread(t).current;
        !task.is_none() && !task.is_implicit() && !is_current && !self.is_alive(task)
    }

    /// A task runs from here on, whose creation was not reported: it was made now at the latest.
    #[cold]
    pub(super) fn task_begins(
        &mut self,
        t: u32,
        at: u64,
        event: &TaskCreate,
        named: NameAndSource,
    ) -> Outcome {
        let (creator, task) = (Id(event.task), Id(event.new_task).started());
        if self.thread(t).depth() == 0 && creator.is_implicit() {
            self.enter(t, at, creator);
        }
        self.count_tasks(at, 1);
        let code = Code::new(event.code, event.kind);
        let base = Some(self.context_of_creator(t, creator));
        let made =
            Creation { id: task, kind: FrameKind::Task, word: "task", code, inline: false, base };
        let context = self.context_of(t, &made);
        self.contexts.created(task, context);
        self.contexts.runs(task, context);
        let (args, flow) = ([id(ArgKey::Task, task)], [task_flow(task)]);
        let details =
            Details { args: &args, flows: &flow, mark: Mark::Inferred, ..Details::default() };
        let thread = &mut self.threads[t as usize];
        let before = thread.current;
        self.out.instant(thread, at, InstantKind::TaskCreate, named, before, details);
        self.run_explicit(t, at, task, Id(event.new_task).is_fresh(), Mark::Observed);
        self.thread(t).expect_end(task, before);
        Outcome::Interpreted
    }

    /// Adapts a task_schedule to a task that began without a switch: a later switch to the task changes nothing, and at
    /// the task's end without a switch the task that ran before it continues.
    #[cold]
    pub(super) fn of_begun(&mut self, t: u32, event: &TaskSchedule) -> TaskSchedule {
        let status = TaskStatus::from(event.status);
        let (prior, next) = (Id(event.prior).started(), Id(event.next).started());
        let thread = self.thread(t);
        let to_it = status == TaskStatus::Switch && thread.current == next;
        if to_it && thread.interrupted_by(next).is_some() {
            return TaskSchedule { prior: next.0, ..*event };
        }
        let is_over = status == TaskStatus::Complete && next.is_none();
        let before = if is_over { thread.interrupted_by(prior) } else { None };
        TaskSchedule { next: before.unwrap_or(Id(event.next)).0, ..*event }
    }

    /// The context of a task that made another, which may run on any thread: that of its team where it is
    /// unknown.
    fn context_of_creator(&mut self, t: u32, creator: Id) -> ContextRef {
        if creator == self.thread(t).current {
            return self.context(t);
        }
        let team = self.thread(t).top.own.first().map_or(0, |open| open.context);
        self.contexts.of_running(creator).unwrap_or(team)
    }
}
