//! Barriers that the library implements (section 3.2): those of the program, of constructs and of ORT alike.

use super::of_library;
use crate::report::{kind, waiting};
use core::ffi::{c_int, c_void};

of_library! {
    // ORT 2.5 passes on what comes back.
    othr_barrier_wait, oprc_barrier_wait (barrier: *mut c_void, number: c_int) -> usize |call, real| {
        waiting(&call, kind::BARRIER, || real(barrier, number))
    }
}
