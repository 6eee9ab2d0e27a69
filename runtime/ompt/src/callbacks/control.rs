//! Cancellation, errors and the program's own commands (OpenMP 5.2, 19.5.2.23, 19.5.2.29, 19.5.2.30).

use crate::data::{Code, Data, at, bits, id};
use crate::register::Family;
use crate::table::{Row, callbacks, code};
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};
use ompt_sys::ompt_severity_t;
use ompttrace_recorder::{LONGEST_TEXT, put_text};
use ompttrace_recording::events::{Cancel, ControlTool, Error};

/// The commands omp_control_tool_start and omp_control_tool_end (OpenMP 5.2, 18.14), the first and
/// the last of those that mean something to us.
const START: u64 = 1;
const END: u64 = 4;

/// omp_control_tool's answer to a command that was carried out.
pub const CONTROL_SUCCESS: i32 = 0;
/// omp_control_tool's answer to a command that means nothing (now).
pub const CONTROL_IGNORED: i32 = 1;

callbacks! { TABLE: Family::Control;
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

/// What carries out a command: (command, modifier) to the answer.
type Handler = fn(u64, u64) -> i32;
static HANDLER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Says who carries out the commands of omp_control_tool.
pub fn set_control_handler(handler: Handler) {
    HANDLER.store(handler as *mut (), Ordering::Release);
}

pub(crate) const TOOL: &[Row] = &[Row::new(
    ControlTool::NUMBER,
    ControlTool::NAME,
    Family::Base,
    ompttrace_cb_control_tool as *const (),
)];

/// The one callback that answers.
unsafe extern "C-unwind" fn ompttrace_cb_control_tool(
    command: u64,
    modifier: u64,
    _argument: *mut c_void,
    codeptr: Code,
) -> c_int {
    control_called(command, modifier, at(codeptr), carry_out)
}

/// The program gave a command, at `code` where that is known: a record of it, and what `carry_out` answers. The
/// record comes before the command takes effect, so that a pause and an end are in the recording and a flush
/// writes its own request; a start's comes after it.
pub fn control_called(
    command: u64,
    modifier: u64,
    code: u64,
    carry_out: impl FnOnce(u64, u64) -> i32,
) -> i32 {
    if command == START {
        let result = carry_out(command, modifier);
        record(command, modifier, code, result);
        return result;
    }
    let known = (START..=END).contains(&command);
    record(command, modifier, code, if known { CONTROL_SUCCESS } else { CONTROL_IGNORED });
    carry_out(command, modifier)
}

fn carry_out(command: u64, modifier: u64) -> c_int {
    let handler = HANDLER.load(Ordering::Acquire);
    if handler.is_null() {
        return CONTROL_IGNORED;
    }
    // SAFETY: the only value ever stored is a `Handler`, by `set_control_handler`.
    let handler: Handler = unsafe { core::mem::transmute(handler) };
    handler(command, modifier)
}

fn record(command: u64, modifier: u64, address: u64, result: i32) {
    let result = i64::from(result) as u64;
    let event = ControlTool { code: address, kind: 0, command, modifier, result };
    let code = code::<{ ControlTool::NUMBER }>(0);
    match ompttrace_recorder::room() {
        Some(room) => room.put(code, event.words()),
        None => ompttrace_recorder::slow(code, |room| {
            if let Some(room) = room {
                room.put(code, event);
            }
        }),
    }
}
