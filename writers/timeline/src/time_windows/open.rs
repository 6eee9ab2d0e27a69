//! Things that are open, with what is needed to begin them again in another window.

use super::time_window::TimeWindow;
use ompttrace_model::{
    Arg, ContextRef, Core, Counter, Definitions, Event, Executor, LockEvent, LockRef, Mark, Member,
    NameRef, RegionTrack, Sink, Slice, SliceKind, SourceRef, ThreadRef,
};
use ompttrace_recording::Id;

/// A slice without its arrows, which stay where it really began.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub place: Executor,
    pub kind: SliceKind,
    pub name: NameRef,
    pub source: SourceRef,
    pub task: Id,
    pub args: Vec<Arg>,
    pub resumed: bool,
    pub context: ContextRef,
}

impl Kept {
    /// With `args` as the room for its annotations.
    pub(super) fn of(place: Executor, slice: &Slice<'_>, mut args: Vec<Arg>) -> Kept {
        args.extend_from_slice(slice.args);
        let Slice { kind, name, source, task, resumed, context, .. } = *slice;
        Kept { place, kind, name, source, task, args, resumed, context }
    }

    /// As it begins where a window does.
    fn slice(&self) -> Slice<'_> {
        let Kept { kind, name, source, task, resumed, context, .. } = *self;
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

/// Something that is open.
#[derive(Clone, Debug)]
pub(super) enum Open {
    Member(Executor, Member),
    Slice(Kept),
    /// The explicit task that the innermost implicit task's thread runs.
    Runs(Executor, Id),
    /// A lock that the thread has.
    Held(Executor, LockEvent),
    Region(RegionTrack, Kept),
    Hold(LockRef, Kept),
    /// A counter's value.
    Value(Counter, i64),
    /// Whether a thread has a core.
    Core(ThreadRef, Core),
}

impl Open {
    /// Begins it in a window.
    pub(super) fn begin<S: Sink>(
        &self,
        definitions: &Definitions,
        at: u64,
        time_window: &mut TimeWindow<S>,
    ) {
        let event = match self {
            Open::Member(place, member) => Event::TeamThreadBegin(*place, *member),
            Open::Slice(kept) => Event::Begin(kept.place, kept.slice()),
            Open::Runs(place, task) => Event::TaskRuns(*place, *task),
            Open::Held(place, lock) => Event::LockAcquired(*place, *lock),
            Open::Region(row, kept) => {
                time_window.continues_region();
                Event::RegionBegin(*row, kept.slice())
            }
            Open::Hold(lock, kept) => Event::HoldBegin(*lock, kept.place, kept.slice()),
            Open::Value(counter, value) => Event::Counter(*counter, *value),
            Open::Core(thread, core) => Event::Core(*thread, *core),
        };
        time_window.emit(definitions, at, &event);
    }

    /// Ends it in a window; `below` is what was open before it.
    pub(super) fn end<S: Sink>(
        &self,
        definitions: &Definitions,
        at: u64,
        below: &[Open],
        time_window: &mut TimeWindow<S>,
    ) {
        let event = match self {
            Open::Member(place, _) => Event::TeamThreadEnd(*place),
            Open::Slice(kept) => Event::End(kept.place, kept.kind, Mark::Cut),
            Open::Runs(place, task) => {
                time_window.emit(definitions, at, &Event::TaskEnd(*place, *task, None));
                Event::TaskRuns(*place, own_task(below))
            }
            Open::Region(row, _) => Event::RegionEnd(*row, Mark::Cut),
            Open::Hold(lock, _) => Event::HoldEnd(*lock, Mark::Cut),
            Open::Held(..) | Open::Value(..) | Open::Core(..) => return,
        };
        time_window.emit(definitions, at, &event);
    }
}

/// The innermost implicit task.
fn own_task(open: &[Open]) -> Id {
    let member = |open: &Open| match open {
        Open::Member(_, member) => Some(member.task),
        _ => None,
    };
    open.iter().rev().find_map(member).unwrap_or(Id::NONE)
}
