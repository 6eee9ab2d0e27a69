//! One OS thread: its open slices, the implicit tasks on it, and its present state.

use crate::blame::{Absence, Charge, Role};
use crate::chain::Chain;
use crate::construct_table::{ConstructRef, OUTSIDE};
use crate::phase::{Estimate, Progress};
use crate::polls::Refusals;
use crate::state::{State, Times};
use crate::unread::{Unread, UnreadKind};
use crate::what_if::Chunk;
use ompttrace_model::{ContextRef, Core, SliceKind, SourceRef, ThreadInfo, ThreadRef, ompt};
use ompttrace_recording::Id;
use std::num::NonZero;

/// An open slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenSlice {
    pub kind: SliceKind,
    /// The construct that the time in it counts in, while nothing is open inside of it.
    pub construct: ConstructRef,
    /// The construct that waiting in the slice is attributed to.
    pub waits: ConstructRef,
    /// Its begin, which may lie before the window of the report.
    pub begin: u64,
    /// Source location of the slice.
    pub source: SourceRef,
    /// Work of the thread up to the begin of the slice, in nanoseconds.
    pub worked: u64,
    /// Number of the work-sharing instance among those of its construct in the team; none outside of a team.
    pub ordinal: Option<u32>,
    /// End of the last chunk in the slice, in nanoseconds.
    pub chunk_over: Option<NonZero<u64>>,
    /// Number of chunks, of loops around the slice, that the thread had kept at its begin.
    pub chunks_before: u32,
    /// Position in [`Locks`](crate::locks::Locks) of the mutex that the thread waits for.
    pub asked: Option<u32>,
    /// The thread that released the mutex that was waited for, and the construct in which it had worked.
    pub released: Option<(ThreadRef, ConstructRef)>,
    /// The calling context.
    pub context: ContextRef,
}

/// A work-sharing construct that has just ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastWork {
    pub construct: ConstructRef,
    pub elapsed: u64,
    pub ended: u64,
}

/// An implicit or initial task.
#[derive(Debug, Default)]
pub(crate) struct TaskFrame {
    pub region: Id,
    pub construct: ConstructRef,
    pub root: bool,
    pub number: u64,
    pub team_size: u64,
    /// Work of the thread up to the begin of the task, in nanoseconds.
    pub worked: u64,
    /// Begin of the task, in CLOCK_MONOTONIC nanoseconds; `is_after`: true if it is after the window of the report.
    pub begin: u64,
    pub is_after: bool,
    /// The work-sharing construct that ended last, for the barrier that may follow.
    pub last_work: Option<LastWork>,
    /// The work-sharing construct before, if none but its own barrier came since, and the work in it.
    pub before: Option<(ConstructRef, u64)>,
    /// Number of the latest instance of each work-sharing construct in the task, from 0.
    pub ordinals: Vec<(ConstructRef, u32)>,
    /// The explicit task that runs above it.
    pub running: Id,
    /// The implicit task itself.
    pub task: Id,
    /// Barriers that it came to.
    pub barriers: u32,
    /// The longest sequence of work of the implicit task, while an explicit task runs; and that of the thread before
    /// the task.
    pub span: u64,
    pub outer_span: u64,
    /// The thread's progress when the team's phase began, and when it came to the barrier at its end.
    pub phase_from: Progress,
    pub phase_to: Option<Progress>,
}

/// Serial section of a root thread, between two regions.
#[derive(Clone, Debug, Default)]
pub(crate) struct SerialSection {
    /// The region before.
    pub from: ConstructRef,
    pub since: u64,
    pub times: Times,
    pub idle: f64,
    pub wait: f64,
    pub absence: Absence,
}

/// The kind of time that passes in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Passes {
    Work,
    Wait,
    /// The thread waits for the tool.
    Recording,
    #[default]
    Other,
}

impl Passes {
    /// The kind of time that passes in `state`.
    pub(crate) fn of(state: State) -> Passes {
        match state {
            State::OverheadTool => Passes::Recording,
            _ if state.is_work() => Passes::Work,
            _ if state.is_waiting() => Passes::Wait,
            _ => Passes::Other,
        }
    }
}

/// The state of a thread, and the sums in which its time counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Now {
    /// The state of the thread, as the timeline reports it; `None`: the thread does not exist.
    pub state: Option<State>,
    /// The last one that was no wait for the tool, which changes nothing for others.
    pub acts: Option<State>,
    /// Role of the thread in blame shifting.
    pub role: Role,
    /// The kind of time that passes.
    pub passes: Passes,
    pub construct: ConstructRef,
    pub context: ContextRef,
    pub core: Core,
}

impl Now {
    /// True if the thread wants a core and has none.
    pub(crate) fn lacks_core(&self) -> bool {
        matches!(self.core, Core::Preempted(_))
    }
}

/// One OS thread.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// True for a helper thread of the runtime: its idleness is charged to nobody.
    pub helper: bool,
    kind: ompt::Thread,
    pub begin: Option<u64>,
    /// Time up to which the thread's time is accounted for, in nanoseconds.
    pub since: u64,
    /// As `since`, but time before the window of the report counts as well, in nanoseconds.
    pub since_unbounded: u64,
    pub ended: bool,
    /// The wait that the end of the recording cut off, until its slice ends.
    pub cut_off: Option<State>,
    pub stack: Vec<OpenSlice>,
    pub task_frames: Vec<TaskFrame>,
    /// Position in [`Locks`](crate::locks::Locks) of the mutex that the thread has asked for.
    pub asked: Option<u32>,
    /// Locks that it was refused and has not had since.
    pub refusals: Refusals,
    pub now: Now,
    pub times: Times,
    /// The chunks of loops that are open, the innermost last.
    pub chunks: Vec<Chunk>,
    /// The sum of its work.
    pub worked: u64,
    pub serial_section: Option<SerialSection>,
    /// The region that its innermost implicit task was of before that changed last, and when that was.
    pub left: Option<(u64, ConstructRef)>,
    pub core_since: u64,
    /// Time since the last reading of the kernel's accounting, where context switches are not recorded; none where
    /// cores are not recorded at all.
    pub unread: Option<Unread>,
    /// Blame-shifting sums up to which the thread has been charged for other threads' idleness and waiting.
    pub charged: Charge,
    /// Work of the running explicit task since it was last noted.
    pub task_work: u64,
    /// Chain of activities that led to the thread's present state.
    pub chain: Chain,
    /// The longest sequence of work up to where its task is.
    pub span: u64,
    /// Clock of the thread's time with a core, with barriers replayed; and its work that any thread of its team might
    /// have done.
    pub busy: u64,
    pub shared: u64,
    /// Estimate of the thread's time on cores, where context switches are not recorded.
    pub on_core: Estimate,
}

impl Thread {
    pub(crate) fn new(info: &ThreadInfo) -> Thread {
        // The runtime's helpers are other threads to OMPT.
        Thread { helper: info.kind == ompt::Thread::Other, kind: info.kind, ..Thread::default() }
    }

    /// Progress of the thread so far.
    pub(crate) fn progress(&self) -> Progress {
        Progress { busy: self.busy, shared: self.shared, span: self.span }
    }

    /// Work since this was asked last, which any thread might have done if it is an explicit task's.
    pub(crate) fn take_task_work(&mut self) -> u64 {
        let work = std::mem::take(&mut self.task_work);
        if !self.task().is_none() {
            self.shared += work;
        }
        work
    }

    /// Clock of the thread's time with a core at `at`, which may be later than its last event.
    pub(crate) fn busy_at(&self, at: u64) -> u64 {
        match self.now.passes == Passes::Wait || self.now.lacks_core() {
            true => self.busy,
            false => self.busy + at.saturating_sub(self.since),
        }
    }

    /// The construct and the calling context that the thread's time counts in, by its open slices.
    #[inline(always)]
    pub(crate) fn innermost(&self) -> (ConstructRef, ContextRef) {
        self.stack.last().map_or((OUTSIDE, 0), |open| (open.construct, open.context))
    }

    /// The role of the thread in a state.
    pub(crate) fn role_in(&self, state: Option<State>) -> Role {
        match state.map_or(Role::None, Role::of) {
            Role::Idle if self.helper => Role::None,
            role => role,
        }
    }

    /// A slice's own calling context, else that of the open slice around it.
    pub(crate) fn context_of(&self, own: ContextRef) -> ContextRef {
        if own != 0 { own } else { self.stack.last().map_or(0, |frame| frame.context) }
    }

    /// The state that time counts in of which the timeline has none: between an end that was reported and what came
    /// after it.
    pub(crate) fn unknown(&self) -> State {
        State::outside(self.kind)
    }

    /// The kind of time that passes, for as long as it is not known when the thread has a core.
    #[inline]
    pub(crate) fn unread_kind(&self) -> UnreadKind {
        let Now { construct, context, .. } = self.now;
        let is_section = construct == OUTSIDE && self.serial_section.is_some();
        let state = self.now.state.unwrap_or_else(|| self.unknown());
        UnreadKind { construct: (!is_section).then_some(construct), context, state }
    }

    /// Returns true if the thread is in an initial task only: a region that it encounters here ends a serial section.
    pub(crate) fn is_serial(&self) -> bool {
        matches!(&self.task_frames[..], [task_frame] if task_frame.root)
    }

    /// The region it works in.
    pub(crate) fn region(&self) -> ConstructRef {
        self.task_frames.last().map_or(OUTSIDE, |task_frame| task_frame.construct)
    }

    /// The region it was in up to the last bound, its last event: what is counted is read behind bounds. A worker reports
    /// the end of its implicit task when it wakes up for the next.
    pub(crate) fn counted_in(&self) -> ConstructRef {
        let is_bound = |at| self.task_frames.is_empty() || self.since <= at;
        self.left.filter(|(at, _)| is_bound(*at)).map_or(self.region(), |(_, region)| region)
    }

    /// The running explicit task.
    pub(crate) fn task(&self) -> Id {
        self.task_frames.last().map_or(Id::NONE, |task_frame| task_frame.running)
    }

    /// The task that runs, the implicit one if no other does.
    pub(crate) fn task_or_implicit(&self) -> Id {
        let task_frame = self.task_frames.last();
        task_frame.map_or(Id::NONE, |task_frame| {
            if task_frame.running.is_none() { task_frame.task } else { task_frame.running }
        })
    }

    /// Time up to which the thread exists in a recording that stops at `stop`: a worker in a pool lasts to the end.
    pub(crate) fn lasts_to(&self, stop: u64) -> u64 {
        if self.kind == ompt::Thread::Worker && !self.ended {
            stop.max(self.since)
        } else {
            self.since
        }
    }
}
