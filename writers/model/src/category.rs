//! The family of everything: categories by which a viewer filters, the same in every format.

use crate::kinds::{InstantKind, SliceKind};

/// A family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Category {
    /// Regions, implicit tasks, threads.
    Parallel,
    /// Explicit tasks.
    Task,
    /// Loops, sections, single, masked, chunks.
    Work,
    /// Barriers, taskwait, taskgroup, reductions, flush.
    Sync,
    /// Locks, critical, ordered, atomic.
    Mutex,
    /// Devices and offloading.
    Target,
    /// Cancellation, commands, errors.
    Control,
    /// Activities of the tracing tool itself.
    Tool,
    /// The threads that have a core, according to the kernel.
    Core,
    /// Several of any family as one, in an overview.
    Summary,
    /// A thread's activity in one word.
    State,
    /// Several activities of a thread as one, in an overview.
    StateSummary,
    /// Calls of MPI.
    Mpi,
    /// Activities of accelerators.
    Device,
    /// Slices of a trace's first look: findings, the critical path, parallel regions.
    FirstLook,
    /// Phases that the program marks itself.
    Phase,
}

/// The names of the families, in the order of [`Category`].
const NAMES: [&str; 16] = [
    "openmp.parallel",
    "openmp.task",
    "openmp.work",
    "openmp.sync",
    "openmp.mutex",
    "openmp.target",
    "openmp.control",
    "openmp.tool",
    "sched",
    "openmp.summary",
    "state",
    "state.summary",
    "mpi",
    "device",
    "first look",
    "phase",
];

impl Category {
    /// All families.
    pub const ALL: [Category; 16] = [
        Category::Parallel,
        Category::Task,
        Category::Work,
        Category::Sync,
        Category::Mutex,
        Category::Target,
        Category::Control,
        Category::Tool,
        Category::Core,
        Category::Summary,
        Category::State,
        Category::StateSummary,
        Category::Mpi,
        Category::Device,
        Category::FirstLook,
        Category::Phase,
    ];

    /// Its name in a trace.
    #[inline]
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The family of a slice.
    #[inline]
    pub fn of_slice(kind: SliceKind) -> Self {
        match kind {
            SliceKind::Region { .. } | SliceKind::ImplicitTask | SliceKind::InitialTask => {
                Category::Parallel
            }
            SliceKind::Task => Category::Task,
            SliceKind::Work(_) | SliceKind::Dispatch(_) | SliceKind::Masked => Category::Work,
            SliceKind::Sync(_) | SliceKind::Wait(_) | SliceKind::Reduction(_) => Category::Sync,
            SliceKind::MutexWait(_) | SliceKind::MutexHold(_) | SliceKind::LockTests(_) => {
                Category::Mutex
            }
            SliceKind::Target(_) | SliceKind::DataOp(_) | SliceKind::Submit => Category::Target,
            SliceKind::ToolWait => Category::Tool,
            SliceKind::Mpi(_) => Category::Mpi,
            SliceKind::Device(_) | SliceKind::DeviceCall { .. } => Category::Device,
            SliceKind::Phase(_) => Category::Phase,
        }
    }

    /// The family of an instant.
    #[inline]
    pub fn of_instant(kind: InstantKind) -> Self {
        use InstantKind::*;
        match kind {
            ThreadBegin | ThreadEnd => Category::Parallel,
            TaskCreate | TaskStatus | TaskDependence => Category::Task,
            Dispatch => Category::Work,
            Flush => Category::Sync,
            LockInit | LockDestroy | LockTestFailed(_) | NestLock => Category::Mutex,
            DeviceInitialize | DeviceFinalize | DeviceLoad | DeviceUnload => Category::Target,
            TargetMap | DataOp | Submit | Native => Category::Target,
            Cancel | Control | Error => Category::Control,
            MpiReceived | MpiCompleted | MpiError => Category::Mpi,
            Lost => Category::Tool,
        }
    }
}
