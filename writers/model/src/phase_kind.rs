//! Kinds of phases, by the interface through which the program marks them.

use crate::kinds::SliceKind;
use ompttrace_recording::phases::kind;

/// The kind of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PhaseKind {
    /// A phase that the program marks itself.
    Phase,
    /// An iteration of one.
    Iteration,
    /// A kernel of Kokkos.
    KokkosKernel,
    /// A profiling region of Kokkos.
    KokkosRegion,
    /// A fence of Kokkos.
    KokkosFence,
    /// A deep copy of Kokkos.
    KokkosCopy,
    /// A range of NVTX.
    NvtxRange,
    /// A task of ITT.
    IttTask,
    /// A kind of another version.
    Other,
}

impl PhaseKind {
    /// The kind with a number of records.
    pub const fn of(number: u64) -> PhaseKind {
        match number {
            kind::PHASE => PhaseKind::Phase,
            kind::ITERATION => PhaseKind::Iteration,
            kind::KOKKOS_KERNEL => PhaseKind::KokkosKernel,
            kind::KOKKOS_REGION => PhaseKind::KokkosRegion,
            kind::KOKKOS_FENCE => PhaseKind::KokkosFence,
            kind::KOKKOS_COPY => PhaseKind::KokkosCopy,
            kind::NVTX_RANGE => PhaseKind::NvtxRange,
            kind::ITT_TASK => PhaseKind::IttTask,
            _ => PhaseKind::Other,
        }
    }

    /// The kind of a slice of [`crate::Event::PhaseBegin`].
    pub const fn of_slice(slice: SliceKind) -> PhaseKind {
        match slice {
            SliceKind::Phase(kind) => kind,
            _ => PhaseKind::Other,
        }
    }

    /// Its name for users.
    pub const fn name(self) -> &'static str {
        match self {
            PhaseKind::Phase => "phase",
            PhaseKind::Iteration => "iteration",
            PhaseKind::KokkosKernel => "Kokkos kernel",
            PhaseKind::KokkosRegion => "Kokkos region",
            PhaseKind::KokkosFence => "Kokkos fence",
            PhaseKind::KokkosCopy => "Kokkos deep copy",
            PhaseKind::NvtxRange => "NVTX range",
            PhaseKind::IttTask => "ITT task",
            PhaseKind::Other => "other",
        }
    }
}
