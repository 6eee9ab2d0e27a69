//! One OS thread: the implicit tasks on it, the explicit task above them, and their open slices.
//!
//! The open slices of a thread are, outermost first: for each implicit task its own open slices, then those of the
//! explicit task that runs above it, then the next implicit task (of an inner region). Only the top frame ever changes,
//! so everything nests.

use super::pending::Pending;
use super::reported_state::ReportedState;
use super::requests::{Call, Given, Transfer};
use crate::code::Code;
use ompttrace_model::{
    ContextRef, Executor, LogicalThreadRef, NameRef, SliceKind, SourceRef, State, ThreadRef, ompt,
};
use ompttrace_recording::Id;
use ompttrace_recording::events::{CallContext, OngoingTask};

/// Ids of implicit tasks whose late ends are still to come; more are forgotten, oldest first.
const MAX_LATE: usize = 16;

/// An open slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenSlice {
    pub kind: SliceKind,
    /// State of a thread in it, unless work or an offload is more specific; work is `WorkParallel`.
    pub state: State,
    pub name: NameRef,
    pub source: SourceRef,
    /// True if the sink got the slice's begin and not its end; false for an interrupted wait.
    pub shown: bool,
    /// Id of the region, if the slice is one.
    pub region: Id,
    /// The location of a target construct, for the regions of its kernel.
    pub code: Code,
    /// The calling context, of a region or a task.
    pub context: ContextRef,
}

/// An implicit (or initial) task on a thread, and the explicit task above it.
#[derive(Debug, Default)]
pub(crate) struct TaskFrame {
    /// The implicit task; none for what a thread does outside any.
    pub task: Id,
    /// The region of the implicit task.
    pub region: Id,
    pub logical_thread: Option<LogicalThreadRef>,
    /// Nesting level of the region: 0 for an initial task of the program.
    pub level: u32,
    /// Number of loops that the task came to, so that the threads of its team refer to the same one.
    pub loops: u32,
    /// Number of iterations that the task waited for since it last reported one as done.
    pub sinks: u32,
    /// Thread number in the team, as the source reported it at the task's begin.
    pub thread_num: u64,
    /// True if the task is a root's initial task.
    pub root: bool,
    /// True if the task's begin was not recorded.
    pub made_up: bool,
    /// True if the record of the task's begin is still to come.
    pub awaited: bool,
    /// Distinguishes frames whose ids are equal.
    pub serial: u64,
    /// The implicit task's slices, its own first.
    pub own: Vec<OpenSlice>,
    /// The explicit task that runs above it, if any.
    pub running: Id,
    /// That task's slices, its own first.
    pub task_slices: Vec<OpenSlice>,
}

impl TaskFrame {
    /// The task that runs here.
    #[inline(always)]
    pub(crate) fn current(&self) -> Id {
        if self.running.is_none() { self.task } else { self.running }
    }
}

/// Tasks that began without a switch and are not over; more are forgotten, all of them.
const MAX_BEGUN: usize = 256;

/// A taskwait with dependences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taskwait {
    /// The task that waits.
    pub waiter: Id,
    /// The task as which OMPT reports the taskwait.
    pub task: Id,
}

/// The activity of a thread that counters depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Neither begun nor counted.
    #[default]
    Absent,
    /// A worker outside any team.
    Idle,
    /// In a task, waiting or busy with OpenMP itself.
    Waiting,
    /// Working.
    Working,
}

/// One OS thread.
#[derive(Debug)]
pub(crate) struct Thread {
    /// Number of the thread, as ids carry it.
    pub number: u64,
    /// The tracks of the thread's events: its position and the top frame's logical thread.
    pub here: Executor,
    /// The running task.
    pub current: Id,
    /// Taskwaits with dependences that are not over, outermost first: tasks whose end does not
    /// report their id.
    pub taskwaits: Vec<Taskwait>,
    /// Time of the last report about the thread, in nanoseconds.
    pub last: u64,
    /// Time of the thread's last record, in nanoseconds.
    pub seen: u64,
    /// Time since which slices of the running task continue that were not reported again yet, in nanoseconds: they may
    /// be suspended within the minimum duration.
    pub unshown: Option<u64>,
    /// A record whose meaning the thread's next record decides.
    pub pending: Pending,
    /// The innermost implicit task.
    pub top: TaskFrame,
    /// The frames below, outermost first. The first one is outside any implicit task.
    pub below: Vec<TaskFrame>,
    /// Implicit tasks that were closed by their team, whose own ends are still to come.
    pub late: Vec<Id>,
    pub activity: Activity,
    /// State of the thread, as it was reported to the sink.
    pub reported: ReportedState,
    /// True between the thread's begin and end, according to its own records.
    pub alive: bool,
    /// Type of the thread, as OMPT reports it.
    pub kind: ompt::Thread,
    /// True if this is the main thread of the process.
    pub first_of_process: bool,
    /// Initial tasks of further runtimes, which were used here for the first time in a team of another one: what they encounter
    /// is encountered by the task that runs.
    pub guests: Vec<Id>,
    /// Begins of the thread that such runtimes have reported, less ends.
    pub begun_within: u32,
    /// True if the runtime itself forks from the thread; `None` until it is determined.
    pub helper: Option<bool>,
    /// Logical thread of the thread as a root, once it has one.
    pub root_logical_thread: Option<LogicalThreadRef>,
    /// The task whose work was closed because it was cancelled or left: its own end may still come.
    pub left_work: Id,
    /// The explicit task that the thread's last task_schedule suspended.
    pub suspended: Id,
    /// Explicit tasks that began here and to which no switch was reported so far, innermost last, each with what
    /// ran before it.
    pub begun: Vec<(Id, Id)>,
    /// Calling context of the thread's next region or task, if it was recorded.
    pub next_context: Option<CallContext>,
    /// Tasks that the thread was in when recording resumed, while it still reports them.
    pub ongoing: Vec<OngoingTask>,
    /// Time for which the thread last reported these tasks, in nanoseconds.
    pub asked: Option<u64>,
    /// Data that the thread's next call of MPI transfers.
    pub next_transfer: Option<Transfer>,
    /// The thread's open call of MPI, or its last one.
    pub call: Call,
    /// Requests that are passed to the thread's open call of MPI, or to its next one.
    pub given: Vec<Given<Call>>,
    /// Activities of devices that it caused and that are not over; none where no device reports any.
    pub on_devices: Option<u32>,
    /// For a device's stream the thread that caused its open activity.
    pub caused_by: Option<ThreadRef>,
}

impl Thread {
    pub(crate) fn new(position: u32, number: u64, kind: ompt::Thread) -> Thread {
        Thread {
            number,
            here: Executor { thread: position, logical_thread: None },
            current: Id::NONE,
            taskwaits: Vec::new(),
            last: 0,
            seen: 0,
            unshown: None,
            pending: Pending::None,
            top: TaskFrame::default(),
            below: Vec::new(),
            late: Vec::new(),
            activity: Activity::Absent,
            reported: ReportedState::default(),
            alive: false,
            kind,
            first_of_process: false,
            guests: Vec::new(),
            begun_within: 0,
            helper: None,
            root_logical_thread: None,
            left_work: Id::NONE,
            suspended: Id::NONE,
            begun: Vec::new(),
            next_context: None,
            ongoing: Vec::new(),
            asked: None,
            next_transfer: None,
            call: Call::default(),
            given: Vec::new(),
            on_devices: None,
            caused_by: None,
        }
    }

    /// The innermost slice of the thread at a time: a wait for the tool is over when its time is, though that is reported late.
    #[inline(always)]
    pub(crate) fn innermost_at(&self, at: u64) -> Option<&OpenSlice> {
        let explicit = if self.top.running.is_none() { &[] } else { &self.top.task_slices[..] };
        let (explicit, own) = match self.pending {
            Pending::ToolWait(until, _) if at >= until => self.without_innermost(explicit),
            _ => (explicit, &self.top.own[..]),
        };
        explicit.last().or_else(|| own.last())
    }

    #[cold]
    fn without_innermost<'t>(
        &'t self,
        explicit: &'t [OpenSlice],
    ) -> (&'t [OpenSlice], &'t [OpenSlice]) {
        let own = &self.top.own[..];
        let without = |of: &'t [OpenSlice]| of.split_last().map_or(of, |(_, rest)| rest);
        if self.top.running.is_none() { (explicit, without(own)) } else { (without(explicit), own) }
    }

    /// The open slices of the running task.
    #[inline(always)]
    pub(crate) fn slices(&mut self) -> &mut Vec<OpenSlice> {
        if self.top.running.is_none() { &mut self.top.own } else { &mut self.top.task_slices }
    }

    /// The innermost open slice of the running task.
    #[inline(always)]
    pub(crate) fn innermost(&self) -> Option<&OpenSlice> {
        if self.top.running.is_none() { self.top.own.last() } else { self.top.task_slices.last() }
    }

    /// The first open slice of the running task that is not shown, by its position among all: all of a task are not, or an interrupted wait.
    #[inline(always)]
    pub(crate) fn first_hidden(&mut self) -> usize {
        self.slices().iter().rposition(|open| open.shown).map_or(0, |shown| shown + 1)
    }

    /// To be called when the top frame or its running task changed.
    #[inline(always)]
    pub(crate) fn refresh(&mut self) {
        self.here.logical_thread = self.top.logical_thread;
        self.current = self.top.current();
    }

    /// Puts an implicit task on top.
    pub(crate) fn push(&mut self, task_frame: TaskFrame) {
        self.below.push(std::mem::replace(&mut self.top, task_frame));
        self.refresh();
    }

    /// Takes the top implicit task off; `None` when there is none.
    pub(crate) fn pop(&mut self) -> Option<TaskFrame> {
        let next = self.below.pop()?;
        let task_frame = std::mem::replace(&mut self.top, next);
        self.refresh();
        Some(task_frame)
    }

    /// Number of implicit tasks on the thread.
    #[inline(always)]
    pub(crate) fn depth(&self) -> usize {
        self.below.len()
    }

    /// Ends the initial task of a further runtime. Returns false if `task` is none.
    pub(crate) fn guest_ends(&mut self, task: Id) -> bool {
        let guest = self.guests.iter().position(|guest| *guest == task);
        guest.map(|guest| self.guests.swap_remove(guest)).is_some()
    }

    /// Returns true if an implicit task of a region is on the thread.
    pub(crate) fn is_in_team(&self) -> bool {
        self.task_frames().any(|(_, task_frame)| !task_frame.root)
    }

    /// The implicit tasks, innermost first, each with its depth (1 for the outermost).
    pub(crate) fn task_frames(&self) -> impl Iterator<Item = (usize, &TaskFrame)> {
        let below = self.below.iter().enumerate().skip(1).rev();
        let depth = self.depth();
        let top = (depth > 0).then_some((depth, &self.top));
        top.into_iter().chain(below)
    }

    /// The implicit-task frame at a depth; depth 0 is the frame outside every implicit task.
    pub(crate) fn task_frame(&self, depth: usize) -> Option<&TaskFrame> {
        if depth == self.depth() { Some(&self.top) } else { self.below.get(depth) }
    }

    /// The depth of an implicit task.
    pub(crate) fn depth_of(&self, task: Id) -> Option<usize> {
        self.task_frames().find(|(_, task_frame)| task_frame.task == task).map(|(depth, _)| depth)
    }

    /// Returns true if a late end of `task` may still come.
    pub(crate) fn is_late(&self, task: Id) -> bool {
        if task.is_none() {
            self.depth() == 0 && !self.late.is_empty()
        } else {
            self.late.contains(&task)
        }
    }

    /// `task` was closed by others.
    pub(crate) fn expect_late(&mut self, task: Id) {
        if self.late.len() >= MAX_LATE {
            self.late.remove(0);
        }
        self.late.push(task);
    }

    /// `task` began here, where `before` ran.
    pub(crate) fn expect_end(&mut self, task: Id, before: Id) {
        if self.begun.len() >= MAX_BEGUN {
            self.begun.clear();
        }
        self.begun.push((task, before));
    }

    /// The task that continues when `task` is over, if `task` began without a switch; forgets that it did.
    pub(crate) fn interrupted_by(&mut self, task: Id) -> Option<Id> {
        let found = self.begun.iter().rposition(|(begun, _)| *begun == task)?;
        self.begun.drain(found..).next().map(|(_, before)| before)
    }

    /// The last late end of `task` came.
    pub(crate) fn late_over(&mut self, task: Id) {
        match self.late.iter().rposition(|late| *late == task) {
            Some(position) => drop(self.late.remove(position)),
            None => drop(self.late.pop()),
        }
    }
}
