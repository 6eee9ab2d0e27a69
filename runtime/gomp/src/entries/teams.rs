//! Leagues of teams on the host, which libgomp runs one team after the other.

use crate::entry::entries;
use crate::region::{Combined, Outlined, Region, team};
use core::ffi::{c_uint, c_void};

entries! { TABLE;
    [GOMP_teams_reg] (function: Outlined, data: *mut c_void, teams: c_uint, limit: c_uint, flags: c_uint) |call, real| {
        let region = Region::new();
        // Without a number of its own libgomp makes three.
        region.combined(Combined { kind: 0, step: if teams == 0 { 3 } else { teams.into() }, count: 0 });
        region.begin_league(&call, function, data, teams);
        real(team, region.argument(), teams, limit, flags);
        region.end(&call);
    }
}
