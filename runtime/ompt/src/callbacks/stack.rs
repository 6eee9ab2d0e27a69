//! The callbacks that create regions and tasks, if call stacks are wanted: first the calling task's own frames are
//! recorded, then the event as always. They are registered instead of the others only if needed, so that there is no
//! cost otherwise.

use super::{parallel, task};
use crate::data::{Code, Data, at};
use core::ffi::{c_int, c_uint};
use ompt_sys::{ompt_callback_t, ompt_frame_t};
use ompttrace_recording::events::{ParallelBegin, TaskCreate};
use ompttrace_stacks::Request;

/// The callback for an event that has a context; `None` for others.
pub(crate) fn instead_of(number: u16) -> Option<ompt_callback_t> {
    let function = match number {
        ParallelBegin::NUMBER => ompttrace_cb_parallel_begin_in_context as *const (),
        TaskCreate::NUMBER => ompttrace_cb_task_create_in_context as *const (),
        _ => return None,
    };
    // SAFETY: as for a row of the table: the runtime casts it back to the callback's own type.
    Some(unsafe { core::mem::transmute::<*const (), ompt_callback_t>(function) })
}

unsafe extern "C-unwind" fn ompttrace_cb_parallel_begin_in_context(
    task: Data,
    frame: *const ompt_frame_t,
    region: Data,
    requested: c_uint,
    flags: c_int,
    codeptr: Code,
) {
    // SAFETY: the arguments are the runtime's, passed on unchanged.
    unsafe {
        put_context(frame, codeptr);
        parallel::ompttrace_cb_parallel_begin(task, frame, region, requested, flags, codeptr);
    }
}

unsafe extern "C-unwind" fn ompttrace_cb_task_create_in_context(
    creator: Data,
    frame: *const ompt_frame_t,
    new: Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: Code,
) {
    // SAFETY: the arguments are the runtime's, passed on unchanged.
    unsafe {
        put_context(frame, codeptr);
        task::ompttrace_cb_task_create(creator, frame, new, flags, has_dependences, codeptr);
    }
}

/// Records the call stack at which the next region or task is created. A region or task that the runtime creates for
/// itself, at no location in the program, has its creator's context.
///
/// # Safety
/// `frame` is null or the runtime's for this callback.
unsafe fn put_context(frame: *const ompt_frame_t, codeptr: Code) {
    if codeptr.is_null() {
        return;
    }
    // SAFETY: by the caller's promise; both are a pointer or a number of 64 bits.
    let (enter, exit) = unsafe {
        frame.as_ref().map_or((0, 0), |frame| (frame.enter_frame.value, frame.exit_frame.value))
    };
    ompttrace_stacks::put_context(&Request { code: at(codeptr), enter, exit });
}
