//! Parallel regions, including those that a false `if` clause reduces to one thread.

use crate::entry::entries;
use crate::region::{Outlined, Region, team, team_thread};
use crate::start;
use core::ffi::{c_int, c_void};

entries! { settled;
    ort_execute_parallel (function: Outlined, data: *mut c_void, threads: c_int, combined: c_int, bind: c_int)
        |call, real| {
        let requested = if threads > 0 { threads as u64 } else { start::max_threads() };
        let region = Region::begin(&call, function, data, requested, false);
        real(team_thread, region.argument(), threads, combined, bind);
        region.end(&call);
    }
    // ORT's own call of it is the one team of a league.
    ort_execute_serial (function: Outlined, data: *mut c_void) |call, real| {
        if core::ptr::fn_addr_eq(function, team as Outlined) {
            return real(function, data);
        }
        let region = Region::begin(&call, function, data, 1, false);
        real(team_thread, region.argument());
        region.end(&call);
    }
}
