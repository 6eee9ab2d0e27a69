//! The snapshot as data: the open constructs of a program, with names. Times are nanoseconds on CLOCK_MONOTONIC.

use crate::os::OsThread;
use ompttrace_recording::Id;
use ompttrace_recording::facts::ForkOf;
use serde::{Serialize, Serializer};

/// State of a program at one time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Snapshot {
    /// Process id of the program.
    pub pid: u32,
    /// The program's name.
    pub program: String,
    /// The process from which this one was forked, if that had used OpenMP; else `None`.
    pub fork_of: Option<ForkOf>,
    /// Versions of the OpenMP runtimes, as they report them.
    pub runtimes: Vec<String>,
    /// True while the process runs; `None` if that cannot be known. It is set by the caller.
    pub running: Option<bool>,
    /// Time of this snapshot, for a process that runs; otherwise the time at which the recording stopped: the end of
    /// the process, if that is known.
    pub now_ns: u64,
    /// Number of records that were lost before: constructs that they began or ended are unknown.
    pub lost: u64,
    /// Findings on the state, the most important first ([`Snapshot::analyse`]).
    pub findings: Vec<Finding>,
    /// Threads that have not ended, in the order in which they appeared.
    pub threads: Vec<Thread>,
    /// Parallel regions that have not ended, outermost first.
    pub regions: Vec<Region>,
    /// Explicit tasks that are not complete, in the order of their creation.
    pub tasks: Vec<Task>,
    /// Mutexes that are held or waited for.
    pub locks: Vec<Lock>,
}

/// One OS thread.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Thread {
    /// The tool's number of the thread, as in traces and reports.
    pub number: u32,
    /// The kernel's id of the thread, as the process itself sees it.
    pub os_thread: u32,
    /// Name of the thread in traces, such as `worker 2`.
    pub name: String,
    /// Name of the thread in findings: `thread 2` for thread 2 of a team, `thread 0.2.1` in nested teams.
    pub label: String,
    /// Time of the thread's last event; `None` without events.
    pub last_event_ns: Option<u64>,
    /// The wait in which the thread is; `None` if it does not wait.
    pub waits: Option<Wait>,
    /// The implicit tasks in which the thread is, outermost first.
    pub implicit_tasks: Vec<ImplicitTask>,
    /// The innermost construct in which the thread is.
    pub innermost: Option<Construct>,
    /// The operating system's view of the thread; `None` if it is unknown.
    pub os: Option<OsThread>,
}

/// An implicit or initial task of a thread.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImplicitTask {
    /// Id of the task.
    #[serde(serialize_with = "id")]
    pub task: Id,
    /// The region to whose team the task belongs; none for an initial task.
    #[serde(serialize_with = "id")]
    pub region: Id,
    /// True for the initial task of a root thread.
    pub initial: bool,
    /// Number of the thread in the team.
    pub thread_num: u64,
    /// Number of threads in the team; 0 if it is unknown.
    pub team_size: u64,
    /// The logical thread, such as `0.2`.
    pub logical_thread: Option<String>,
    /// Open constructs of the task, outermost first.
    pub constructs: Vec<Construct>,
    /// The barrier that the task has reached and not left.
    pub barrier: Option<Construct>,
    /// The explicit task that runs above it.
    #[serde(serialize_with = "id")]
    pub runs: Id,
}

/// A construct that is open.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Construct {
    /// Name of the construct, such as `for dynamic heat.c:131`.
    pub name: String,
    /// Source location of the construct: `heat.c:131`.
    pub source: Option<String>,
    /// Time at which the construct began.
    pub since_ns: u64,
}

/// Wait of a thread or of a suspended task.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Wait {
    /// A wait at a barrier for the other threads of the team.
    Barrier {
        /// The team's region.
        #[serde(serialize_with = "id")]
        region: Id,
        /// The barrier.
        at: Construct,
    },
    /// A wait for a mutex.
    Mutex {
        /// Position of the mutex in [`Snapshot::locks`].
        lock: usize,
        /// The construct that requests the mutex.
        at: Construct,
    },
    /// A wait for the children of a task, or for those of its children on which it depends.
    Taskwait {
        /// The task that waits.
        #[serde(serialize_with = "id")]
        task: Id,
        /// Id of a taskwait with dependences itself: the entry with this id in [`Snapshot::tasks`] lists the tasks for
        /// which it waits.
        #[serde(serialize_with = "id")]
        depends: Id,
        /// The taskwait.
        at: Construct,
    },
    /// A wait for all tasks that were created in a taskgroup.
    Taskgroup {
        /// The task that waits.
        #[serde(serialize_with = "id")]
        task: Id,
        /// Time at which the taskgroup began.
        since_ns: u64,
        /// The end of the group.
        at: Construct,
    },
    /// A wait for the team of a region that the thread has encountered: no thread of the team has begun.
    TeamStart {
        /// The region.
        at: Construct,
        /// Number of threads that were requested; 0 if it was not reported.
        requested: u64,
    },
    /// A wait for something else, such as a device.
    Other {
        /// The construct that waits.
        at: Construct,
    },
    /// A wait for the next team: the thread is idle.
    Idle,
}

impl Wait {
    /// The construct in which the wait is; `None` if the thread is idle.
    pub fn at(&self) -> Option<&Construct> {
        match self {
            Wait::Barrier { at, .. }
            | Wait::Mutex { at, .. }
            | Wait::Taskwait { at, .. }
            | Wait::Taskgroup { at, .. }
            | Wait::TeamStart { at, .. }
            | Wait::Other { at } => Some(at),
            Wait::Idle => None,
        }
    }
}

/// A parallel region.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Region {
    /// Id of the region.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Name of the region, such as `parallel heat.c:120 (solve)`.
    pub name: String,
    /// Source location of the region.
    pub source: Option<String>,
    /// Nesting level of the region, from 1.
    pub level: u32,
    /// Time at which the region began.
    pub since_ns: u64,
    /// Number of threads in its team, as far as its threads report it; 0 if they do not.
    pub team_size: u64,
    /// Callers of the region, if call stacks were recorded: `main > solve`.
    pub called_from: Option<String>,
}

/// State of an explicit task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// The task has not begun.
    #[default]
    Created,
    /// The task runs.
    Runs,
    /// The task has begun, and another task runs instead.
    Suspended,
    /// The code of the task has ended, and the event that completes it is still to come (`detach`).
    Detached,
}

/// An explicit task.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Task {
    /// Id of the task.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Name of the task, such as `task heat.c:140 (solve)`.
    pub name: String,
    /// Source location at which the task was created.
    pub source: Option<String>,
    /// State of the task.
    pub state: TaskState,
    /// The task that created it.
    #[serde(serialize_with = "id")]
    pub parent: Id,
    /// The region in which the task was created.
    #[serde(serialize_with = "id")]
    pub region: Id,
    /// Time at which the task was created; `None` if that was not recorded.
    pub created_ns: Option<u64>,
    /// Flags of the task, such as `explicit, untied`.
    pub flags: Option<String>,
    /// The thread on which the task runs or ran last: a position in [`Snapshot::threads`].
    pub thread: Option<usize>,
    /// Tasks that must be complete before this one begins, and are not.
    #[serde(serialize_with = "ids")]
    pub waits_for: Vec<Id>,
    /// The wait in which the task is suspended, if it is in one.
    pub waits: Option<Wait>,
    /// Open constructs of the task, outermost first.
    pub constructs: Vec<Construct>,
    /// Callers of its creation, if call stacks were recorded.
    pub called_from: Option<String>,
}

impl Task {
    /// True if the entry stands for a taskwait with dependences.
    pub fn is_taskwait(&self) -> bool {
        self.has_flag("taskwait")
    }

    /// True if any thread may continue the task.
    pub fn is_untied(&self) -> bool {
        self.has_flag("untied")
    }

    fn has_flag(&self, flag: &str) -> bool {
        let mut flags = self.flags.iter().flat_map(|flags| flags.split(", "));
        flags.any(|one| one == flag)
    }
}

/// A mutex.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Lock {
    /// Name of the mutex for users: `critical update`, `lock a`.
    pub name: String,
    /// The runtime's number of the mutex.
    pub wait_id: u64,
    /// Owner of the mutex; `None` if it is unknown.
    pub holder: Option<Holder>,
    /// Positions in [`Snapshot::threads`] of the threads that wait for the mutex.
    pub waiting: Vec<usize>,
}

/// The owner of a mutex.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Holder {
    /// The thread that acquired the mutex: a position in [`Snapshot::threads`].
    pub thread: usize,
    /// The task that acquired the mutex.
    #[serde(serialize_with = "id")]
    pub task: Id,
    /// Source location at which the mutex was acquired.
    pub source: Option<String>,
    /// Time at which the mutex was acquired.
    pub since_ns: u64,
}

/// A finding on the state of the program.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Text of the finding.
    pub text: String,
    /// The threads that the finding concerns: positions in [`Snapshot::threads`].
    pub threads: Vec<usize>,
    /// The tasks that the finding concerns.
    #[serde(serialize_with = "ids")]
    pub tasks: Vec<Id>,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A deadlock: threads and tasks wait for each other, and none of them can continue.
    Deadlock,
    /// A deadlock that may have been resolved since, because its last events are hardly older than the snapshot.
    PossibleDeadlock,
    /// A barrier at which threads wait for others of their team.
    Barrier,
    /// A mutex for which threads wait.
    Mutex,
    /// Tasks for which another task waits.
    Tasks,
    /// A region that a thread has encountered, for whose team it waits.
    TeamStart,
    /// Threads that do not wait, and what they do.
    Working,
}

fn id<S: Serializer>(id: &Id, to: S) -> Result<S::Ok, S::Error> {
    if id.is_none() { to.serialize_none() } else { to.collect_str(id) }
}

fn ids<S: Serializer>(ids: &[Id], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(ids.iter().map(Id::to_string))
}
