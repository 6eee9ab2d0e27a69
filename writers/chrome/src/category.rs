//! The family of everything: categories by which a viewer filters, named as in our other formats.

use ompttrace_timeline::sink::{InstantKind, SliceKind};

/// A family, as the piece of a line that stands between the time and the name.
pub(crate) type Category = &'static [u8];

macro_rules! families {
    ($( $constant:ident $name:literal ),+ $(,)?) => {
        $( pub(crate) const $constant: Category =
            concat!(",\"cat\":\"", $name, "\",\"name\":").as_bytes(); )+
    };
}

families! {
    PARALLEL "openmp.parallel", TASK "openmp.task", WORK "openmp.work", SYNC "openmp.sync",
    MUTEX "openmp.mutex", TARGET "openmp.target", CONTROL "openmp.control", TOOL "openmp.tool",
}

/// The family of a slice.
#[inline]
pub(crate) fn of_slice(kind: SliceKind) -> Category {
    match kind {
        SliceKind::Region { .. } | SliceKind::ImplicitTask | SliceKind::InitialTask => PARALLEL,
        SliceKind::Task => TASK,
        SliceKind::Work(_) | SliceKind::Dispatch(_) | SliceKind::Masked => WORK,
        SliceKind::Sync(_) | SliceKind::Wait(_) | SliceKind::Reduction(_) => SYNC,
        SliceKind::MutexWait(_) | SliceKind::MutexHold(_) => MUTEX,
        SliceKind::Target(_) | SliceKind::DataOp(_) | SliceKind::Submit => TARGET,
        SliceKind::ToolWait => TOOL,
    }
}

/// The family of an instant.
#[inline]
pub(crate) fn of_instant(kind: InstantKind) -> Category {
    use InstantKind::*;
    match kind {
        ThreadBegin | ThreadEnd => PARALLEL,
        TaskCreate | TaskStatus | TaskDependence => TASK,
        Dispatch => WORK,
        Flush => SYNC,
        LockInit | LockDestroy | LockTestFailed | NestLock => MUTEX,
        DeviceInitialize | DeviceFinalize | DeviceLoad | DeviceUnload => TARGET,
        TargetMap | DataOp | Submit => TARGET,
        Cancel | Control | Error => CONTROL,
        Lost => TOOL,
    }
}
