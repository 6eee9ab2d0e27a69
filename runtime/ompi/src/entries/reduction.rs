//! Reductions: one call for each variable, or, for user-defined types, a lock around the program's own code.

use crate::call::Call;
use crate::entry::entries;
use crate::report::{self, kind};
use core::ffi::{c_int, c_void};
use ompttrace_recording::Scope;
use ompttrace_recording::events::Reduction;

fn reduction(call: &Call, scope: Scope) {
    let event = Reduction { code: call.code, kind: kind::REDUCTION, task: call.task_id() };
    report::put(Reduction::NUMBER, scope, event);
}

macro_rules! reductions {
    ($($name:ident)+) => {
        entries! { settled; $(
            $name (of_type: c_int, local: *mut c_void, global: *mut c_void, count: c_int) |call, real| {
                reduction(&call, Scope::Begin);
                real(of_type, local, global, count);
                reduction(&call, Scope::End);
            }
        )+ }
    };
}

reductions! {
    ort_reduce_add
    ort_reduce_subtract
    ort_reduce_multiply
    ort_reduce_and
    ort_reduce_or
    ort_reduce_max
    ort_reduce_min
    ort_reduce_bitand
    ort_reduce_bitor
    ort_reduce_bitxor
}

entries! { settled;
    ort_reduction_begin (lock: *mut *mut c_void) |call, real| {
        reduction(&call, Scope::Begin);
        real(lock)
    }
    ort_reduction_end (lock: *mut *mut c_void) |call, real| {
        real(lock);
        reduction(&call, Scope::End);
    }
}
