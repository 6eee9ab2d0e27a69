//! What is open while a timeline goes by: numbers only, which get their names when it is over.

use ompttrace_model::{
    self as model, ContextRef, LockRef, LogicalThreadRef, NameRef, SliceKind, SourceRef,
};
use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

/// A slice that has begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub kind: SliceKind,
    pub name: NameRef,
    pub source: SourceRef,
    /// The task that it belongs to; of a region its own id.
    pub task: Id,
    pub begin: u64,
    /// Of a taskwait with dependences: the id under which its predecessors name it.
    pub awaits: Id,
    /// Of a wait for a mutex: its wait id.
    pub wait_id: u64,
}

/// An implicit or initial task on a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Implicit {
    pub task: Id,
    pub region: Id,
    pub number: u64,
    pub team_size: u64,
    pub root: bool,
    pub logical: Option<LogicalThreadRef>,
    /// The explicit task that runs above it.
    pub running: Id,
    /// How many slices were open when it began.
    pub base: usize,
}

/// One OS thread.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    pub stack: Vec<Open>,
    pub implicit: Vec<Implicit>,
    pub seen: Option<u64>,
    /// Its state, as the timeline reports it: the last one that was no wait for the tool. `None`: it is not there.
    pub state: Option<model::State>,
}

/// A mutex that is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    pub thread: u32,
    pub task: Id,
    pub source: SourceRef,
    pub since: u64,
}

/// A parallel region that has not ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub name: NameRef,
    pub source: SourceRef,
    pub begin: u64,
    pub level: u32,
    pub context: ContextRef,
    /// The threads that were requested; 0 where nobody said it.
    pub requested: u64,
    /// True once a thread has begun an implicit task of it.
    pub entered: bool,
}

/// An explicit task that is not complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Task {
    /// Where it was created; none where that is not known.
    pub created: Option<Created>,
    /// The thread on which it runs.
    pub on: Option<u32>,
    /// The thread on which it ran last.
    pub last: Option<u32>,
    /// Tasks that it waits for before it begins.
    pub after: Vec<Id>,
    /// Its slices while it is suspended, outermost first.
    pub suspended: Vec<Open>,
    pub name: Option<NameRef>,
    pub context: ContextRef,
}

/// A task's creation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Created {
    pub at: u64,
    pub by: Id,
    pub region: Id,
    pub source: SourceRef,
    /// Its flags in words, where it is not just an explicit task.
    pub flags: Option<NameRef>,
}

/// Everything that is open.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub threads: Vec<Thread>,
    pub regions: FxHashMap<Id, Region>,
    pub tasks: FxHashMap<Id, Task>,
    pub holds: FxHashMap<LockRef, Hold>,
    /// Slices of implicit tasks that are interrupted by tasks above them.
    pub interrupted: FxHashMap<Id, Vec<Open>>,
}
