//! What every library of ours exports, whichever sources it has: the handshakes for OMPT's runtimes, those
//! of today and those of 2014, and the commands for programs.

use crate::begin::HOOKS;
use crate::{control, devices};
use core::ffi::{c_char, c_int, c_uint, c_void};
use ompt_sys::ompt_start_tool_result_t;

/// What a runtime calls to ask for a tool (OpenMP 5.2, 19.2.1).
///
/// # Safety
/// Called by a runtime with its version as a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> *mut ompt_start_tool_result_t {
    // SAFETY: the arguments are the runtime's.
    unsafe { ompttrace_ompt::start_tool(omp_version, runtime_version, HOOKS) }
}

/// What a runtime that follows the report of 2014 calls to ask for a tool (Technical Report 2, 7.1).
#[unsafe(no_mangle)]
pub extern "C" fn ompt_tool() -> Option<ompttrace_ompt_tr2::Initialize> {
    ompttrace_ompt_tr2::tool(TR2_HOOKS)
}

/// What a runtime calls instead that knows tools by this name only (Technical Report 2, A.7): 1 when
/// its events are wanted.
///
/// # Safety
/// Called by a runtime with version, number and look-up, or look-up, version and number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_initialize(
    first: *const c_void,
    second: *const c_void,
    third: *const c_void,
) -> c_int {
    // SAFETY: the arguments are the runtime's.
    unsafe { ompttrace_ompt_tr2::initialize(TR2_HOOKS, first, second, third) }
}

/// The steps of such a runtime's life.
const TR2_HOOKS: ompttrace_ompt_tr2::Hooks = ompttrace_ompt_tr2::Hooks {
    life: HOOKS,
    control: control::from_ompt_control,
    device_log: devices::log,
    device_left_out: devices::left_out,
};

/// A program's command to the tool (OMPT Technical Report 2, section 7.4): 1 start, 2 pause,
/// 3 flush, 4 end. Others are ignored, as is everything while nothing is being traced.
#[unsafe(no_mangle)]
pub extern "C" fn ompt_control(command: u64, modifier: u64) {
    control::from_program(command, modifier);
}

/// [`ompt_control`] for Fortran, which passes references.
///
/// # Safety
/// Both arguments point to integers of eight bytes, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_control_(command: *const u64, modifier: *const u64) {
    // SAFETY: by the caller's promise.
    let (command, modifier) = unsafe { (command.as_ref(), modifier.as_ref()) };
    if let (Some(command), Some(modifier)) = (command, modifier) {
        ompt_control(*command, *modifier);
    }
}
