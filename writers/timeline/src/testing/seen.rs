//! The events that were reported to a checker, in a form that tests can query.

use ompttrace_model::{
    Arg, ArgKey, ArgValue, ContextRef, Core, CoreSums, Counter, Instant, InstantKind, Item,
    LockRef, LogicalThread, Mark, MpiEvent, PhaseKind, RegionTrack, Sample, SliceKind, SourceRef,
    State, Summary, ThreadRef,
};
use ompttrace_recording::Id;
use std::collections::BTreeMap;

/// A slice from its begin to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `Slice`")]
pub struct SeenSlice {
    pub thread: ThreadRef,
    /// The path of its logical thread; empty without one.
    pub logical_thread: String,
    pub kind: SliceKind,
    pub name: String,
    pub source: SourceRef,
    pub begin: u64,
    pub end: u64,
    pub task: Id,
    pub args: Vec<Arg>,
    pub flows: Vec<u64>,
    pub flow_ends: Vec<u64>,
    pub begin_mark: Mark,
    pub end_mark: Mark,
    pub resumed: bool,
    pub context: ContextRef,
    /// Slices of the same thread that were open around it.
    pub depth: usize,
}

/// An instant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `Instant`")]
pub struct SeenInstant {
    pub thread: ThreadRef,
    pub logical_thread: String,
    pub kind: InstantKind,
    pub name: String,
    pub at: u64,
    pub task: Id,
    pub args: Vec<Arg>,
    pub items: Vec<Item>,
    pub flows: Vec<u64>,
    pub flow_ends: Vec<u64>,
    pub mark: Mark,
}

impl SeenInstant {
    pub(super) fn of(
        instant: &Instant<'_>,
        at: u64,
        thread: ThreadRef,
        logical_thread: String,
        name: String,
    ) -> SeenInstant {
        let Instant { kind, task, mark, .. } = *instant;
        let (args, items) = (instant.args.to_vec(), instant.items.to_vec());
        let (flows, flow_ends) = (instant.flows.to_vec(), instant.flow_ends.to_vec());
        SeenInstant {
            thread,
            logical_thread,
            kind,
            name,
            at,
            task,
            args,
            items,
            flows,
            flow_ends,
            mark,
        }
    }
}

/// A region on its track.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `region_begin` and `region_end`")]
pub struct SeenRegion {
    pub track: RegionTrack,
    pub name: String,
    pub begin: u64,
    pub end: u64,
    pub end_mark: Mark,
}

/// A phase of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `phase_begin` and `phase_end`")]
pub struct SeenPhase {
    pub thread: ThreadRef,
    pub name: String,
    pub kind: PhaseKind,
    /// The number of an iteration.
    pub iteration: Option<u64>,
    pub begin: u64,
    pub end: u64,
    pub begin_mark: Mark,
    pub end_mark: Mark,
    /// Phases of the same thread that were open around it.
    pub depth: usize,
}

/// A hold of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `hold_begin` and `hold_end`")]
pub struct SeenHold {
    pub lock: LockRef,
    pub thread: ThreadRef,
    pub name: String,
    pub begin: u64,
    pub end: u64,
    pub flows: Vec<u64>,
    pub flow_ends: Vec<u64>,
    pub args: Vec<Arg>,
    pub end_mark: Mark,
}

/// Everything that was reported, slices in the order of their ends.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "one list per kind of call")]
pub struct Timeline {
    pub slices: Vec<SeenSlice>,
    pub instants: Vec<SeenInstant>,
    pub regions: Vec<SeenRegion>,
    pub holds: Vec<SeenHold>,
    /// Phases in the order of their ends.
    pub phases: Vec<SeenPhase>,
    pub counters: Vec<(u64, Counter, i64)>,
    pub cores: Vec<(u64, ThreadRef, Core)>,
    /// States of threads, from these times on.
    pub states: Vec<(u64, ThreadRef, Option<State>)>,
    pub core_sums: Vec<(u64, ThreadRef, CoreSums)>,
    /// Samples, with their times and threads.
    pub samples: Vec<(u64, ThreadRef, Sample)>,
    /// Messages and collective operations of MPI.
    pub messages: Vec<(u64, ThreadRef, MpiEvent)>,
    pub logical_threads: Vec<LogicalThread>,
    pub locks: Vec<(LockRef, String)>,
    /// Calling contexts as texts, number 1 first.
    pub contexts: Vec<String>,
    pub structure: Vec<(u64, ThreadRef, String)>,
    pub summary: Summary,
}

impl Timeline {
    /// The time of each thread in each state between two times.
    pub fn time_in_states(&self, from: u64, to: u64) -> BTreeMap<(ThreadRef, State), u64> {
        let mut now: BTreeMap<ThreadRef, (u64, Option<State>)> = BTreeMap::new();
        let mut times = BTreeMap::new();
        for (at, thread, state) in &self.states {
            let (since, before) = now.insert(*thread, (*at, *state)).unwrap_or_default();
            let time = (*at).clamp(from, to) - since.clamp(from, to);
            if let Some(state) = before.filter(|_| time > 0) {
                *times.entry((*thread, state)).or_default() += time;
            }
        }
        times
    }

    /// The text of a slice's calling context; empty without one.
    pub fn context(&self, slice: &SeenSlice) -> &str {
        let context = (slice.context as usize).checked_sub(1);
        context.and_then(|context| self.contexts.get(context)).map_or("", String::as_str)
    }

    /// The slices of one kind, in the order of their ends.
    pub fn of_kind(&self, kind: SliceKind) -> Vec<&SeenSlice> {
        self.slices.iter().filter(|slice| slice.kind == kind).collect()
    }

    /// The slices of one thread and kind.
    pub fn on(&self, thread: ThreadRef, kind: SliceKind) -> Vec<&SeenSlice> {
        self.slices.iter().filter(|slice| slice.thread == thread && slice.kind == kind).collect()
    }

    /// The instants of one kind.
    pub fn instants_of(&self, kind: InstantKind) -> Vec<&SeenInstant> {
        self.instants.iter().filter(|instant| instant.kind == kind).collect()
    }

    /// The paths of all logical threads, in the order in which they appeared.
    pub fn paths(&self) -> Vec<&str> {
        self.logical_threads.iter().map(|logical_thread| logical_thread.path.as_str()).collect()
    }
}

impl SeenSlice {
    /// Begin and end.
    pub fn span(&self) -> (u64, u64) {
        (self.begin, self.end)
    }

    /// The value of an argument.
    pub fn arg(&self, key: ArgKey) -> Option<ArgValue> {
        self.args.iter().find(|arg| arg.key == key).map(|arg| arg.value)
    }
}
