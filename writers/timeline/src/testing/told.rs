//! What a checker was told, in a shape that a test can ask about.

use ompttrace_model::{
    Arg, ArgKey, ArgValue, ContextRef, Core, CoreSums, Counter, Instant, InstantKind, Item, Lane,
    LockRef, Mark, PlaceRef, RegionRow, Sample, SliceKind, Summary, ThreadRef,
};
use ompttrace_recording::Id;

/// A slice from its begin to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `Slice`")]
pub struct ToldSlice {
    pub thread: ThreadRef,
    /// The path of its lane; empty without one.
    pub lane: String,
    pub kind: SliceKind,
    pub name: String,
    pub source: PlaceRef,
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
pub struct ToldInstant {
    pub thread: ThreadRef,
    pub lane: String,
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

impl ToldInstant {
    pub(super) fn of(
        instant: &Instant<'_>,
        at: u64,
        thread: ThreadRef,
        lane: String,
        name: String,
    ) -> ToldInstant {
        let Instant { kind, task, mark, .. } = *instant;
        let (args, items) = (instant.args.to_vec(), instant.items.to_vec());
        let (flows, flow_ends) = (instant.flows.to_vec(), instant.flow_ends.to_vec());
        ToldInstant { thread, lane, kind, name, at, task, args, items, flows, flow_ends, mark }
    }
}

/// A region on its row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `region_begin` and `region_end`")]
pub struct ToldRegion {
    pub row: RegionRow,
    pub name: String,
    pub begin: u64,
    pub end: u64,
    pub end_mark: Mark,
}

/// A hold of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `hold_begin` and `hold_end`")]
pub struct ToldHold {
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

/// Everything that was told, slices in the order of their ends.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "one list per kind of call")]
pub struct Timeline {
    pub slices: Vec<ToldSlice>,
    pub instants: Vec<ToldInstant>,
    pub regions: Vec<ToldRegion>,
    pub holds: Vec<ToldHold>,
    pub counters: Vec<(u64, Counter, i64)>,
    pub cores: Vec<(u64, ThreadRef, Core)>,
    pub core_sums: Vec<(u64, ThreadRef, CoreSums)>,
    /// Samples, with their times and threads.
    pub samples: Vec<(u64, ThreadRef, Sample)>,
    pub lanes: Vec<Lane>,
    pub locks: Vec<(LockRef, String)>,
    /// Calling contexts as texts, number 1 first.
    pub contexts: Vec<String>,
    pub structure: Vec<(u64, ThreadRef, String)>,
    pub summary: Summary,
}

impl Timeline {
    /// The text of a slice's calling context; empty without one.
    pub fn context(&self, slice: &ToldSlice) -> &str {
        let context = (slice.context as usize).checked_sub(1);
        context.and_then(|context| self.contexts.get(context)).map_or("", String::as_str)
    }

    /// The slices of one kind, in the order of their ends.
    pub fn of_kind(&self, kind: SliceKind) -> Vec<&ToldSlice> {
        self.slices.iter().filter(|slice| slice.kind == kind).collect()
    }

    /// The slices of one thread and kind.
    pub fn on(&self, thread: ThreadRef, kind: SliceKind) -> Vec<&ToldSlice> {
        self.slices.iter().filter(|slice| slice.thread == thread && slice.kind == kind).collect()
    }

    /// The instants of one kind.
    pub fn instants_of(&self, kind: InstantKind) -> Vec<&ToldInstant> {
        self.instants.iter().filter(|instant| instant.kind == kind).collect()
    }

    /// The paths of all lanes, in the order in which they appeared.
    pub fn paths(&self) -> Vec<&str> {
        self.lanes.iter().map(|lane| lane.path.as_str()).collect()
    }
}

impl ToldSlice {
    /// Begin and end.
    pub fn span(&self) -> (u64, u64) {
        (self.begin, self.end)
    }

    /// The value of an argument.
    pub fn arg(&self, key: ArgKey) -> Option<ArgValue> {
        self.args.iter().find(|arg| arg.key == key).map(|arg| arg.value)
    }
}
