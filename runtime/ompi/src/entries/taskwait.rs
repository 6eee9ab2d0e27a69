//! Waiting for tasks: taskwait, taskgroup, and the barrier at the end of a region, which is a wait for all tasks.

use crate::entry::entries;
use crate::report::{kind, sync, wait, waiting};
use core::ffi::c_int;
use ompttrace_recording::Scope;

/// Arguments of ort_taskwait: wait for the task's children, for tasks of the team (used by ORT alone), or at the
/// region's end.
const CHILDREN: c_int = 0;
const REGION: c_int = 2;

entries! { settled;
    ort_taskwait (how: c_int) |call, real| {
        match how {
            CHILDREN => waiting(&call, kind::TASKWAIT, || real(how)),
            // A team of one has no closing barrier.
            REGION if call.task().team.get() > 1 => waiting(&call, kind::BARRIER_PARALLEL, || real(how)),
            _ => real(how),
        }
    }
    ort_entering_taskgroup () |call, real| {
        sync(Scope::Begin, kind::TASKGROUP, call.code, call.task_id());
        real()
    }
    ort_leaving_taskgroup () |call, real| {
        let task = call.task_id();
        wait(Scope::Begin, kind::TASKGROUP, call.code, task);
        real();
        wait(Scope::End, kind::TASKGROUP, call.code, task);
        sync(Scope::End, kind::TASKGROUP, call.code, task);
    }
}
