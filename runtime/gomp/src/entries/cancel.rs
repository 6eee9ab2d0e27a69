//! Cancellation: requests for it, and its detection.

use crate::call::Call;
use crate::entry::entries;
use crate::inquiry;
use crate::report;
use core::ffi::c_int;
use ompttrace_recording::Scope;
use ompttrace_recording::events::Cancel;

/// ompt_cancel_activated and ompt_cancel_detected.
const ACTIVATED: u64 = 0x10;
const DETECTED: u64 = 0x20;

/// Number of the construct in ompt_cancel_flag_t: loops and sections have each other's numbers in libgomp.
fn construct(which: c_int) -> u64 {
    match which {
        2 => 4,
        4 => 2,
        other => (other as u32).into(),
    }
}

fn cancelled(call: &Call, flags: u64) {
    let event = Cancel { code: call.code, kind: 0, task: call.task_id(), flags };
    report::put(Cancel::NUMBER, Scope::None, event);
}

/// ompt_cancel_taskgroup and ompt_cancel_discarded_task.
const DISCARDED: u64 = 0x48;

/// Records that a task was cancelled before it began.
pub(crate) fn dropped(task: u64) {
    report::put(Cancel::NUMBER, Scope::None, Cancel { code: 0, kind: 0, task, flags: DISCARDED });
}

/// True if cancellation was requested for the current taskgroup or region: tasks that would begin or be created now
/// are discarded.
pub(crate) fn is_cancelled(library: usize) -> bool {
    if !inquiry::may_cancel(library) {
        return false;
    }
    let Some(real) = GOMP_cancellation_point::real(library) else { return false };
    // SAFETY: it only looks.
    unsafe { real(TASKGROUP) }
}

/// GOMP_CANCEL_TASKGROUP, which includes the region's.
const TASKGROUP: c_int = 8;

entries! { TABLE;
    [GOMP_cancel] (which: c_int, condition: bool) -> bool |call, real| {
        let cancels = real(which, condition);
        if cancels {
            cancelled(&call, construct(which) | if condition { ACTIVATED } else { DETECTED });
        }
        cancels
    }
    [GOMP_cancellation_point] (which: c_int) -> bool |call, real| {
        let cancels = real(which);
        if cancels {
            cancelled(&call, construct(which) | DETECTED);
        }
        cancels
    }
}
