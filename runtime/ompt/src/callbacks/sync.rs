//! Synchronisation: barriers, taskwait, taskgroup, reductions, flush (OpenMP 5.2, 19.5.2.13-19.5.2.17);
//! `closing.rs` has the waiting in them.

use crate::data::{Code, Data, at, id};
use crate::table::callbacks;
use ompt_sys::{ompt_scope_endpoint_t, ompt_sync_region_t};
use ompttrace_recording::events::{Flush, Reduction, SyncRegion};

callbacks! { TABLE;
    fn ompttrace_cb_sync_region / SyncRegion / endpoint;
        (kind: ompt_sync_region_t, endpoint: ompt_scope_endpoint_t, parallel: Data, task: Data, codeptr: Code) |room| {
        // SAFETY: the runtime's word for this callback.
        let task = unsafe { id(task) };
        SyncRegion { code: at(codeptr), kind: kind.into(), task: task.0 }
    }
    fn ompttrace_cb_reduction / Reduction / endpoint;
        (kind: ompt_sync_region_t, endpoint: ompt_scope_endpoint_t, parallel: Data, task: Data, codeptr: Code) |room| {
        // SAFETY: the runtime's word for this callback.
        let task = unsafe { id(task) };
        Reduction { code: at(codeptr), kind: kind.into(), task: task.0 }
    }
    fn ompttrace_cb_flush / Flush / 0; (thread: Data, codeptr: Code) |room| {
        Flush { code: at(codeptr), kind: 0 }
    }
}
