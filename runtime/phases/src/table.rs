//! The table of functions that programs look up, and other copies of the tool in the process.

use crate::source::{self, PROGRAM};
use crate::text::bytes;
use core::ffi::c_char;
use ompttrace_recording::phases::kind;

/// The table of functions that programs call: `struct ompttrace_phase_functions` of `ompttrace.h`. Functions are only added, at its end,
/// with another version.
#[repr(C)]
pub struct Functions {
    version: u64,
    begin: extern "C" fn(*const c_char),
    end: extern "C" fn(),
    iteration: extern "C" fn(u64),
    /// Of version 2, for another copy of the tool: a phase of a kind begins, in a domain, with a name of some bytes.
    begin_of: unsafe extern "C" fn(u64, u64, *const u8, usize),
    /// Of version 2: the innermost phase of a kind and domain ends.
    end_of: extern "C" fn(u64, u64),
}

/// The version of the table from which on other copies can use it.
const FOR_COPIES: u64 = 2;

/// The table of functions that programs look up.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "a symbol of a C interface")]
pub static ompttrace_phases: Functions =
    Functions { version: FOR_COPIES, begin, end, iteration, begin_of, end_of };

extern "C" fn begin(name: *const c_char) {
    // SAFETY: a C string of the program.
    PROGRAM.begin(kind::PHASE, 0, unsafe { bytes(name) });
}

extern "C" fn end() {
    PROGRAM.end(kind::PHASE, 0);
}

extern "C" fn iteration(number: u64) {
    PROGRAM.iteration(number);
}

unsafe extern "C" fn begin_of(kind: u64, domain: u64, name: *const u8, bytes: usize) {
    let Some(source) = source::of(kind) else { return };
    // SAFETY: the other copy passes a slice of its own.
    source.begin(kind, domain, unsafe { core::slice::from_raw_parts(name, bytes) });
}

extern "C" fn end_of(kind: u64, domain: u64) {
    if let Some(source) = source::of(kind) {
        source.end(kind, domain);
    }
}

/// The tables of the process's other copies of the tool.
pub(crate) enum OtherCopy {
    /// There is none in front of this one.
    None,
    /// A copy is in front of this one: it is preloaded, or linked in.
    InFront(&'static Functions),
    /// A copy is in front of this one, which is too old to record what this one gets.
    TooOld,
}

/// Looks for a copy of the tool that the program finds before this one.
pub(crate) fn other_copy() -> OtherCopy {
    // SAFETY: a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"ompttrace_phases".as_ptr()) };
    if found.is_null() {
        return OtherCopy::None;
    }
    // SAFETY: every version of this symbol begins with its version, and stays as long as the process.
    if unsafe { *found.cast::<u64>() } < FOR_COPIES {
        return OtherCopy::TooOld;
    }
    // SAFETY: a table of this version has these functions at its begin.
    let found = unsafe { &*found.cast::<Functions>() };
    // Not by the address of the table: the loader resolves its name to the copy in front here as well.
    match core::ptr::fn_addr_eq(found.end_of, end_of as extern "C" fn(u64, u64)) {
        true => OtherCopy::None,
        false => OtherCopy::InFront(found),
    }
}

impl Functions {
    /// Begins a phase in the copy whose table this is.
    pub(crate) fn begin(&self, kind: u64, domain: u64, name: &[u8]) {
        // SAFETY: the slice is valid during the call.
        unsafe { (self.begin_of)(kind, domain, name.as_ptr(), name.len()) };
    }

    /// Ends a phase in it.
    pub(crate) fn end(&self, kind: u64, domain: u64) {
        (self.end_of)(kind, domain);
    }

    /// Begins an iteration in it.
    pub(crate) fn iteration(&self, number: u64) {
        (self.iteration)(number);
    }
}
