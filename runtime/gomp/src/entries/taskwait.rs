//! Waiting for tasks: taskwait, taskgroup.

use crate::entries::tasks::{created, schedule};
use crate::entry::entries;
use crate::report::{kind, sync, wait, waiting};
use core::ffi::c_void;
use ompttrace_recording::Scope;

/// ompt_task_taskwait, undeferred and mergeable.
const TASKWAIT: u64 = 0x4800_0010;
/// ompt_taskwait_complete.
const TASKWAIT_COMPLETE: u32 = 8;

entries! { TABLE;
    [GOMP_taskwait] () |call, real| {
        waiting(&call, kind::TASKWAIT, || real())
    }
    // As OMPT has it: an empty task with these dependences is made and waited for.
    [GOMP_taskwait_depend] (dependences: *mut *mut c_void) |call, real| {
        created(&call, TASKWAIT, dependences);
        real(dependences);
        schedule(0, TASKWAIT_COMPLETE, 0);
    }
    [GOMP_taskgroup_start] () |call, real| {
        sync(Scope::Begin, kind::TASKGROUP, call.code, call.task_id());
        real()
    }
    [GOMP_taskgroup_end] () |call, real| {
        let task = call.task_id();
        wait(Scope::Begin, kind::TASKGROUP, call.code, task);
        real();
        wait(Scope::End, kind::TASKGROUP, call.code, task);
        sync(Scope::End, kind::TASKGROUP, call.code, task);
    }
}
