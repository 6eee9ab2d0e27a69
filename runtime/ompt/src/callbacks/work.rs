//! Work-sharing: loops, sections, single, masked, chunks (OpenMP 5.2, 19.5.2.5, 19.5.2.6, 19.5.2.12).

use crate::data::{Code, Data, at, code_at, id};
use crate::table::{CallbackEntry, callbacks, code};
use crate::taskloops;
use ompt_sys::{
    ompt_data_t, ompt_dispatch_chunk_t, ompt_dispatch_distribute_chunk, ompt_dispatch_t,
    ompt_dispatch_taskloop_chunk, ompt_dispatch_ws_loop_chunk, ompt_scope_begin,
    ompt_scope_endpoint_t, ompt_work_t, ompt_work_taskloop,
};
use ompttrace_recorder::Room;
use ompttrace_recording::events::{Dispatch, Masked, Work};

callbacks! { TABLE;
    fn ompttrace_cb_masked / Masked / endpoint;
        (endpoint: ompt_scope_endpoint_t, parallel: Data, task: Data, codeptr: Code) |room| {
        // SAFETY: the runtime's word for this callback.
        let task = unsafe { id(task) };
        Masked { code: at(codeptr), kind: 0, task: task.0 }
    }
    fn ompttrace_cb_dispatch / Dispatch / 0;
        (parallel: Data, task: Data, kind: ompt_dispatch_t, instance: ompt_data_t) |room| {
        // SAFETY: `instance` is what the runtime passes with this kind.
        let (first, count) = unsafe { chunk(kind, instance) };
        Dispatch { kind: kind.into(), first, count }
    }
}

/// work is separate: of a taskloop, the address that the runtime gives may be one of its own.
pub(crate) const WORK: &[CallbackEntry] =
    &[CallbackEntry::new(Work::NUMBER, ompttrace_cb_work as *const ())];

unsafe extern "C-unwind" fn ompttrace_cb_work(
    kind: ompt_work_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
    count: u64,
    codeptr: Code,
) {
    if kind == ompt_work_taskloop {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        return unsafe { taskloop(kind, endpoint, parallel, task, count, codeptr) };
    }
    match ompttrace_recorder::room() {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        Some(room) => unsafe { work(Some(room), kind, endpoint, task, count, codeptr) },
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        None => unsafe { cold_work(kind, endpoint, parallel, task, count, codeptr) },
    }
}

#[inline(never)]
unsafe extern "C-unwind" fn taskloop(
    kind: ompt_work_t,
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    task: Data,
    count: u64,
    codeptr: Code,
) {
    let address = if endpoint == ompt_scope_begin {
        // SAFETY: the runtime's word for this callback.
        taskloops::begins(unsafe { id(task) }, codeptr)
    } else {
        taskloops::ends();
        at(codeptr)
    };
    // Always by the slow path, which a taskloop does not notice. SAFETY: the arguments are the runtime's but for the address.
    unsafe { cold_work(kind, endpoint, parallel, task, count, code_at(address)) }
}

#[cold]
#[inline(never)]
unsafe extern "C-unwind" fn cold_work(
    kind: ompt_work_t,
    endpoint: ompt_scope_endpoint_t,
    _parallel: Data,
    task: Data,
    count: u64,
    codeptr: Code,
) {
    ompttrace_recorder::slow(code::<{ Work::NUMBER }>(endpoint), |room| {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        unsafe { work(room, kind, endpoint, task, count, codeptr) }
    });
}

#[inline(always)]
unsafe fn work(
    room: Option<Room>,
    kind: ompt_work_t,
    endpoint: ompt_scope_endpoint_t,
    task: Data,
    count: u64,
    codeptr: Code,
) {
    let Some(room) = room else { return };
    // SAFETY: the runtime's word for this callback.
    let task = unsafe { id(task) };
    let event = Work { code: at(codeptr), kind: kind.into(), task: task.0, count };
    room.put(code::<{ Work::NUMBER }>(endpoint), event);
}

/// Start and length of a chunk; for other kinds the instance's raw value and 0.
#[inline(always)]
unsafe fn chunk(kind: ompt_dispatch_t, instance: ompt_data_t) -> (u64, u64) {
    let is_chunk =
        [ompt_dispatch_ws_loop_chunk, ompt_dispatch_taskloop_chunk, ompt_dispatch_distribute_chunk]
            .contains(&kind);
    // SAFETY: both members of the union are 64 bits; for chunks the runtime passes the address of
    // an ompt_dispatch_chunk_t that lives during the callback.
    unsafe {
        if is_chunk && !instance.ptr.is_null() {
            let chunk = &*instance.ptr.cast::<ompt_dispatch_chunk_t>();
            (chunk.start, chunk.iterations)
        } else {
            (instance.value, 0)
        }
    }
}
