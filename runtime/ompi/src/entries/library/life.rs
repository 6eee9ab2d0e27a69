//! The library's beginning and end (section 2.4). ORT ends the process directly after the latter.

use super::of_library;
use crate::entry::entries;
use core::ffi::{c_int, c_void};

entries! { first_of_library;
    othr_initialize (argc: *mut c_int, argv: *mut c_void, icvs: *mut c_void, caps: *mut c_void) -> c_int |_call, real| {
        real(argc, argv, icvs, caps)
    }
    oprc_initialize (argc: *mut c_int, argv: *mut c_void, icvs: *mut c_void, caps: *mut c_void) -> c_int |_call, real| {
        real(argc, argv, icvs, caps)
    }
}

of_library! {
    othr_finalize, oprc_finalize (exit_value: c_int) |_call, real| {
        ompttrace_life::ends_without_handlers();
        real(exit_value)
    }
}
