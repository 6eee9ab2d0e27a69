//! The family of everything: categories by which a viewer filters.

use ompttrace_timeline::sink::{InstantKind, SliceKind};

use crate::encode::CategoryKey;

/// A family. The order is that of the keys in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Category {
    Parallel,
    Task,
    Work,
    Sync,
    Mutex,
    Target,
    Control,
    Tool,
}

/// The names of the families, in the order of [`Category`].
pub(super) const NAMES: [&str; 8] = [
    "openmp.parallel",
    "openmp.task",
    "openmp.work",
    "openmp.sync",
    "openmp.mutex",
    "openmp.target",
    "openmp.control",
    "openmp.tool",
];

impl Category {
    /// Its key in a trace.
    #[inline]
    pub(super) fn key(self) -> CategoryKey {
        CategoryKey(self as u32)
    }

    /// The family of a slice.
    #[inline]
    pub(super) fn of_slice(kind: SliceKind) -> Self {
        match kind {
            SliceKind::Region { .. } | SliceKind::ImplicitTask | SliceKind::InitialTask => {
                Category::Parallel
            }
            SliceKind::Task => Category::Task,
            SliceKind::Work(_) | SliceKind::Dispatch(_) | SliceKind::Masked => Category::Work,
            SliceKind::Sync(_) | SliceKind::Wait(_) | SliceKind::Reduction(_) => Category::Sync,
            SliceKind::MutexWait(_) | SliceKind::MutexHold(_) => Category::Mutex,
            SliceKind::Target(_) | SliceKind::DataOp(_) | SliceKind::Submit => Category::Target,
            SliceKind::ToolWait => Category::Tool,
        }
    }

    /// The family of an instant.
    #[inline]
    pub(super) fn of_instant(kind: InstantKind) -> Self {
        use InstantKind::*;
        match kind {
            ThreadBegin | ThreadEnd => Category::Parallel,
            TaskCreate | TaskStatus | TaskDependence => Category::Task,
            Dispatch => Category::Work,
            Flush => Category::Sync,
            LockInit | LockDestroy | LockTestFailed | NestLock => Category::Mutex,
            DeviceInitialize | DeviceFinalize | DeviceLoad | DeviceUnload => Category::Target,
            TargetMap | DataOp | Submit => Category::Target,
            Cancel | Control | Error => Category::Control,
            Lost => Category::Tool,
        }
    }
}
