//! Parallel regions, leagues and implicit tasks (OpenMP 5.2, 19.5.2.3, 19.5.2.4, 19.5.2.11).

use crate::data::{Code, Data, at, bits, id, new_id, set_id};
use crate::table::{CallbackEntry, callbacks, code};
use core::ffi::{c_int, c_uint};
use ompt_sys::{ompt_frame_t, ompt_scope_endpoint_t};
use ompttrace_recorder::Room;
use ompttrace_recording::Id;
use ompttrace_recording::events::{ImplicitTask, ParallelBegin, ParallelEnd};

callbacks! { IMPLICIT;
    fn ompttrace_cb_parallel_end / ParallelEnd / 0;
        (parallel: Data, task: Data, flags: c_int, codeptr: Code) |room| {
        // SAFETY: both words are the runtime's for this callback.
        let (region, task) = unsafe { (id(parallel), id(task)) };
        ParallelEnd { code: at(codeptr), kind: 0, region: region.0, task: task.0, flags: bits(flags) }
    }
    fn ompttrace_cb_implicit_task / ImplicitTask / endpoint;
        (endpoint: ompt_scope_endpoint_t, parallel: Data, task: Data, team: c_uint, index: c_uint, flags: c_int) |room| {
        // SAFETY: both words are the runtime's for this callback.
        let region = unsafe { id(parallel) };
        if endpoint == ompt_sys::ompt_scope_begin {
            let new = new_id(room.as_ref(), |thread, counter| {
                Id::implicit_task(thread, counter, region)
            });
            // SAFETY: the task's word is the runtime's for this callback.
            unsafe { set_id(task, new) };
        }
        // SAFETY: the task's word is the runtime's for this callback.
        let ended = unsafe { id(task) };
        if endpoint == ompt_sys::ompt_scope_end {
            // A worker's end is reported with the word that its next taskwait with dependences must find
            // empty: runtimes abort the program otherwise (LLVM to 22, Intel to 2026).
            // SAFETY: the task's word is the runtime's for this callback.
            unsafe { set_id(task, Id::NONE) };
        }
        ImplicitTask {
            region: region.0,
            task: ended.0,
            team_size: team.into(),
            thread_num: index.into(),
            flags: bits(flags),
        }
    }
}

/// parallel_begin is separate: its id carries the number of its code address, and an address
/// without a number goes the cold way as a full slot does.
pub(crate) const TABLE: &[CallbackEntry] =
    &[CallbackEntry::new(ParallelBegin::NUMBER, ompttrace_cb_parallel_begin as *const ())];

pub(super) unsafe extern "C-unwind" fn ompttrace_cb_parallel_begin(
    task: Data,
    frame: *const ompt_frame_t,
    parallel: Data,
    requested: c_uint,
    flags: c_int,
    codeptr: Code,
) {
    if let Some(site) = ompttrace_recorder::site_of(at(codeptr))
        && let Some(room) = ompttrace_recorder::room()
    {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        return unsafe { begin(Some(room), site, task, parallel, requested, flags, codeptr) };
    }
    // SAFETY: the arguments are the runtime's, passed on unchanged.
    unsafe { cold(task, frame, parallel, requested, flags, codeptr) }
}

#[inline(always)]
unsafe fn begin(
    room: Option<Room>,
    site: u64,
    task: Data,
    parallel: Data,
    requested: c_uint,
    flags: c_int,
    codeptr: Code,
) {
    let region = new_id(room.as_ref(), |thread, counter| Id::region(thread, counter, site));
    // SAFETY: the runtime's words for this callback.
    let task = unsafe {
        set_id(parallel, region);
        id(task)
    };
    let Some(room) = room else { return };
    let event = ParallelBegin {
        code: at(codeptr),
        kind: 0,
        region: region.0,
        task: task.0,
        requested: requested.into(),
        flags: bits(flags),
    };
    room.put(code::<{ ParallelBegin::NUMBER }>(0), event);
}

#[cold]
#[inline(never)]
unsafe extern "C-unwind" fn cold(
    task: Data,
    _frame: *const ompt_frame_t,
    parallel: Data,
    requested: c_uint,
    flags: c_int,
    codeptr: Code,
) {
    let event = code::<{ ParallelBegin::NUMBER }>(0);
    ompttrace_recorder::slow_with_site(event, at(codeptr), |room, site| {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        unsafe { begin(room, site, task, parallel, requested, flags, codeptr) }
    });
}
