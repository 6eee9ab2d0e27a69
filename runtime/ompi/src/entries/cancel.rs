//! Cancellation: requests for it, and its detection.

use crate::call::Call;
use crate::entry::entries;
use crate::report;
use core::ffi::c_int;
use ompttrace_recording::Scope;
use ompttrace_recording::events::Cancel;

/// ompt_cancel_activated and ompt_cancel_detected.
const ACTIVATED: u64 = 0x10;
const DETECTED: u64 = 0x20;

/// Number of ORT's construct in ompt_cancel_flag_t.
fn construct(which: c_int) -> u64 {
    match which {
        0 => 1,
        1 => 8,
        2 => 4,
        _ => 2,
    }
}

fn cancelled(call: &Call, flags: u64) {
    let event = Cancel { code: call.code, kind: 0, task: call.task_id(), flags };
    report::put(Cancel::NUMBER, Scope::None, event);
}

entries! { settled;
    ort_enable_cancel (which: c_int) -> c_int |call, real| {
        let cancels = real(which);
        if cancels != 0 {
            cancelled(&call, construct(which) | ACTIVATED);
        }
        cancels
    }
    ort_check_cancel (which: c_int) -> c_int |call, real| {
        let cancels = real(which);
        if cancels != 0 {
            cancelled(&call, construct(which) | DETECTED);
        }
        cancels
    }
}
