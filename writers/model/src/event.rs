//! Everything that a timeline consists of, as values: slices, instants, regions, mutexes, counters, and the
//! structure of teams and tasks.
//!
//! Per thread and per logical thread begins and ends nest and every begin gets one end. Times go forward on each
//! thread, logical thread, region track, lock and counter, and of each thread's states, by itself. Between them an event may come late: the begin
//! of a mutex wait comes when it is known to be one, a counter's value when it is known to have lasted, a closing
//! barrier's end with its team's.

use crate::annotation::{Arg, ArgKey, ArgValue};
use crate::context::ContextRef;
use crate::core::{Core, CoreSums};
use crate::definitions::{LockRef, LogicalThreadRef, NameRef, SourceRef, ThreadRef};
use crate::item::Item;
use crate::kinds::{InstantKind, SliceKind};
use crate::mpi::MpiEvent;
use crate::ompt::{Mutex, TaskStatus};
use crate::sample::Sample;
use crate::state::State;
use ompttrace_recording::Id;

/// The executor of something that happens: an OS thread and, if known, a logical thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executor {
    /// The OS thread.
    pub thread: ThreadRef,
    /// The logical thread, if the thread is in a known implicit task.
    pub logical_thread: Option<LogicalThreadRef>,
}

/// The certainty of a begin, end or instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mark {
    /// The source reported it at that time.
    #[default]
    Observed,
    /// It follows from other events.
    Inferred,
    /// The recording stops here; the thing itself went on.
    Cut,
}

/// An implicit or initial task as a thread takes it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamThread {
    /// Its id.
    pub task: Id,
    /// The region or league to which it belongs; none for a root's initial task, and where the
    /// begin was not recorded.
    pub region: Id,
    /// Its number in the team or league.
    pub thread_num: u64,
    /// The size of the team or league; 0 if the source did not say.
    pub team_size: u64,
    /// True for the initial task of a root thread.
    pub root: bool,
}

/// A mutex that a thread gets or gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockEvent {
    /// The mutex.
    pub lock: LockRef,
    /// The kind of mutex that this event names.
    pub kind: Mutex,
    /// The location in the program.
    pub source: SourceRef,
}

/// A slice as it begins.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    /// The slice's kind.
    pub kind: SliceKind,
    /// The slice's name.
    pub name: NameRef,
    /// The construct's or the call's location in the program.
    pub source: SourceRef,
    /// The task it belongs to (for [`SliceKind::Task`] the task itself, for a region its id).
    pub task: Id,
    /// Numbers and texts worth showing.
    pub args: &'a [Arg],
    /// Flows that leave or pass here.
    pub flows: &'a [u64],
    /// Flows that end here.
    pub flow_ends: &'a [u64],
    /// The certainty of the slice's begin.
    pub mark: Mark,
    /// True if an earlier segment of the same slice came before (resumed task, interrupted wait).
    pub resumed: bool,
    /// The context in which a region, an implicit or an explicit task was made, itself the innermost frame. 0 for all
    /// other slices, and where no contexts were recorded.
    pub context: ContextRef,
}

/// Something without duration.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The instant's kind.
    pub kind: InstantKind,
    /// The instant's name.
    pub name: NameRef,
    /// The instant's location in the program.
    pub source: SourceRef,
    /// The task it belongs to.
    pub task: Id,
    /// Numbers and texts worth showing.
    pub args: &'a [Arg],
    /// The entries of the list that it carries, all of one kind, in their order.
    pub items: &'a [Item],
    /// Flows that leave or pass here.
    pub flows: &'a [u64],
    /// Flows that end here.
    pub flow_ends: &'a [u64],
    /// The instant's certainty.
    pub mark: Mark,
}

/// A level of the nesting of parallel regions and a free track in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegionTrack {
    /// 1 for a region that an initial task forked.
    pub level: u32,
    /// Regions of a level that overlap in time are on different tracks, from 0.
    pub number: u32,
}

/// The quantities that are counted over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Threads in a state of OpenMP Work ([`State::is_work`]).
    ThreadsWorking,
    /// Worker threads that are in no team.
    ThreadsIdle,
    /// Explicit tasks created and not yet complete.
    LiveTasks,
    /// A counter's value for a thread, counted since the thread began: the counter at this index among the run's
    /// ([`counters`](ompttrace_recording::facts::Facts::counters)).
    OfThread(ThreadRef, u32),
}

impl Counter {
    /// Number of counters that a run has once, not for each thread.
    pub const OF_RUN: usize = 3;

    /// The number of a counter that the run has once; `None` of a thread's counter.
    #[inline]
    pub const fn of_run(self) -> Option<usize> {
        match self {
            Counter::ThreadsWorking => Some(0),
            Counter::ThreadsIdle => Some(1),
            Counter::LiveTasks => Some(2),
            Counter::OfThread(..) => None,
        }
    }
}

/// One event of a timeline. Its time comes beside it. Its kind is a byte of its own, not hidden in a value that another field cannot
/// have: then the one branch that every event takes needs three instructions less.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Event<'a> {
    /// A slice begins.
    Begin(Executor, Slice<'a>),
    /// The innermost open slice of `executor` ends; the kind is the one its begin had.
    End(Executor, SliceKind, Mark),
    /// As `End`, but the slice goes on later, on this thread or another: its task is suspended, or a task runs inside
    /// a wait. A begin with `resumed` follows when it does, unless it is suspended again within the minimum
    /// duration ([`crate::Sink::MIN_RESUME_NS`]): then only [`Event::TaskRuns`] and [`Event::State`] report it.
    /// Its end always comes.
    Suspend(Executor, SliceKind, Mark),
    /// A thread is in this state from this time on; `None`: it is not there. Each of its states comes once, and lasts to the next one.
    /// Its time may be earlier than that of the thread's other events, for the request of a mutex may turn out to have been no wait, or a
    /// test to have been one; it is never earlier than that of the state before, and where it is the same, that one is void.
    State(ThreadRef, Option<State>),
    /// Something happens.
    Instant(Executor, Instant<'a>),
    /// A parallel region begins on its track.
    RegionBegin(RegionTrack, Slice<'a>),
    /// The region on this track ends.
    RegionEnd(RegionTrack, Mark),
    /// A lock is held from now on.
    HoldBegin(LockRef, Executor, Slice<'a>),
    /// It is no longer held.
    HoldEnd(LockRef, Mark),
    /// A counter has a new value.
    Counter(Counter, i64),
    /// A thread takes up an implicit or initial task; its slice begins next. Writers that only draw slices need
    /// nothing from here on.
    TeamThreadBegin(Executor, TeamThread),
    /// The thread leaves the implicit task that it took up last, whose slice has ended.
    TeamThreadEnd(Executor),
    /// The innermost implicit task of a thread continues with this task: an explicit one, or itself (none where that has
    /// no id). Slices of the task before it have ended or are suspended.
    TaskRuns(Executor, Id),
    /// An explicit task is over, with its status (none where that is inferred); its slices have ended
    /// if it ran. May come again for a task of which records are missing.
    TaskEnd(Executor, Id, Option<TaskStatus>),
    /// A thread asks for a mutex and is not just testing it: it waits from now on. Comes at once, while the
    /// [`SliceKind::MutexWait`] comes when the mutex is had ([`Event::LockAcquired`]); where an
    /// [`InstantKind::LockTestFailed`] follows instead, it did not wait. `kind` and `wait_id` are those of the
    /// [`Lock`](crate::Lock), which may be defined later.
    LockRequested {
        /// The requester.
        executor: Executor,
        /// The kind of mutex that the request names.
        kind: Mutex,
        /// The runtime's wait id.
        wait_id: u64,
    },
    /// A thread tested a mutex and was refused it: so many times one after the other, at first at this time. Comes when it
    /// is known, before the [`SliceKind::LockTests`] or [`InstantKind::LockTestFailed`]; `kind` and `wait_id` are those
    /// of the [`Lock`](crate::Lock).
    LockRefused {
        /// The thread that tested.
        executor: Executor,
        /// The kind of mutex that the test names.
        kind: Mutex,
        /// The runtime's wait id.
        wait_id: u64,
        /// Number of tests that were refused.
        count: u64,
        /// Time of the first refused test, in CLOCK_MONOTONIC nanoseconds.
        first: u64,
    },
    /// A thread has a mutex, at its own stamp: within its [`SliceKind::MutexWait`] if that is known.
    LockAcquired(Executor, LockEvent),
    /// A thread has given a mutex back, at its own stamp, which may come after the next acquired.
    LockReleased(Executor, LockEvent),
    /// A thread gets a core, or loses the one that it had. In the order of time with its other events, and apart from
    /// its slices: they go on meanwhile.
    Core(ThreadRef, Core),
    /// The kernel's accounting of a thread was read.
    CoreSums(ThreadRef, CoreSums),
    /// A sample of a thread's activity, taken at regular intervals. In the order of time with the thread's other events.
    Sample(Executor, Sample),
    /// A message or a collective operation of MPI, in the call of MPI that is the innermost slice.
    Mpi(Executor, MpiEvent),
    /// A phase that the program marks itself, or an iteration, begins on a thread. Those of a thread nest, apart from its
    /// slices; they may end in another task than they began in.
    PhaseBegin(Executor, Slice<'a>),
    /// The innermost phase of a thread ends.
    PhaseEnd(Executor, Mark),
    /// The recording stops here: the events that follow end what is open on threads. Tasks that are suspended do not
    /// continue.
    Stop,
}

impl Event<'_> {
    /// The event without its arguments, items and flows.
    pub fn without_lists(&self) -> Event<'static> {
        match *self {
            Event::Begin(executor, ref slice) => Event::Begin(executor, slice.without_lists()),
            Event::End(executor, kind, mark) => Event::End(executor, kind, mark),
            Event::Suspend(executor, kind, mark) => Event::Suspend(executor, kind, mark),
            Event::State(thread, state) => Event::State(thread, state),
            Event::Instant(executor, ref instant) => {
                Event::Instant(executor, instant.without_lists())
            }
            Event::RegionBegin(track, ref slice) => {
                Event::RegionBegin(track, slice.without_lists())
            }
            Event::RegionEnd(track, mark) => Event::RegionEnd(track, mark),
            Event::HoldBegin(lock, executor, ref slice) => {
                Event::HoldBegin(lock, executor, slice.without_lists())
            }
            Event::HoldEnd(lock, mark) => Event::HoldEnd(lock, mark),
            Event::Counter(counter, value) => Event::Counter(counter, value),
            Event::TeamThreadBegin(executor, team_thread) => {
                Event::TeamThreadBegin(executor, team_thread)
            }
            Event::TeamThreadEnd(executor) => Event::TeamThreadEnd(executor),
            Event::TaskRuns(executor, task) => Event::TaskRuns(executor, task),
            Event::TaskEnd(executor, task, status) => Event::TaskEnd(executor, task, status),
            Event::LockRequested { executor, kind, wait_id } => {
                Event::LockRequested { executor, kind, wait_id }
            }
            Event::LockRefused { executor, kind, wait_id, count, first } => {
                Event::LockRefused { executor, kind, wait_id, count, first }
            }
            Event::LockAcquired(executor, lock) => Event::LockAcquired(executor, lock),
            Event::LockReleased(executor, lock) => Event::LockReleased(executor, lock),
            Event::Core(thread, core) => Event::Core(thread, core),
            Event::CoreSums(thread, sums) => Event::CoreSums(thread, sums),
            Event::Sample(executor, sample) => Event::Sample(executor, sample),
            Event::Mpi(executor, event) => Event::Mpi(executor, event),
            Event::PhaseBegin(executor, ref slice) => {
                Event::PhaseBegin(executor, slice.without_lists())
            }
            Event::PhaseEnd(executor, mark) => Event::PhaseEnd(executor, mark),
            Event::Stop => Event::Stop,
        }
    }
}

impl Slice<'_> {
    /// A slice of which no more than this is known.
    #[inline]
    pub fn new(kind: SliceKind, name: NameRef, source: SourceRef) -> Slice<'static> {
        Slice {
            kind,
            name,
            source,
            task: Id::NONE,
            args: &[],
            flows: &[],
            flow_ends: &[],
            mark: Mark::Observed,
            resumed: false,
            context: 0,
        }
    }

    /// A number or an address among its arguments.
    pub fn number(&self, key: ArgKey) -> Option<u64> {
        match self.args.iter().find(|arg| arg.key == key)?.value {
            ArgValue::Number(number) | ArgValue::Address(number) => Some(number),
            _ => None,
        }
    }

    fn without_lists(&self) -> Slice<'static> {
        let Slice { kind, name, source, task, mark, resumed, context, .. } = *self;
        Slice { task, mark, resumed, context, ..Slice::new(kind, name, source) }
    }
}

impl Instant<'_> {
    /// An instant of which no more than this is known.
    #[inline]
    pub fn new(kind: InstantKind, name: NameRef, source: SourceRef) -> Instant<'static> {
        Instant {
            kind,
            name,
            source,
            task: Id::NONE,
            args: &[],
            items: &[],
            flows: &[],
            flow_ends: &[],
            mark: Mark::Observed,
        }
    }

    fn without_lists(&self) -> Instant<'static> {
        let Instant { kind, name, source, task, mark, .. } = *self;
        Instant { task, mark, ..Instant::new(kind, name, source) }
    }
}
