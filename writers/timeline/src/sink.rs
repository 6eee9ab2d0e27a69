//! What a timeline tells: the calls that a trace writer implements.
//!
//! Order: `start`; then definitions (`name`, `source_place`, `context`, `lane`, `lock`) each before its first
//! use, mixed with events in the order of time; then `finish`. Times are CLOCK_MONOTONIC
//! nanoseconds. Per thread and per lane begins and ends nest and every begin gets one end. A writer
//! keeps its first error and returns it from `finish`: the calls on the way are infallible.
//!
//! "In the order of time" holds for each thread, lane, region row, lock and counter by itself.
//! Between them a call may come late: the begin of a mutex wait is told when it is known to be
//! one, a counter's value when it is known to have lasted, a closing barrier's end by the team.

pub use crate::args::{Arg, ArgKey, ArgValue};
pub use crate::frame::{ContextRef, Frame, FrameKind};
pub use crate::item::{Item, Variable};
pub use crate::summary::Summary;
use ompttrace_recording::Id;
use ompttrace_recording::facts::Facts;

/// A thread's position in [`RunInfo::threads`].
pub type ThreadRef = u32;
/// A lane's number, dense from 0.
pub type LaneRef = u32;
/// A lock's number, dense from 0.
pub type LockRef = u32;
/// A text's number, dense from 0 (a slice's name).
pub type NameRef = u32;
/// A source place's number, dense from 1; 0 is "none".
pub type PlaceRef = u32;

/// What is known before the first event.
#[derive(Clone, Debug)]
pub struct RunInfo<'a> {
    /// The recording's facts.
    pub facts: &'a Facts,
    /// Every thread that recorded anything.
    pub threads: &'a [ThreadInfo],
    /// When the process began, or the first record where that is not known.
    pub begin: u64,
    /// When the process ended, or its last sign of life; not before the last record.
    pub end: u64,
    /// CLOCK_REALTIME less CLOCK_MONOTONIC, nanoseconds, at the start of the run.
    pub realtime_offset: i64,
}

/// One OS thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadInfo {
    /// Our number, in the order in which threads appeared.
    pub number: u32,
    /// The kernel's id; repeats when the kernel used it again.
    pub os_thread: u32,
    /// The kernel's name of the thread, may be empty.
    pub name: String,
    /// ompt_thread_t: 1 initial, 2 worker, 3 other, 4 unknown, 0 never said; 512: of a device.
    pub kind: u64,
}

/// One logical thread: a path of thread numbers below a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its number.
    pub lane: LaneRef,
    /// The lane whose task forked it.
    pub parent: Option<LaneRef>,
    /// For example `0.1.3`; further roots are `r1`, `r1.0`; league members `0.t2`; hidden helpers `h0`.
    pub path: String,
    /// Sorts lanes as people expect: roots first, then by the numbers of the path.
    pub order: Vec<u32>,
}

/// One mutex: a lock, a critical section's, an atomic's, an ordered's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Its number.
    pub lock: LockRef,
    /// ompt_mutex_t of its first event.
    pub kind: u64,
    /// The runtime's wait id.
    pub wait_id: u64,
    /// What a user calls it: `critical update`, `lock 0x5581…`.
    pub name: String,
    /// The same as a name of slices: of holding it.
    pub held_name: NameRef,
    /// The name of slices of waiting for it.
    pub wait_name: NameRef,
}

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourcePlace {
    /// The user's function.
    pub function: Option<String>,
    /// Its file, as the compiler wrote it.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
    /// Whether the code itself has no line, and this one is the nearest of its function.
    pub is_near: bool,
    /// Module, offset in it and build id where there is no source line.
    pub module: Option<String>,
}

/// Where something happens: on an OS thread and, if known, on a logical thread's lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The OS thread.
    pub thread: ThreadRef,
    /// The lane, if the thread is in a known implicit task.
    pub lane: Option<LaneRef>,
}

/// How certain a begin, end or instant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mark {
    /// The source told it at that time.
    #[default]
    Observed,
    /// It follows from other events.
    Inferred,
    /// The recording stops here; the thing itself went on.
    Cut,
}

/// An implicit or initial task as a thread takes it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its id.
    pub task: Id,
    /// The region or league whose member it is; none for a root's initial task, and where the
    /// begin was not recorded.
    pub region: Id,
    /// Its number in the team or league.
    pub thread_num: u64,
    /// The number of members; 0 where the source did not say.
    pub team_size: u64,
    /// Whether it is the initial task of a root thread.
    pub root: bool,
}

/// A mutex that a thread gets or gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockEvent {
    /// Which.
    pub lock: LockRef,
    /// ompt_mutex_t of this event.
    pub kind: u64,
    /// Where in the program.
    pub source: PlaceRef,
}

/// What a slice is; numbers are OMPT's enumerators as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// A parallel region or league, on the thread that encountered it.
    Region {
        /// Whether it is a league of teams.
        league: bool,
    },
    /// An implicit task of a team.
    ImplicitTask,
    /// An initial task (of the program, of a root thread, of a league member).
    InitialTask,
    /// One segment of an explicit task.
    Task,
    /// A work-sharing construct (ompt_work_t).
    Work(u64),
    /// A chunk of a loop, a section (ompt_dispatch_t).
    Dispatch(u64),
    /// A masked region.
    Masked,
    /// A synchronisation (ompt_sync_region_t).
    Sync(u64),
    /// Waiting in a synchronisation (ompt_sync_region_t).
    Wait(u64),
    /// Performing a reduction.
    Reduction(u64),
    /// Waiting for a mutex (ompt_mutex_t).
    MutexWait(u64),
    /// Within a critical, ordered or atomic region, or holding a lock: on lock tracks only.
    MutexHold(u64),
    /// Tests of a lock in a row that failed (ompt_mutex_t), from the first to the last.
    LockTests(u64),
    /// A target construct (ompt_target_t).
    Target(u64),
    /// A data operation (ompt_target_data_op_t).
    DataOp(u64),
    /// Submission of a kernel.
    Submit,
    /// The thread waited for the tool itself.
    ToolWait,
}

/// A slice as it begins.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    /// What it is.
    pub kind: SliceKind,
    /// Its name.
    pub name: NameRef,
    /// Where in the program.
    pub source: PlaceRef,
    /// The task it belongs to (for [`SliceKind::Task`] the task itself, for a region its id).
    pub task: Id,
    /// Numbers and texts worth showing.
    pub args: &'a [Arg],
    /// Flows that leave or pass here.
    pub flows: &'a [u64],
    /// Flows that end here.
    pub flow_ends: &'a [u64],
    /// How certain its begin is.
    pub mark: Mark,
    /// Whether an earlier segment of the same slice came before (resumed task, interrupted wait).
    pub resumed: bool,
    /// Of a region, an implicit or an explicit task: in which context it was made, itself the
    /// innermost frame. 0 for all else, and where no contexts were recorded.
    pub context: ContextRef,
}

/// What an instant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the OMPT events")]
pub enum InstantKind {
    TaskCreate,
    /// A task that was completed, cancelled or detached outside a running segment.
    TaskStatus,
    TaskDependence,
    Flush,
    Cancel,
    Control,
    Error,
    LockInit,
    LockDestroy,
    /// A test for a lock that another thread held, or another request for a mutex that came to
    /// nothing (ompt_mutex_t).
    LockTestFailed(u64),
    NestLock,
    DeviceInitialize,
    DeviceFinalize,
    DeviceLoad,
    DeviceUnload,
    TargetMap,
    ThreadBegin,
    ThreadEnd,
    /// Records were lost here.
    Lost,
    /// A dispatch that tells no duration.
    Dispatch,
    /// A data operation of which only its occurrence is told (old form of the event).
    DataOp,
    /// A submission of which only its occurrence is told (old form of the event).
    Submit,
    /// A device's record in its own form; its name is the device's name of it.
    Native,
}

/// Something without duration.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// What it is.
    pub kind: InstantKind,
    /// Its name.
    pub name: NameRef,
    /// Where in the program.
    pub source: PlaceRef,
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
    /// How certain it is.
    pub mark: Mark,
}

/// A level of the nesting of parallel regions and a free row in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegionRow {
    /// 1 for a region that an initial task forked.
    pub level: u32,
    /// Regions of a level that overlap in time stand in different rows, from 0.
    pub row: u32,
}

/// What is counted over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Threads that work ([`works`](crate::works)): in a state of OpenMP Work, as a report has it.
    ThreadsWorking,
    /// Worker threads that are in no team.
    ThreadsIdle,
    /// Explicit tasks created and not yet complete.
    LiveTasks,
}

/// What [`Sink::moment`] is unless a writer says otherwise.
pub const MOMENT: u64 = 1_000;

/// A writer of a trace.
pub trait Sink {
    /// What `finish` returns when all went well.
    type Output;
    /// Why a trace could not be written.
    type Error;

    /// How long, in nanoseconds, a suspended task or wait has to go on for its slices to be told
    /// again; asked once, before `start`. In between two tasks that a thread runs it looks into the
    /// waiting one each time: a picture gets no better by telling that. 0 tells everything.
    fn moment(&self) -> u64 {
        MOMENT
    }
    /// The first call.
    fn start(&mut self, run: &RunInfo<'_>);
    /// Defines a text.
    fn name(&mut self, name: NameRef, text: &str);
    /// Defines a source place.
    fn source_place(&mut self, place: PlaceRef, what: &SourcePlace);
    /// Defines a lane.
    fn lane(&mut self, lane: &Lane);
    /// Defines a lock.
    fn lock(&mut self, lock: &Lock);

    /// Defines a calling context, whose caller was defined before.
    #[inline]
    fn context(&mut self, _context: ContextRef, _frame: &Frame) {}

    /// A slice begins.
    fn begin(&mut self, at: u64, place: Place, slice: &Slice<'_>);
    /// The innermost open slice of `place` ends; `kind` is the one its begin had.
    fn end(&mut self, at: u64, place: Place, kind: SliceKind, mark: Mark);
    /// As `end`, but the slice goes on later, on this thread or another: its task is suspended, or a
    /// task runs inside a wait. A begin with `resumed` follows when it does, unless it is suspended
    /// again within a [`Sink::moment`]: of that only `task_runs` tells. Its end is always told.
    #[inline]
    fn suspend(&mut self, at: u64, place: Place, kind: SliceKind, mark: Mark) {
        self.end(at, place, kind, mark);
    }
    /// Something happens.
    fn instant(&mut self, at: u64, place: Place, instant: &Instant<'_>);

    /// A parallel region begins on its row.
    fn region_begin(&mut self, at: u64, row: RegionRow, slice: &Slice<'_>);
    /// The region on this row ends.
    fn region_end(&mut self, at: u64, row: RegionRow, mark: Mark);
    /// A lock is held from now on.
    fn hold_begin(&mut self, at: u64, lock: LockRef, place: Place, slice: &Slice<'_>);
    /// The hold ends.
    fn hold_end(&mut self, at: u64, lock: LockRef, mark: Mark);
    /// A counter has a new value.
    fn counter(&mut self, at: u64, counter: Counter, value: i64);

    /// A thread takes up an implicit or initial task; its slice begins next. Writers that only draw
    /// slices need none of the calls from here on.
    #[inline]
    fn member_begin(&mut self, _at: u64, _place: Place, _member: &Member) {}
    /// The thread leaves the implicit task that it took up last, whose slice has ended.
    #[inline]
    fn member_end(&mut self, _at: u64, _place: Place) {}
    /// The innermost member of `place` goes on with `task`: an explicit one, or its own implicit
    /// task (none where that has no id). Slices of the task before it have ended or are suspended.
    #[inline]
    fn task_runs(&mut self, _at: u64, _place: Place, _task: Id) {}
    /// An explicit task is over, with ompt_task_status_t as recorded (0 where it is inferred);
    /// its slices have ended if it ran. May be told again of a task of which records are missing.
    #[inline]
    fn task_over(&mut self, _at: u64, _place: Place, _task: Id, _status: u64) {}
    /// A thread asks for a mutex and is not just testing it: it waits from now on. Told at once, while
    /// the [`SliceKind::MutexWait`] is told when the mutex is had ([`Sink::lock_acquired`]); where an
    /// [`InstantKind::LockTestFailed`] follows instead, it did not wait. `kind` and `wait_id` are
    /// those of the [`Lock`], which may be told later.
    #[inline]
    fn lock_asked(&mut self, _at: u64, _place: Place, _kind: u64, _wait_id: u64) {}
    /// A thread has a mutex, at its own stamp: within its [`SliceKind::MutexWait`] if that is known.
    #[inline]
    fn lock_acquired(&mut self, _at: u64, _place: Place, _lock: LockEvent) {}
    /// A thread has given a mutex back, at its own stamp, which may come after the next acquired.
    #[inline]
    fn lock_released(&mut self, _at: u64, _place: Place, _lock: LockEvent) {}
    /// The recording stops at `at`: the calls that follow, but for `finish`, end what is open on
    /// threads. Tasks that are suspended do not go on.
    fn stop(&mut self, _at: u64) {}

    /// The last call.
    fn finish(self, summary: &Summary) -> Result<Self::Output, Self::Error>;
}
