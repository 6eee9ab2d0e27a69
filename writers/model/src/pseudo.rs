//! Pseudo-frames: what a thread does for OpenMP's sake, as a frame of a call stack.

use crate::state::State;

/// A thread's OpenMP state is a separate frame, named as in the Collector
/// API's paper (section 6); reductions, taskwait and taskgroup, which it does not have, in the same way, and time
/// without a core. `None`: the program itself is at work.
pub const fn pseudo_frame(state: State) -> Option<&'static str> {
    use State::*;
    Some(match state {
        WorkSerial | WorkParallel | Target => return None,
        WorkReduction => "<OMP-reduction>",
        WaitBarrierImplicit => "<OMP-implicit_barrier>",
        WaitBarrierExplicit => "<OMP-explicit_barrier>",
        WaitBarrier => "<OMP-barrier>",
        WaitTaskwait => "<OMP-taskwait>",
        WaitTaskgroup => "<OMP-taskgroup>",
        WaitLock => "<OMP-lock_wait>",
        WaitCritical => "<OMP-critical_section_wait>",
        WaitOrdered => "<OMP-ordered_section_wait>",
        WaitAtomic => "<OMP-atomic_section_wait>",
        WaitTarget => "<OMP-target_wait>",
        OverheadOffload => "<OMP-offload>",
        OverheadFork | OverheadSchedule | OverheadSync | OverheadStart | OverheadTool => OVERHEAD,
        MpiPointToPoint => "<MPI-point_to_point>",
        MpiCollective => "<MPI-collective>",
        MpiWait => "<MPI-wait>",
        MpiOneSided => "<MPI-one_sided>",
        MpiIo => "<MPI-io>",
        MpiOther => "<MPI-other>",
        Idle => "<OMP-idle>",
        OffCorePreempted => "<no core>",
        OffCoreBlocked => "<asleep in the kernel>",
    })
}

/// Pseudo-frame of a sampled thread, as [`pseudo_frame`] names it. A thread at work that was found in the runtime's own code
/// (`in_runtime`) is in the frame of overhead. Target constructs of which no device reports anything are work.
pub const fn sampled_frame(state: State, in_runtime: bool) -> Option<&'static str> {
    match state {
        State::WorkSerial | State::WorkParallel if in_runtime => Some(OVERHEAD),
        state => pseudo_frame(state),
    }
}

const OVERHEAD: &str = "<OMP-overhead>";
