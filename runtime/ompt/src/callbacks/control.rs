//! Cancellation, errors and the program's own commands (OpenMP 5.2, 19.5.2.23, 19.5.2.29, 19.5.2.30).

use crate::data::{Code, Data, at, bits, id};
use crate::table::{CallbackEntry, callbacks};
use core::ffi::{c_char, c_int, c_void};
use ompt_sys::ompt_severity_t;
use ompttrace_life::Origin;
use ompttrace_recorder::{LONGEST_TEXT, put_text};
use ompttrace_recording::events::{Cancel, ControlTool, Error};

callbacks! { TABLE;
    fn ompttrace_cb_cancel / Cancel / 0; (task: Data, flags: c_int, codeptr: Code) |room| {
        // SAFETY: the runtime's word for this callback.
        let task = unsafe { id(task) };
        Cancel { code: at(codeptr), kind: 0, task: task.0, flags: bits(flags) }
    }
    fn ompttrace_cb_error / Error / 0;
        (severity: ompt_severity_t, message: *const c_char, length: usize, codeptr: Code) |room| {
        let text_bytes = if message.is_null() { 0 } else { length.min(LONGEST_TEXT) as u64 };
        Error { code: at(codeptr), kind: severity.into(), text_bytes }
    } then {
        if !message.is_null() {
            // SAFETY: the runtime passes a message of `length` bytes.
            put_text(unsafe { core::slice::from_raw_parts(message.cast(), length.min(LONGEST_TEXT)) });
        }
    }
}

pub(crate) const TOOL: &[CallbackEntry] =
    &[CallbackEntry::new(ControlTool::NUMBER, ompttrace_cb_control_tool as *const ())];

/// Callback of control_tool, the only one with a result.
unsafe extern "C-unwind" fn ompttrace_cb_control_tool(
    command: u64,
    modifier: u64,
    _argument: *mut c_void,
    codeptr: Code,
) -> c_int {
    ompttrace_life::command_given(command, modifier, at(codeptr), Origin::OmpControlTool)
}
