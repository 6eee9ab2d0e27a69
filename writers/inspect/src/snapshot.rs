//! The snapshot as data: what is open, with its names. Times are nanoseconds.

use crate::os::OsThread;
use ompttrace_recording::Id;
use ompttrace_recording::facts::ForkOf;
use serde::{Serialize, Serializer};

/// What a program is in.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Snapshot {
    /// The process.
    pub pid: u32,
    /// The program's name.
    pub program: String,
    /// The process whose copy this one is, by a fork; none: of none that had used OpenMP.
    pub fork_of: Option<ForkOf>,
    /// The OpenMP runtimes, as they call themselves.
    pub runtimes: Vec<String>,
    /// Whether the process runs; none where that cannot be known. Set by the caller.
    pub running: Option<bool>,
    /// CLOCK_MONOTONIC at which this was made, for a process that runs; otherwise when the recording stopped, with the
    /// process where its end is known.
    pub now_ns: u64,
    /// Records that were lost before: what they opened or closed is not known.
    pub lost: u64,
    /// What there is to say in words, the most important first ([`Snapshot::analyse`]).
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
    /// Our number, as in traces and reports.
    pub number: u32,
    /// The kernel's id, as the process itself sees it.
    pub os_thread: u32,
    /// Its name in traces, such as `worker 2`.
    pub name: String,
    /// What it is called in findings: `thread 2` for thread 2 of a team, `thread 0.2.1` in nested teams.
    pub label: String,
    /// When its last event happened.
    pub last_event_ns: Option<u64>,
    /// What it waits for; none where it does not wait.
    pub waits: Option<Wait>,
    /// The implicit tasks that it is in, outermost first.
    pub implicit_tasks: Vec<ImplicitTask>,
    /// The innermost construct that it is in.
    pub innermost: Option<Construct>,
    /// What the kernel says of it.
    pub os: Option<OsThread>,
}

/// An implicit or initial task of a thread.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImplicitTask {
    /// Its id.
    #[serde(serialize_with = "id")]
    pub task: Id,
    /// The region whose team it belongs to; none for an initial task.
    #[serde(serialize_with = "id")]
    pub region: Id,
    /// Whether it is the initial task of a root thread.
    pub initial: bool,
    /// Its number in the team.
    pub thread_num: u64,
    /// The size of the team; 0 where that is not known.
    pub team_size: u64,
    /// The logical thread, such as `0.2`.
    pub logical_thread: Option<String>,
    /// Its open constructs, outermost first.
    pub constructs: Vec<Construct>,
    /// The barrier that it has come to and not left.
    pub barrier: Option<Construct>,
    /// The explicit task that runs above it.
    #[serde(serialize_with = "id")]
    pub runs: Id,
}

/// A construct that is open.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Construct {
    /// Its name, such as `for dynamic heat.c:131`.
    pub name: String,
    /// Where it stands: `heat.c:131`.
    pub source: Option<String>,
    /// When it began.
    pub since_ns: u64,
}

/// What a thread or a suspended task waits for.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Wait {
    /// The other threads of its team.
    Barrier {
        /// The team's region.
        #[serde(serialize_with = "id")]
        region: Id,
        /// The barrier.
        at: Construct,
    },
    /// A mutex.
    Mutex {
        /// Its position among [`Snapshot::locks`].
        lock: usize,
        /// Where it is asked for.
        at: Construct,
    },
    /// The children of a task, or those of its children that it depends on.
    Taskwait {
        /// The task that waits.
        #[serde(serialize_with = "id")]
        task: Id,
        /// Of a taskwait with dependences: its own id, under which [`Snapshot::tasks`] has what it waits for.
        #[serde(serialize_with = "id")]
        depends: Id,
        /// The taskwait.
        at: Construct,
    },
    /// All tasks that were created in a taskgroup.
    Taskgroup {
        /// The task that waits.
        #[serde(serialize_with = "id")]
        task: Id,
        /// When the group began.
        since_ns: u64,
        /// The end of the group.
        at: Construct,
    },
    /// The team of a region that the thread has encountered: none of its threads has begun.
    TeamStart {
        /// The region.
        at: Construct,
        /// The threads that were requested; 0 where nobody said it.
        requested: u64,
    },
    /// Something else, such as a device.
    Other {
        /// What.
        at: Construct,
    },
    /// The next team.
    Idle,
}

impl Wait {
    /// The construct, unless the thread is idle.
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
    /// Its id.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its name, such as `parallel heat.c:120 (solve)`.
    pub name: String,
    /// Where it stands.
    pub source: Option<String>,
    /// How deep it is nested, from 1.
    pub level: u32,
    /// When it began.
    pub since_ns: u64,
    /// The size of its team, as far as its threads know; 0 where they do not.
    pub team_size: u64,
    /// What called it, where call stacks were recorded: `main > solve`.
    pub called_from: Option<String>,
}

/// What an explicit task does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It has not begun.
    #[default]
    Created,
    /// It runs.
    Runs,
    /// It has begun, and another task runs instead.
    Suspended,
    /// Its code is over, and the event that completes it is still to come (`detach`).
    Detached,
}

/// An explicit task.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Task {
    /// Its id.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its name, such as `task heat.c:140 (solve)`.
    pub name: String,
    /// Where it was created.
    pub source: Option<String>,
    /// What it does.
    pub state: TaskState,
    /// The task that created it.
    #[serde(serialize_with = "id")]
    pub parent: Id,
    /// The region in which it was created.
    #[serde(serialize_with = "id")]
    pub region: Id,
    /// When it was created; none where that was not recorded.
    pub created_ns: Option<u64>,
    /// Its flags, such as `explicit, untied`.
    pub flags: Option<String>,
    /// The thread on which it runs or ran last: a position in [`Snapshot::threads`].
    pub thread: Option<usize>,
    /// Tasks that have to be complete before it begins, and are not.
    #[serde(serialize_with = "ids")]
    pub waits_for: Vec<Id>,
    /// What it waits for, if it is suspended in a wait.
    pub waits: Option<Wait>,
    /// Its open constructs, outermost first.
    pub constructs: Vec<Construct>,
    /// What called its creation, where call stacks were recorded.
    pub called_from: Option<String>,
}

impl Task {
    /// Whether it stands for a taskwait with dependences.
    pub fn is_taskwait(&self) -> bool {
        self.has_flag("taskwait")
    }

    /// Whether any thread may continue with it.
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
    /// What a user calls it: `critical update`, `lock a`.
    pub name: String,
    /// The runtime's number of it.
    pub wait_id: u64,
    /// Its owner; none if unknown.
    pub holder: Option<Holder>,
    /// Positions in [`Snapshot::threads`] of those that wait for it.
    pub waiting: Vec<usize>,
}

/// The owner of a mutex.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Holder {
    /// The thread that took it: a position in [`Snapshot::threads`].
    pub thread: usize,
    /// The task that took it.
    #[serde(serialize_with = "id")]
    pub task: Id,
    /// Where.
    pub source: Option<String>,
    /// When.
    pub since_ns: u64,
}

/// Something to say about the program.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// What kind of finding.
    pub kind: FindingKind,
    /// In words.
    pub text: String,
    /// The threads in question: positions in [`Snapshot::threads`].
    pub threads: Vec<usize>,
    /// The tasks in question.
    #[serde(serialize_with = "ids")]
    pub tasks: Vec<Id>,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Threads and tasks wait for each other: none of them can continue.
    Deadlock,
    /// The same, seen during events that are hardly older than the look: it may have been resolved since.
    PossibleDeadlock,
    /// Threads wait at a barrier for others of their team.
    Barrier,
    /// Threads wait for a mutex.
    Mutex,
    /// A task waits for other tasks.
    Tasks,
    /// A thread waits for the team of a region that it has encountered.
    TeamStart,
    /// What threads do that do not wait.
    Working,
}

fn id<S: Serializer>(id: &Id, to: S) -> Result<S::Ok, S::Error> {
    if id.is_none() { to.serialize_none() } else { to.collect_str(id) }
}

fn ids<S: Serializer>(ids: &[Id], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(ids.iter().map(Id::to_string))
}
