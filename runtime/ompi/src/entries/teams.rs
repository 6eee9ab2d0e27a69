//! Leagues on the host: ORT creates one team of one thread, whatever number is requested.

use crate::entry::entries;
use crate::region::{Outlined, Region, team};
use core::ffi::{c_int, c_void};

entries! { settled;
    ort_start_teams (function: Outlined, data: *mut c_void, teams: c_int, limit: c_int) |call, real| {
        let region = Region::begin(&call, function, data, teams.max(1) as u64, true);
        real(team, region.argument(), teams, limit);
        region.end(&call);
    }
}
