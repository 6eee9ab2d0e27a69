//! Things that are open, with what is needed to begin them again in another window.

use super::time_window::TimeWindow;
use ompttrace_model::{
    Arg, ContextRef, Core, Counter, Definitions, Event, Executor, LockEvent, LockRef, Mark,
    NameRef, RegionTrack, Sink, Slice, SliceKind, SourceRef, State, TeamThread, ThreadRef,
};
use ompttrace_recording::Id;

/// A slice without its arrows, which stay where it really began.
#[derive(Clone, Debug)]
pub(super) struct KeptSlice {
    pub executor: Executor,
    pub kind: SliceKind,
    pub name: NameRef,
    pub source: SourceRef,
    pub task: Id,
    pub args: Vec<Arg>,
    pub resumed: bool,
    pub context: ContextRef,
}

impl KeptSlice {
    /// A copy of a slice; `args` is an empty vector that is reused for its annotations.
    pub(super) fn of(executor: Executor, slice: &Slice<'_>, mut args: Vec<Arg>) -> KeptSlice {
        args.extend_from_slice(slice.args);
        let Slice { kind, name, source, task, resumed, context, .. } = *slice;
        KeptSlice { executor, kind, name, source, task, args, resumed, context }
    }

    /// The slice as it begins at the begin of a window.
    fn slice(&self) -> Slice<'_> {
        let KeptSlice { kind, name, source, task, resumed, context, .. } = *self;
        let args = &self.args;
        Slice {
            kind,
            name,
            source,
            task,
            args,
            flows: &[],
            flow_ends: &[],
            mark: Mark::Cut,
            resumed,
            context,
        }
    }
}

/// An item that is open, such as a slice or a hold.
#[derive(Clone, Debug)]
pub(super) enum OpenItem {
    TeamThread(Executor, TeamThread),
    Slice(KeptSlice),
    /// The explicit task that the innermost implicit task's thread runs.
    Runs(Executor, Id),
    /// A lock that the thread has.
    Held(Executor, LockEvent),
    Region(RegionTrack, KeptSlice),
    Hold(LockRef, KeptSlice),
    /// A counter's value.
    Value(Counter, i64),
    /// The state of a thread's core.
    Core(ThreadRef, Core),
    /// The state of a thread.
    State(ThreadRef, State),
    /// A phase of a thread.
    Phase(KeptSlice),
}

impl OpenItem {
    /// Begins it in a window.
    pub(super) fn begin<S: Sink>(
        &self,
        definitions: &Definitions,
        at: u64,
        time_window: &mut TimeWindow<S>,
    ) {
        let event = match self {
            OpenItem::TeamThread(executor, team_thread) => {
                Event::TeamThreadBegin(*executor, *team_thread)
            }
            OpenItem::Slice(kept) => Event::Begin(kept.executor, kept.slice()),
            OpenItem::Runs(executor, task) => Event::TaskRuns(*executor, *task),
            OpenItem::Held(executor, lock) => Event::LockAcquired(*executor, *lock),
            OpenItem::Region(track, kept) => {
                time_window.continues_region();
                Event::RegionBegin(*track, kept.slice())
            }
            OpenItem::Hold(lock, kept) => Event::HoldBegin(*lock, kept.executor, kept.slice()),
            OpenItem::Value(counter, value) => Event::Counter(*counter, *value),
            OpenItem::Core(thread, core) => Event::Core(*thread, *core),
            OpenItem::State(thread, state) => Event::State(*thread, Some(*state)),
            OpenItem::Phase(kept) => Event::PhaseBegin(kept.executor, kept.slice()),
        };
        time_window.emit(definitions, at, &event);
    }

    /// Ends it in a window; `below` is what was open before it.
    pub(super) fn end<S: Sink>(
        &self,
        definitions: &Definitions,
        at: u64,
        below: &[OpenItem],
        time_window: &mut TimeWindow<S>,
    ) {
        let event = match self {
            OpenItem::TeamThread(executor, _) => Event::TeamThreadEnd(*executor),
            OpenItem::Slice(kept) => Event::End(kept.executor, kept.kind, Mark::Cut),
            OpenItem::Runs(executor, task) => {
                time_window.emit(definitions, at, &Event::TaskEnd(*executor, *task, None));
                Event::TaskRuns(*executor, own_task(below))
            }
            OpenItem::Region(track, _) => Event::RegionEnd(*track, Mark::Cut),
            OpenItem::Hold(lock, _) => Event::HoldEnd(*lock, Mark::Cut),
            OpenItem::State(thread, _) => Event::State(*thread, None),
            OpenItem::Phase(kept) => Event::PhaseEnd(kept.executor, Mark::Cut),
            OpenItem::Held(..) | OpenItem::Value(..) | OpenItem::Core(..) => return,
        };
        time_window.emit(definitions, at, &event);
    }
}

/// The innermost implicit task.
fn own_task(open: &[OpenItem]) -> Id {
    let team_thread = |open: &OpenItem| match open {
        OpenItem::TeamThread(_, team_thread) => Some(team_thread.task),
        _ => None,
    };
    open.iter().rev().find_map(team_thread).unwrap_or(Id::NONE)
}
