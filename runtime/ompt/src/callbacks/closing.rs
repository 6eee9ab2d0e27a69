//! The wait at the end of a region, during which a worker's implicit task has no id in its word.
//!
//! When it begins, LLVM's runtime and Intel's copy that word to where a wait for dependences
//! (`taskwait depend`, `task if(0) depend`) of the same thread must find nothing, and abort the program
//! otherwise (`__kmp_join_barrier` in kmp_barrier.cpp, `__kmpc_omp_taskwait_deps_51` in
//! kmp_taskdeps.cpp; LLVM to 22, Intel to 2026). A task that a worker runs meanwhile may do just that.
//! So the id is kept elsewhere while the wait lasts. Switches between the implicit task and what it
//! runs tell 0 for it then, which readers take for the thread's implicit task.

use crate::data::{Code, Data, id, set_id};
use crate::register::Family;
use crate::table::Row;
use ompt_sys::{
    ompt_scope_begin, ompt_scope_end, ompt_scope_endpoint_t, ompt_sync_region_barrier_implicit,
    ompt_sync_region_barrier_implicit_parallel, ompt_sync_region_barrier_teams, ompt_sync_region_t,
};
use ompttrace_recording::Id;
use ompttrace_recording::events::SyncRegionWait;

/// The task that waits, whose word is emptied when a worker's closing wait begins, and filled again
/// when it ends.
///
/// # Safety
/// `parallel` and `task` are null or the runtime's words for this callback.
#[inline(always)]
pub(super) unsafe fn waiting(
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
) -> Id {
    // SAFETY: the caller's promise.
    let own = unsafe { id(task) };
    if endpoint == ompt_scope_begin && may_close(kind) {
        // SAFETY: as above.
        let region = unsafe { id(parallel) };
        // The primary thread's word is never copied: a team's region is made by its primary thread.
        if own.is_implicit() && own.thread() != region.thread() {
            ompttrace_recorder::keep(own);
            // SAFETY: as above.
            unsafe { set_id(task, Id::NONE) };
        }
    } else if endpoint == ompt_scope_end && own.is_none() {
        let own = ompttrace_recorder::take_kept();
        // SAFETY: as above.
        unsafe { set_id(task, own) };
        return own;
    }
    own
}

/// Whether a region may end with this barrier. LLVM to 17 calls it as it calls a loop's: then the
/// word is filled again before the thread goes on.
#[inline(always)]
fn may_close(kind: ompt_sync_region_t) -> bool {
    kind == ompt_sync_region_barrier_implicit
        || kind == ompt_sync_region_barrier_implicit_parallel
        || kind == ompt_sync_region_barrier_teams
}

/// What is registered for a callback that the user does not want recorded: the word must be emptied
/// all the same.
pub(crate) const UNRECORDED: &[Row] = &[Row::new(
    SyncRegionWait::NUMBER,
    SyncRegionWait::NAME,
    Family::Sync,
    ompttrace_unrecorded_sync_region_wait as *const (),
)];

unsafe extern "C" fn ompttrace_unrecorded_sync_region_wait(
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
    _codeptr: Code,
) {
    // SAFETY: the arguments are the runtime's.
    unsafe { waiting(kind, endpoint, parallel, task) };
}
