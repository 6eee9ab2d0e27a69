//! Explicit tasks: creation, segments, completion.

use super::calls::Creation;
use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::hash::task_flow;
use crate::names::{NameAndSource, Subject};
use crate::out::{Details, id};
use crate::state::pending::{Gather, Pending};
use crate::state::thread::{OpenSlice, TaskFrame, Thread};
use ompttrace_model::ompt::TaskStatus;
use ompttrace_model::{Arg, ArgKey, ArgValue, FrameKind, InstantKind, Mark, SliceKind};
use ompttrace_recording::Id;
use ompttrace_recording::events::{TaskCreate, TaskDependence, TaskSchedule};
use ompttrace_recording::kinds::TASK_BEGINS;
use ompttrace_recording::words::KIND_MASK;

/// ompt_task_taskwait.
const TASKWAIT: u64 = 0x10;
/// ompt_task_undeferred.
const UNDEFERRED: u64 = 0x0800_0000;
/// ompt_task_explicit.
const EXPLICIT: u64 = 4;
/// Initial and implicit tasks, which are reported by events of their own.
const NOT_EXPLICIT: u64 = 3;

impl Interpreter<'_> {
    #[inline(always)]
    pub(super) fn task_create(&mut self, t: u32, at: u64, event: &TaskCreate) -> Outcome {
        let code = Code::new(event.code, event.kind);
        let named = self.names.at(&mut self.out.to.definitions, Subject::CreateTask, code);
        let task = Id(event.new_task).started();
        if event.flags & (TASK_BEGINS | NOT_EXPLICIT) == TASK_BEGINS && self.may_begin(t, task) {
            return self.task_begins(t, at, event, named);
        }
        if event.flags & TASKWAIT != 0 {
            self.taskwait_begins(t, at, event, task);
        } else if event.flags & NOT_EXPLICIT == 0 {
            self.count_tasks(at, 1);
            self.task_in_context(t, task, code, event.flags);
        }
        let flow = task_flow(task);
        let mut args = [id(ArgKey::Task, task); 2];
        let mut count = 1;
        if event.flags != EXPLICIT {
            args[1] = self.flag_words(event.flags, ArgKey::Flags);
            count = 2;
        }
        let args = args.get(..count).unwrap_or_default();
        if event.kind & KIND_MASK == 1 {
            self.wait_for_dependences(t, at, named, task, args, flow);
        } else {
            let thread = &mut self.threads[t as usize];
            let details = Details { args, flows: &[flow], ..Details::default() };
            self.out.instant(thread, at, InstantKind::TaskCreate, named, thread.current, details);
        }
        Outcome::Interpreted
    }

    /// A new task's calling context, until it runs.
    #[inline]
    fn task_in_context(&mut self, t: u32, task: Id, code: Code, flags: u64) {
        let inline = flags & UNDEFERRED != 0;
        let base = None;
        let made = Creation { id: task, kind: FrameKind::Task, word: "task", code, inline, base };
        let context = self.context_of(t, &made);
        self.contexts.created(task, context);
    }

    /// The dependences follow in records of their own and belong on the same instant.
    fn wait_for_dependences(
        &mut self,
        t: u32,
        at: u64,
        named: NameAndSource,
        task: Id,
        args: &[Arg],
        flow: u64,
    ) {
        let thread = self.thread(t);
        let gather = Gather::new(at, InstantKind::TaskCreate, named, thread.current);
        let (args, flows) = (args.to_vec(), vec![flow]);
        thread.pending = Pending::Gather(Box::new(Gather { owner: task, args, flows, ..gather }));
    }

    #[inline(always)]
    pub(super) fn task_schedule(&mut self, t: u32, at: u64, event: &TaskSchedule) -> Outcome {
        let mut event = *event;
        if !self.thread(t).begun.is_empty() {
            event = self.of_begun(t, &event);
        }
        let (prior, next) = (Id(event.prior), Id(event.next));
        let status = TaskStatus::from(event.status);
        let ran = self.thread(t).top.running;
        match status {
            TaskStatus::Complete | TaskStatus::Cancel | TaskStatus::Detach => {
                self.task_left(t, at, prior, status);
            }
            TaskStatus::EarlyFulfill | TaskStatus::LateFulfill => {
                self.task_status(t, at, prior, status);
            }
            TaskStatus::TaskwaitComplete => {
                let prior = self.taskwait_over(t, at, prior);
                self.task_status(t, at, prior, status);
            }
            _ if prior.is_implicit() => self.enter(t, at, prior),
            _ => {}
        }
        let suspends = status == TaskStatus::Switch;
        let thread = self.thread(t);
        thread.suspended = if suspends { prior.started() } else { Id::NONE };
        let left = !ran.is_none() && thread.top.running.is_none();
        if left && (next.is_none() || next.started().is_implicit()) {
            self.implicit_runs(t, at);
        }
        if !next.is_none() {
            self.run_next(t, at, next);
        } else if matches!(status, TaskStatus::Yield | TaskStatus::Switch) {
            // A worker's implicit task, which has no id while it waits at its region's end.
            self.implicit_goes_on(t, at);
        } else if self.thread(t).top.running.is_none() {
            self.continue_wait(t, at);
        }
        Outcome::Interpreted
    }

    /// `task` does not run any more on any thread.
    #[inline(always)]
    fn task_left(&mut self, t: u32, at: u64, task: Id, status: TaskStatus) {
        let started = task.started();
        if status != TaskStatus::Detach && !task.is_implicit() && !task.is_none() {
            self.count_tasks(at, -1);
        }
        self.contexts.over(started);
        if status == TaskStatus::Detach {
            self.tasks.detach(started);
        } else {
            self.tasks.over(started);
        }
        let Interpreter { threads, out, .. } = self;
        let thread = &mut threads[t as usize];
        if thread.top.running == started && !started.is_none() {
            if !thread.close_alone(at, out) {
                self.close_above(t, at, 1, Mark::Inferred);
                self.close_explicit(t, at, Mark::Observed);
            }
            self.report_over(t, at, started, status);
            if status == TaskStatus::Cancel {
                self.report_status(t, at, started, status);
            }
        } else if !task.is_implicit() {
            // LLVM's runtimes of 2014 switch away from a task first and say then that it is complete: its
            // last segment's end shows that.
            let is_shown = status == TaskStatus::Complete && self.thread(t).suspended == started;
            self.forget(task);
            self.report_over(t, at, started, status);
            if !is_shown || started.is_none() {
                self.report_status(t, at, started, status);
            }
        }
    }

    /// The task is over, unless it is only detached.
    #[inline(always)]
    fn report_over(&mut self, t: u32, at: u64, task: Id, status: TaskStatus) {
        if status != TaskStatus::Detach {
            self.out.task_over(&mut self.threads[t as usize], at, task, Some(status));
        }
    }

    /// A status that is reported of a task that does not run here.
    fn task_status(&mut self, t: u32, at: u64, task: Id, status: TaskStatus) {
        let started = task.started();
        self.flows.clear();
        self.flow_ends.clear();
        match status {
            TaskStatus::LateFulfill => {
                self.count_tasks(at, -1);
                self.tasks.fulfilled(started, &mut self.flows);
            }
            TaskStatus::TaskwaitComplete => self.tasks.waited_for(started, &mut self.flow_ends),
            _ => {}
        }
        if status != TaskStatus::EarlyFulfill {
            self.forget(task);
            self.report_over(t, at, started, status);
        }
        self.report_status_and_flows(t, at, started, status);
    }

    /// Frees what is kept of a task that is over.
    fn forget(&mut self, task: Id) {
        if let Some(slices) = self.tasks.resume(task.started()) {
            let regions = slices.iter().map(|open| open.region).filter(|region| !region.is_none());
            regions.for_each(|region| self.finish_region(region, self.now, Mark::Inferred));
            self.tasks.recycle(slices);
        }
        self.tasks.never_ran(task.started());
        self.contexts.take(task.started());
    }

    fn report_status(&mut self, t: u32, at: u64, task: Id, status: TaskStatus) {
        self.flows.clear();
        self.flow_ends.clear();
        self.report_status_and_flows(t, at, task, status);
    }

    fn report_status_and_flows(&mut self, t: u32, at: u64, task: Id, status: TaskStatus) {
        let code = Code::default();
        let subject = Subject::TaskStatus(status);
        let named = self.names.at(&mut self.out.to.definitions, subject, code);
        let args = [id(ArgKey::Task, task)];
        let (flows, flow_ends) = (&self.flows[..], &self.flow_ends[..]);
        let details = Details { args: &args, flows, flow_ends, ..Details::default() };
        let thread = &mut self.threads[t as usize];
        self.out.instant(thread, at, InstantKind::TaskStatus, named, task, details);
    }

    /// The thread continues with `next`.
    #[inline(always)]
    fn run_next(&mut self, t: u32, at: u64, next: Id) {
        let task = next.started();
        let thread = &self.threads[t as usize];
        if task == thread.current {
            // The implicit task's own wait was interrupted by the task that has just been left.
            self.continue_wait_of_implicit(t, at);
        } else if task == thread.top.task {
            self.implicit_goes_on(t, at);
        } else if task.is_implicit() {
            self.enter(t, at, task);
        } else {
            self.run_explicit(t, at, task, next.is_fresh(), Mark::Observed);
        }
    }

    /// The implicit task of the top frame continues, and what ran above it is suspended.
    fn implicit_goes_on(&mut self, t: u32, at: u64) {
        self.suspend_running(t, at, Mark::Observed);
        self.implicit_runs(t, at);
        self.continue_wait(t, at);
    }

    fn continue_wait_of_implicit(&mut self, t: u32, at: u64) {
        if self.thread(t).top.running.is_none() {
            self.continue_wait(t, at);
        }
    }

    /// The first segment that is seen of a task.
    #[inline(always)]
    pub(super) fn begin_task(&mut self, t: u32, at: u64, task: Id, fresh: bool, mark: Mark) {
        let named = self.names.task(&mut self.out.to.definitions, task.site());
        self.flows.clear();
        self.flow_ends.clear();
        self.flows.push(task_flow(task));
        if fresh {
            self.tasks.first_run(task, &mut self.flows, &mut self.flow_ends);
        } else {
            self.tasks.overtake(t, task);
        }
        let args = [id(ArgKey::Task, task)];
        let details = Details {
            args: &args,
            flows: &self.flows,
            flow_ends: &self.flow_ends,
            mark,
            resumed: !fresh,
            ..Details::default()
        };
        let context = self.contexts.take(task);
        let open = OpenSlice { context, ..OpenSlice::new(SliceKind::Task, named) };
        let thread = &mut self.threads[t as usize];
        self.out.begin(thread, at, &open, task, details);
        if thread.top.task_slices.capacity() == 0 {
            thread.top.task_slices = self.tasks.empty();
        }
        thread.top.task_slices.push(open);
    }

    pub(super) fn task_dependence(&mut self, t: u32, at: u64, event: &TaskDependence) -> Outcome {
        let (source, sink) = (Id(event.src), self.or_taskwait(t, Id(event.sink)));
        // One that runs already has no begin that could carry the flow, but may be detached.
        if source.is_fresh() || self.is_alive(source) {
            self.tasks.depend(source.started(), sink.started());
        }
        let named = self.plain("task dependence");
        let args = [id(ArgKey::Source, source.started()), id(ArgKey::Task, sink.started())];
        let thread = &mut self.threads[t as usize];
        let details = Details::args(&args);
        self.out.instant(thread, at, InstantKind::TaskDependence, named, sink.started(), details);
        Outcome::Interpreted
    }

    /// Returns true if a task has begun and is not over.
    #[cold]
    pub(super) fn is_alive(&self, task: Id) -> bool {
        let runs = |task_frame: &TaskFrame| task_frame.running == task;
        let on = |thread: &Thread| runs(&thread.top) || thread.below.iter().any(runs);
        self.tasks.is_suspended(task) || self.tasks.is_detached(task) || self.threads.iter().any(on)
    }

    #[inline(always)]
    pub(super) fn count_tasks(&mut self, at: u64, by: i64) {
        if !self.out.takes.activity {
            return;
        }
        let out = &mut self.out;
        out.counters.tasks(&mut out.to, at, by);
    }

    /// A task's flags as words.
    fn flag_words(&mut self, flags: u64, key: ArgKey) -> Arg {
        Arg { key, value: ArgValue::Text(self.flag_name(flags, 0)) }
    }
}
