//! The beginning and the end of ORT. It ends the process by _exit, at which no handler is called.

use crate::entry::{entries, passed_on};
use crate::start::{self, Side};
use core::ffi::c_int;

passed_on! {
    /// ort_initialize, which the main function that OMPi writes calls first. Names of device modules follow.
    ort_initialize, begin
}

fn begin(_code: u64) {
    start::begin(Side::Ort);
}

entries! { begin;
    ort_finalize (exit_value: c_int) |_call, real| {
        ompttrace_life::ends_without_handlers();
        real(exit_value)
    }
}
