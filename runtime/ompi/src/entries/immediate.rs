//! Undeferred tasks that run in place: their code is between two calls, and there is no function.

use crate::call::Call;
use crate::entry::entries;
use crate::own;
use crate::report::kind;
use core::ffi::{c_int, c_void};
use ompttrace_in_front::tasks::{COMPLETE, FINAL, SWITCH, UNDEFERRED, created, schedule};
use ompttrace_in_front::thread::CALLED_DIRECTLY;

/// Records that the calling thread's task runs another one in its place.
pub(crate) fn begins(call: &Call, last: c_int) {
    let outer = call.task();
    let flags = kind::EXPLICIT | UNDEFERRED | if last != 0 { FINAL } else { 0 };
    if let Some(task) = own::of(call.thread).and_then(|own| own.push()) {
        let id = created(call, flags, false);
        task.is_now(id.started().0, outer, call.code);
        task.exit.set(CALLED_DIRECTLY);
        task.data.set(outer.data.get());
        schedule(outer.id.get(), SWITCH, id.0);
        call.thread.task.set(task);
    }
}

/// Records that the task that ran in place has ended.
pub(crate) fn ends(call: &Call) {
    let own = own::of(call.thread);
    if let Some(own) = own
        && let Some(task) = own.pop()
    {
        let outer = task.outer();
        call.thread.task.set(outer);
        schedule(task.id.get(), COMPLETE, call.task_id());
        own.leave();
    }
}

entries! { settled;
    ort_task_immediate_start (last: c_int) -> *mut c_void |call, real| {
        begins(&call, last);
        real(last)
    }
    ort_task_immediate_end (memory: *mut c_void) |call, real| {
        ends(&call);
        real(memory)
    }
}
