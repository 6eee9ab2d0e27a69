//! Kinds of slices and of instants.

use crate::ompt::{DataOp, Dispatch, Mutex, SyncRegion, Target, Work};
use crate::on_device::OnDevice;
use crate::phase_kind::PhaseKind;
use ompttrace_recording::mpi::Group;

/// The kind of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// A parallel region or league, on the thread that encountered it.
    Region {
        /// True for a league of teams.
        league: bool,
    },
    /// An implicit task of a team.
    ImplicitTask,
    /// An initial task (of the program, of a root thread, of a league).
    InitialTask,
    /// One segment of an explicit task.
    Task,
    /// A work-sharing construct.
    Work(Work),
    /// A chunk of a loop, a section.
    Dispatch(Dispatch),
    /// A masked region.
    Masked,
    /// A synchronisation.
    Sync(SyncRegion),
    /// Waiting in a synchronisation.
    Wait(SyncRegion),
    /// Performing a reduction.
    Reduction(SyncRegion),
    /// Waiting for a mutex.
    MutexWait(Mutex),
    /// Within a critical, ordered or atomic region, or holding a lock: on lock tracks only.
    MutexHold(Mutex),
    /// Consecutive failed tests of a lock, from the first to the last.
    LockTests(Mutex),
    /// A target construct.
    Target(Target),
    /// A data operation.
    DataOp(DataOp),
    /// Submission of a kernel.
    Submit,
    /// The thread waited for the tool itself.
    ToolWait,
    /// A call of a function of MPI.
    Mpi(Group),
    /// An activity of an accelerator, on a thread that stands for one of its streams.
    Device(OnDevice),
    /// A call of CUDA on the host.
    DeviceCall {
        /// True if the call returns when the device has done something.
        waits: bool,
    },
    /// A phase that the program marks, or an iteration: on the tracks of phases only.
    Phase(PhaseKind),
}

/// The kind of an instant.
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
    /// nothing.
    LockTestFailed(Mutex),
    NestLock,
    DeviceInitialize,
    DeviceFinalize,
    DeviceLoad,
    DeviceUnload,
    TargetMap,
    ThreadBegin,
    ThreadEnd,
    /// A call of MPI has received a message.
    MpiReceived,
    /// A call of MPI has completed a request that receives nothing, one of several that it was given.
    MpiCompleted,
    /// A call of MPI has failed.
    MpiError,
    /// Records were lost here.
    Lost,
    /// A dispatch that reports no duration.
    Dispatch,
    /// A data operation of which only its occurrence is reported (old form of the event).
    DataOp,
    /// A submission of which only its occurrence is reported (old form of the event).
    Submit,
    /// A device's record in its own form; its name is the device's name of it.
    Native,
}
