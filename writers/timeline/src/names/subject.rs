//! Subjects of names, such as slices of a kind, and the text of each name.

use super::code_names::Spot;
use super::joined;
use ompttrace_model::SliceKind;
use ompttrace_model::ompt::{Command, Mutex, Severity, SyncRegion, TaskStatus};
use ompttrace_recording::mpi;

/// The thing that a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A slice, or an instant that stands for one.
    Slice(SliceKind),
    CreateTask,
    TaskStatus(TaskStatus),
    Flush,
    Cancel,
    ControlTool(Command),
    Control(Command),
    /// The end of the last runtime, after which nothing is reported.
    Silence,
    LockInit(Mutex),
    LockDestroy(Mutex),
    NestLock,
    TargetMap,
    Error(Severity),
    /// A call of MPI, by the function's number.
    Mpi(u64),
    /// No name: only the location is looked up.
    Location,
}

impl Subject {
    /// A number below 32 for the variant, and the enumerator that the variant carries.
    #[inline(always)]
    pub(super) fn numbers(self) -> (u64, u64) {
        match self {
            Subject::Slice(kind) => of_slice(kind),
            Subject::CreateTask => (17, 0),
            Subject::TaskStatus(status) => (18, status as u64),
            Subject::Flush => (19, 0),
            Subject::Cancel => (20, 0),
            Subject::ControlTool(command) => (21, command as u64),
            Subject::Control(command) => (22, command as u64),
            Subject::LockInit(mutex) => (23, mutex as u64),
            Subject::LockDestroy(mutex) => (24, mutex as u64),
            Subject::NestLock => (25, 0),
            Subject::TargetMap => (26, 0),
            Subject::Error(severity) => (27, severity as u64),
            Subject::Location => (28, 0),
            Subject::Silence => (29, 0),
            Subject::Mpi(function) => (30, function & 0x3ff),
        }
    }

    /// Text of the name: the word, and the location if it distinguishes constructs.
    pub(super) fn text(self, spot: Option<&Spot>) -> String {
        match self {
            Subject::Slice(kind) => slice(kind, spot),
            Subject::CreateTask => {
                joined("create task", spot.and_then(|spot| spot.label.as_deref()))
            }
            Subject::TaskStatus(status) => status.name().into(),
            Subject::Flush => "flush".into(),
            Subject::Cancel => "cancel".into(),
            Subject::ControlTool(command) => format!("omp_control_tool: {}", command.name()),
            Subject::Control(command) => format!("recording: {}", command.name()),
            Subject::Silence => "the OpenMP runtime has ended: nothing is recorded".into(),
            Subject::LockInit(mutex) => format!("init {}", mutex.name()),
            Subject::LockDestroy(mutex) => format!("destroy {}", mutex.name()),
            Subject::NestLock => "nest lock again".into(),
            Subject::TargetMap => "target map".into(),
            Subject::Error(Severity::Fatal) => "fatal error".into(),
            Subject::Error(_) => "warning".into(),
            Subject::Mpi(number) => match mpi::function(number) {
                Some(function) => function.name.into(),
                None => format!("MPI function {number}"),
            },
            Subject::Location => String::new(),
        }
    }
}

/// A number below 17 for a kind of slices, and its enumerator.
#[inline(always)]
fn of_slice(kind: SliceKind) -> (u64, u64) {
    match kind {
        SliceKind::Region { league } => (0, u64::from(league)),
        SliceKind::ImplicitTask => (1, 0),
        SliceKind::InitialTask => (2, 0),
        SliceKind::Task => (3, 0),
        SliceKind::Work(work) => (4, work as u64),
        SliceKind::Dispatch(dispatch) => (5, dispatch as u64),
        SliceKind::Masked => (6, 0),
        SliceKind::Sync(sync) => (7, sync as u64),
        SliceKind::Wait(sync) => (8, sync as u64),
        SliceKind::Reduction(sync) => (9, sync as u64),
        SliceKind::MutexWait(mutex) => (10, mutex as u64),
        SliceKind::MutexHold(mutex) => (11, mutex as u64),
        SliceKind::LockTests(mutex) => (12, mutex as u64),
        SliceKind::Target(target) => (13, target as u64),
        SliceKind::DataOp(operation) => (14, operation as u64),
        SliceKind::Submit => (15, 0),
        SliceKind::ToolWait => (16, 0),
        // They are named by their functions: Subject::Mpi.
        SliceKind::Mpi(group) => (31, group as u64),
        // They are named by what the driver says.
        SliceKind::Device(activity) => (30, activity as u64),
        // They are named by their functions.
        SliceKind::DeviceCall { waits } => (33, u64::from(waits)),
        SliceKind::Phase(kind) => (32, kind as u64),
    }
}

/// The text for a slice.
fn slice(kind: SliceKind, spot: Option<&Spot>) -> String {
    let label = spot.and_then(|spot| spot.label.as_deref());
    let location = spot.and_then(|spot| spot.location.as_deref());
    match kind {
        SliceKind::Region { league: false } => joined("parallel", label),
        SliceKind::Region { league: true } => joined("teams", label),
        SliceKind::ImplicitTask => joined("implicit task", location),
        SliceKind::InitialTask => "initial task".into(),
        SliceKind::Task => joined("task", label),
        SliceKind::Work(work) => joined(work.name(), location),
        SliceKind::Dispatch(dispatch) => dispatch.name().into(),
        SliceKind::Masked => "masked".into(),
        SliceKind::Sync(sync) => sync.name().into(),
        SliceKind::Wait(SyncRegion::Idle) => "idle".into(),
        SliceKind::Wait(SyncRegion::Unknown) => "wait".into(),
        SliceKind::Wait(sync) => format!("wait: {}", sync.name()),
        SliceKind::Reduction(_) => "reduction".into(),
        SliceKind::MutexWait(mutex) => format!("wait: {}", mutex.name()),
        SliceKind::MutexHold(mutex) => mutex.name().into(),
        SliceKind::LockTests(mutex) => format!("test failed: {}", mutex.name()),
        SliceKind::Target(target) => joined(target.name(), location),
        SliceKind::DataOp(operation) => operation.name().into(),
        SliceKind::Submit => "submit kernel".into(),
        SliceKind::ToolWait => "wait: tracing tool".into(),
        SliceKind::Mpi(_) => "MPI".into(),
        SliceKind::Device(activity) => activity.name(0).into(),
        SliceKind::DeviceCall { .. } => "CUDA".into(),
        SliceKind::Phase(kind) => kind.name().into(),
    }
}
