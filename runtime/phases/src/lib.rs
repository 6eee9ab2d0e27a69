//! The source for phases that a program marks itself, by `ompttrace.h` or `ompttrace.f90`.
//!
//! It is in each library of the tool. Programs look its table of functions up at run time, so that they need no library of ours.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod begin;

use core::ffi::c_char;
use ompttrace_recorder::{begin_iteration, begin_phase, end_phase};
use ompttrace_recording::phases::{LONGEST_NAME, kind};

/// The table of functions that programs call: `struct ompttrace_phase_functions` of `ompttrace.h`. Functions are only added, at its end,
/// with another version.
#[repr(C)]
pub struct Functions {
    version: u64,
    begin: extern "C" fn(*const c_char),
    end: extern "C" fn(),
    iteration: extern "C" fn(u64),
}

/// The table of functions that programs look up.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "a symbol of a C interface")]
pub static ompttrace_phases: Functions = Functions { version: 1, begin, end, iteration };

extern "C" fn begin(name: *const c_char) {
    if begin::has_begun() {
        begin_phase(kind::PHASE, bytes(name));
    }
}

extern "C" fn end() {
    if begin::has_begun() {
        end_phase();
    }
}

extern "C" fn iteration(number: u64) {
    if begin::has_begun() {
        begin_iteration(number);
    }
}

/// The bytes of a name, as far as they are used, for the call that gave it; none for a null pointer.
#[inline]
fn bytes<'a>(name: *const c_char) -> &'a [u8] {
    if name.is_null() {
        return &[];
    }
    // SAFETY: the program's C string, which stays as it is during the call; no byte after its end is read.
    unsafe {
        let bytes = libc::strnlen(name, LONGEST_NAME);
        core::slice::from_raw_parts(name.cast(), bytes)
    }
}
