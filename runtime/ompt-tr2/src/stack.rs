//! The two events that create regions and tasks, if call stacks are wanted: first the calling task's own frames are
//! recorded, then the event as always. These callbacks are registered instead of the others only if needed, so that
//! there is no cost otherwise.

use crate::dialect::Dialect;
use crate::table::{Callback, EventEntry};
use crate::{events, roots};
use core::ffi::c_void;
use ompttrace_stacks::Request;

/// ompt_frame_t (report, section 5.4).
#[repr(C)]
struct TaskFrame {
    /// Stack address at which the runtime called the task's code.
    exit: u64,
    /// Stack address at which the task's code called the runtime.
    reenter: u64,
}

/// The callback for an event that has a context; `None` for others. When LLVM's runtime reports a task's begin, the
/// thread may be another than the creator's, and the stack is not the creator's.
pub(crate) fn instead_of(dialect: Dialect, number: u32) -> Option<Callback> {
    let function = match number {
        1 => parallel_begin as *const (),
        3 if dialect != Dialect::Llvm => task_begin as *const (),
        _ => return None,
    };
    Some(EventEntry::callback(function))
}

unsafe extern "C" fn parallel_begin(
    task: u64,
    frame: *const c_void,
    region: u64,
    requested: u32,
    function: *const c_void,
    invoker: u32,
) {
    // The frames are a record as well, and the thread's own record comes first.
    roots::introduce(1);
    // SAFETY: the arguments are the runtime's, passed on unchanged.
    unsafe {
        put_context(frame);
        events::parallel_begin(task, frame, region, requested, function, invoker);
    }
}

unsafe extern "C" fn task_begin(
    task: u64,
    frame: *const c_void,
    new: u64,
    function: *const c_void,
) {
    // SAFETY: the arguments are the runtime's, passed on unchanged.
    unsafe {
        put_context(frame);
        events::task_begin(task, frame, new, function);
    }
}

/// Records the call stack of the region or task that is created next. The interface has no return address for it: its
/// location is the first frame that is not the runtime's.
///
/// # Safety
/// `frame` is null or the runtime's frame of this callback.
unsafe fn put_context(frame: *const c_void) {
    // SAFETY: by the caller's promise.
    let frame = unsafe { frame.cast::<TaskFrame>().as_ref() };
    let (enter, exit) = frame.map_or((0, 0), |frame| (frame.reenter, frame.exit));
    ompttrace_stacks::put_numbered_context(&Request { code: 0, enter, exit });
}
