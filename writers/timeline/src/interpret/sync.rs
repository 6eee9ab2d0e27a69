//! Barriers, taskwaits, taskgroups, the waiting in them, and reductions.

use super::{Interpreter, Outcome, Reason};
use crate::code::Code;
use crate::names::Subject;
use crate::out::Details;
use crate::state::regions::Region;
use crate::state::thread::OpenSlice;
use ompttrace_model::ompt::{self, Work};
use ompttrace_model::{Mark, SliceKind};
use ompttrace_recording::events::{Reduction, SyncRegion, SyncRegionWait};
use ompttrace_recording::words::{KIND_INFERRED, KIND_MASK};
use ompttrace_recording::{Id, Scope};

/// A worker outside every team.
const IDLE: SliceKind = SliceKind::Wait(ompt::SyncRegion::Idle);

/// Begin or end of a slice that belongs to a task.
pub(super) struct OfTask {
    pub task: u64,
    pub code: Code,
    pub mark: Mark,
    pub slice: SliceKind,
}

impl OfTask {
    /// The begin or end in a record with this task, code address and kind; `slice` is the decoded kind.
    #[inline(always)]
    pub(super) fn new(slice: SliceKind, task: u64, code: u64, kind: u64) -> OfTask {
        let inferred = kind & KIND_INFERRED != 0;
        let mark = if inferred { Mark::Inferred } else { Mark::Observed };
        OfTask { task, code: Code::new(code, kind), mark, slice }
    }
}

impl Interpreter<'_> {
    #[inline(always)]
    pub(super) fn sync_region(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &SyncRegion,
    ) -> Outcome {
        let SyncRegion { code, kind, task } = *event;
        let sync = self.kind_of_barrier(t, Code::new(code, kind), kind);
        if scope == Scope::Begin && sync.is_barrier() {
            if self.is_closed_barrier(t, task) {
                return Outcome::Absorbed;
            }
            self.end_what_was_left(t, at, task);
        }
        let of = OfTask::new(SliceKind::Sync(sync), task, code, kind);
        self.of_task(
            t,
            at,
            scope,
            &of,
            |slice| matches!(slice, SliceKind::Sync(open) if open.is_same(sync)),
        )
    }

    #[inline(always)]
    pub(super) fn sync_wait(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &SyncRegionWait,
    ) -> Outcome {
        let SyncRegionWait { code, kind, task } = *event;
        let sync = self.kind_of_barrier(t, Code::new(code, kind), kind);
        if scope == Scope::Begin && sync.is_barrier() && self.is_closed_barrier(t, task) {
            return Outcome::Absorbed;
        }
        match (sync, scope) {
            (ompt::SyncRegion::Idle, Scope::Begin) => self.idles(t, at),
            // It belongs to no task, not even to one whose own end is late.
            (ompt::SyncRegion::Idle, Scope::End) => {
                return self.end_here(t, at, |kind| kind == IDLE);
            }
            _ => {}
        }
        if scope == Scope::Begin {
            self.end_same_wait(t, at, task, sync);
        }
        let of = OfTask::new(SliceKind::Wait(sync), task, code, kind);
        self.of_task(
            t,
            at,
            scope,
            &of,
            |slice| matches!(slice, SliceKind::Wait(open) if open.is_same(sync)),
        )
    }

    /// The kind of a barrier, where what calls the runtime does not say whether the program has it: GCC's code calls
    /// one function for both, which LLVM's runtime reports as the implementation's own. The source line may say it.
    #[inline(always)]
    fn kind_of_barrier(&mut self, t: u32, code: Code, kind: u64) -> ompt::SyncRegion {
        use ompt::SyncRegion::{Barrier, BarrierImplementation};
        match ompt::SyncRegion::from(kind & KIND_MASK) {
            reported @ (Barrier | BarrierImplementation) => self.kind_in_source(t, code, reported),
            reported => reported,
        }
    }

    #[cold]
    fn kind_in_source(
        &mut self,
        t: u32,
        code: Code,
        reported: ompt::SyncRegion,
    ) -> ompt::SyncRegion {
        use ompt::SyncRegion::{Barrier, BarrierExplicit, BarrierImplementation};
        let region = self.thread(t).top.region;
        let by_gcc = |region: &mut Region| region.by_program;
        if reported == BarrierImplementation && !self.regions.get_mut(region).is_some_and(by_gcc) {
            return reported;
        }
        if self.names.is_barrier(code) { BarrierExplicit } else { Barrier }
    }

    pub(super) fn reduction(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &Reduction,
    ) -> Outcome {
        let Reduction { code, kind, task } = *event;
        let slice = SliceKind::Reduction((kind & KIND_MASK).into());
        let of = OfTask::new(slice, task, code, kind);
        self.of_task(t, at, scope, &of, |slice| matches!(slice, SliceKind::Reduction(_)))
    }

    /// A slice of a task, which becomes the running one if events were missing.
    #[inline(always)]
    pub(super) fn of_task(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        of: &OfTask,
        wanted: impl Fn(SliceKind) -> bool,
    ) -> Outcome {
        if scope == Scope::End {
            return self.end(t, at, Id(of.task), wanted);
        }
        if scope == Scope::None {
            return Outcome::Dropped(Reason::NoScope);
        }
        self.enter(t, at, Id(of.task));
        let OfTask { code: own, mark, slice, .. } = *of;
        let elsewhere = is_closing(slice) && (own.address == 0 || self.ends_elsewhere(t, own));
        let code = if elsewhere { self.code_of_team(t) } else { own };
        let named = self.names.at(&mut self.out.to.definitions, Subject::Slice(slice), code);
        let outcome = self.open(t, at, OpenSlice::new(slice, named), Details::mark(mark));
        if scope == Scope::BeginEnd && outcome == Outcome::Interpreted {
            self.close_top(t, at, mark);
        }
        outcome
    }

    /// A task waits for one thing at a time: what it waited for just before has lost its end.
    fn end_same_wait(&mut self, t: u32, at: u64, task: u64, sync: ompt::SyncRegion) {
        let thread = self.thread(t);
        let same = thread.innermost().is_some_and(|open| open.kind == SliceKind::Wait(sync));
        if same && (task == 0 || Id(task).started() == thread.current) {
            self.close_top(t, at, Mark::Inferred);
        }
    }

    /// The source says that the thread is in no team: what is open there has lost its end.
    fn idles(&mut self, t: u32, at: u64) {
        let late: Vec<_> =
            self.thread(t).task_frames().map(|(_, task_frame)| task_frame.task).collect();
        self.close_task_frames(t, at, 0, Mark::Inferred);
        self.end_idleness(t, at);
        late.into_iter().rev().for_each(|task| self.thread(t).expect_late(task));
    }

    /// The thread is in a team: it was idle up to now, unless reported otherwise.
    pub(super) fn end_idleness(&mut self, t: u32, at: u64) {
        let thread = self.thread(t);
        let idle = |open: &OpenSlice| open.kind == IDLE;
        if thread.depth() == 0 && thread.top.own.last().is_some_and(idle) {
            self.close_top(t, at, Mark::Inferred);
        }
    }

    /// The location of the region of a thread's innermost team: runtimes report it at the closing barrier of
    /// the primary thread only.
    pub(super) fn code_of_team(&mut self, t: u32) -> Code {
        let region = self.thread(t).top.region;
        let known = self.regions.get_mut(region).map(|region| region.code);
        let known = known.filter(|code| code.address != 0);
        known.unwrap_or_else(|| self.names.sites.get(region.site()))
    }

    /// Returns true if `code` is the call site of the region of a thread's innermost team, for regions whose location
    /// is another one.
    #[inline]
    fn ends_elsewhere(&mut self, t: u32, code: Code) -> bool {
        self.regions.any_elsewhere && {
            let region = self.thread(t).top.region;
            self.names.sites.get(region.site()) == code
        }
    }

    /// A closing barrier that was closed already, by a clock too coarse to report the order.
    #[inline(always)]
    fn is_closed_barrier(&mut self, t: u32, task: u64) -> bool {
        let task = Id(task).started();
        let thread = self.thread(t);
        task != thread.current && !task.is_none() && thread.is_late(task)
    }

    /// `single` as GCC compiles it has no end for the thread that executes it, nor has `masked` in
    /// the hidden helpers' team, nor a loop that was cancelled: inside one there can be no barrier and no
    /// other work.
    pub(super) fn end_what_was_left(&mut self, t: u32, at: u64, task: u64) {
        let thread = self.thread(t);
        let current = thread.current;
        if task != 0 && Id(task).started() != current {
            return;
        }
        if thread
            .innermost()
            .is_some_and(|open| open.kind == SliceKind::Wait(ompt::SyncRegion::Taskwait))
        {
            self.end_lost_taskwait(t, at);
        }
        let slices = self.thread(t).slices();
        let chunk = slices.last().is_some_and(|open| matches!(open.kind, SliceKind::Dispatch(_)));
        let Some(innermost) = slices.len().checked_sub(1 + usize::from(chunk)) else { return };
        match slices.get(innermost).map(|open| open.kind) {
            Some(SliceKind::Work(Work::SingleExecutor) | SliceKind::Masked) if !chunk => {}
            Some(SliceKind::Work(work)) if work.is_cancellable() => {
                self.thread(t).left_work = current;
            }
            _ => return,
        }
        self.close_above(t, at, innermost, Mark::Inferred);
    }
}

/// Returns true if a slice may be the barrier that ends a region, or the wait in it.
#[inline(always)]
fn is_closing(slice: SliceKind) -> bool {
    matches!(slice, SliceKind::Sync(kind) | SliceKind::Wait(kind) if kind.is_closing())
}
