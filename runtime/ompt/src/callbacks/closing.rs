//! Waiting, and the wait at the end of a region, during which a worker's implicit task has no id in its
//! word (OpenMP 5.2, 19.5.2.14).
//!
//! When it begins, LLVM's runtime and Intel's copy that word to where a wait for dependences
//! (`taskwait depend`, `task if(0) depend`) of the same thread must find nothing, and abort the program
//! otherwise (`__kmp_join_barrier` in kmp_barrier.cpp, `__kmpc_omp_taskwait_deps_51` in
//! kmp_taskdeps.cpp; LLVM to 22, Intel to 2026). A task that a worker runs meanwhile may do just that.
//! So the id is kept elsewhere while the wait lasts. Switches between the implicit task and what it
//! runs have 0 for it then, which readers take for the thread's implicit task.

use crate::data::{Code, Data, at, id, set_id};
use crate::ongoing;
use crate::table::{CallbackEntry, code};
use ompt_sys::{
    ompt_scope_begin, ompt_scope_endpoint_t, ompt_sync_region_barrier_implicit,
    ompt_sync_region_barrier_implicit_parallel, ompt_sync_region_barrier_teams, ompt_sync_region_t,
};
use ompttrace_recorder::Room;
use ompttrace_recording::Id;
use ompttrace_recording::events::SyncRegionWait;

/// Row of sync_region_wait, which has a callback of its own: waits that may close a region need more work.
pub(crate) const TABLE: &[CallbackEntry] =
    &[CallbackEntry::new(SyncRegionWait::NUMBER, ompttrace_cb_sync_region_wait as *const ())];

/// Callback of that event if the user does not want it recorded: the word must be emptied all the same.
pub(crate) const UNRECORDED: &[CallbackEntry] = &[CallbackEntry::new(
    SyncRegionWait::NUMBER,
    ompttrace_unrecorded_sync_region_wait as *const (),
)];

unsafe extern "C-unwind" fn ompttrace_cb_sync_region_wait(
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
    codeptr: Code,
) {
    if may_close(kind) {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        return unsafe { closing(kind, endpoint, parallel, task, codeptr) };
    }
    match ompttrace_recorder::room() {
        // SAFETY: the runtime's word for this callback.
        Some(room) => put(Some(room), kind, endpoint, unsafe { id(task) }, codeptr),
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        None => unsafe { cold(kind, endpoint, parallel, task, codeptr) },
    }
}

#[inline(never)]
unsafe extern "C-unwind" fn closing(
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
    codeptr: Code,
) {
    match ompttrace_recorder::room() {
        // SAFETY: the runtime's words for this callback.
        Some(room) => unsafe {
            put(Some(room), kind, endpoint, waiting(kind, endpoint, parallel, task), codeptr);
        },
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        None => unsafe { cold(kind, endpoint, parallel, task, codeptr) },
    }
}

#[cold]
#[inline(never)]
unsafe extern "C-unwind" fn cold(
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
    codeptr: Code,
) {
    ompttrace_recorder::slow(code::<{ SyncRegionWait::NUMBER }>(endpoint), |room| {
        // SAFETY: the runtime's words for this callback.
        let own = unsafe { waiting(kind, endpoint, parallel, task) };
        if room.is_none() && endpoint == ompt_scope_begin && may_close(kind) {
            // SAFETY: the runtime's word for this callback.
            ongoing::keep_team(own, unsafe { id(parallel) });
        }
        put(room, kind, endpoint, own, codeptr);
    });
}

unsafe extern "C-unwind" fn ompttrace_unrecorded_sync_region_wait(
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
    _codeptr: Code,
) {
    // SAFETY: the arguments are the runtime's.
    unsafe { waiting(kind, endpoint, parallel, task) };
}

#[inline(always)]
fn put(
    room: Option<Room>,
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    task: Id,
    codeptr: Code,
) {
    let Some(room) = room else { return };
    let event = SyncRegionWait { code: at(codeptr), kind: kind.into(), task: task.0 };
    room.put(code::<{ SyncRegionWait::NUMBER }>(endpoint), event);
}

/// Id of the task that waits. The word of a worker's implicit task is emptied when its closing wait begins, and filled
/// again when that ends.
///
/// # Safety
/// `parallel` and `task` are null or the runtime's words for this callback.
unsafe fn waiting(
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
) -> Id {
    // SAFETY: the caller's promise.
    let (own, region) = unsafe { (id(task), id(parallel)) };
    if !may_close(kind) {
        return own;
    }
    if endpoint != ompt_scope_begin {
        let kept = if own.is_none() { ompttrace_recorder::take_kept() } else { own };
        // SAFETY: the caller promises that the word is the runtime's for this callback.
        unsafe { set_id(task, kept) };
        return kept;
    }
    // The primary thread's word is never copied: a team's region is made by its primary thread.
    if own.is_implicit() && own.thread() != region.thread() {
        ompttrace_recorder::keep(own);
        // SAFETY: the caller promises that the word is the runtime's for this callback.
        unsafe { set_id(task, Id::NONE) };
    }
    own
}

/// True if a region may end with this wait, a test of three instructions. LLVM to 17 has the same kind for a loop's
/// barrier: then the word is filled again before the thread continues.
#[inline(always)]
fn may_close(kind: ompt_sync_region_t) -> bool {
    const KINDS: u32 = 1 << ompt_sync_region_barrier_implicit
        | 1 << ompt_sync_region_barrier_implicit_parallel
        | 1 << ompt_sync_region_barrier_teams;
    KINDS >> (kind & 31) & 1 != 0
}
