//! State of a timeline while it is read: the open constructs, as numbers, which get their names at the end.

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
    /// The task to which the slice belongs; for a region the region's own id.
    pub task: Id,
    pub begin: u64,
    /// For a taskwait with dependences, the id by which its predecessors refer to it.
    pub awaits: Id,
    /// For a wait for a mutex, the mutex's wait id.
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
    /// The explicit task that runs on the thread and interrupts this one.
    pub running: Id,
    /// Number of slices that were open when the task began.
    pub base: usize,
}

/// One OS thread.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    pub stack: Vec<Open>,
    pub implicit: Vec<Implicit>,
    pub seen: Option<u64>,
    /// State of the thread, as the timeline reports it: the last one that was no wait for the tool. `None` if the
    /// thread does not exist at the time.
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
    /// Number of threads that were requested; 0 if it was not reported.
    pub requested: u64,
    /// True once a thread has begun an implicit task of it.
    pub entered: bool,
}

/// An explicit task that is not complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Task {
    /// Creation of the task; `None` if it was not recorded.
    pub created: Option<Created>,
    /// The thread on which it runs.
    pub on: Option<u32>,
    /// The thread on which it ran last.
    pub last: Option<u32>,
    /// Tasks that must be complete before this one begins.
    pub after: Vec<Id>,
    /// Slices of the task while it is suspended, outermost first.
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
    /// Flags of the task in words, if it has any besides explicit.
    pub flags: Option<NameRef>,
}

/// All constructs that are open.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub threads: Vec<Thread>,
    pub regions: FxHashMap<Id, Region>,
    pub tasks: FxHashMap<Id, Task>,
    pub holds: FxHashMap<LockRef, Hold>,
    /// Slices of implicit tasks that are interrupted by explicit tasks.
    pub interrupted: FxHashMap<Id, Vec<Open>>,
}
