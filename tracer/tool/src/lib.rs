//! libompttrace: the tool that an OpenMP runtime loads with OMP_TOOL_LIBRARIES, that LD_PRELOAD
//! brings, or that a program links in.
//!
//! Exported are `ompt_start_tool` for runtimes and `ompt_control` (with its Fortran name) for
//! programs. The rest is the life cycle: settings, run folder, commands, fork, exit.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod closing;
mod config;
mod control;
mod excerpt;
mod exit;
mod export;
mod facts_file;
mod life;
mod modules;
mod pattern;
mod process;
mod ranks;
mod room;
mod run;
mod signals;
mod values;

use core::ffi::{c_char, c_uint};
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
    unsafe { ompttrace_ompt::start_tool(omp_version, runtime_version, life::HOOKS) }
}

/// A program's command to the tool (OMPT Technical Report 2, section 7.4): 1 start, 2 pause,
/// 3 flush, 4 end. Others are ignored, as is everything while nothing is being traced.
#[unsafe(no_mangle)]
pub extern "C" fn ompt_control(command: u64, modifier: u64) {
    control::carry_out(command, modifier, control::Origin::OmptControl);
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
