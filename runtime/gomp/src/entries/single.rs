//! `single`. For the executing thread libgomp's call is only at the begin; readers end it with the barrier or the
//! work that follows.

use crate::call::Call;
use crate::entry::entries;
use crate::report::{kind, waiting, work};
use core::ffi::c_void;
use ompttrace_recording::Scope;

/// Records a `single`, for the thread that executes the block or for one that does not.
fn single(call: &Call, executes: bool) {
    let task = call.task_id();
    if executes {
        return work(Scope::Begin, kind::SINGLE, call.code, task, 1);
    }
    work(Scope::Begin, kind::SINGLE_OTHER, call.code, task, 1);
    work(Scope::End, kind::SINGLE_OTHER, call.code, task, 1);
}

entries! { TABLE;
    [GOMP_single_start] () -> bool |call, real| {
        let executes = real();
        single(&call, executes);
        executes
    }
    // With copyprivate: null for the thread that executes it, which does not wait; for the others what it
    // gave them, once it has.
    [GOMP_single_copy_start] () -> *mut c_void |call, real| {
        let task = call.task_id();
        let data = waiting(&call, kind::BARRIER_WORKSHARE, || real());
        if data.is_null() {
            work(Scope::Begin, kind::SINGLE, call.code, task, 1);
        } else {
            single(&call, false);
        }
        data
    }
    [GOMP_single_copy_end] (data: *mut c_void) |call, real| {
        work(Scope::End, kind::SINGLE, call.code, call.task_id(), 1);
        waiting(&call, kind::BARRIER_WORKSHARE, || real(data))
    }
}
