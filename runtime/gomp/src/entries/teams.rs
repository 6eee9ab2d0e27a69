//! Leagues of teams on the host, which libgomp runs one team after the other: those of a `teams` construct
//! by one call, those inside of `target` by a call for each team, and no call at the end of the last.

use crate::call::Call;
use crate::entry::entries;
use crate::own::{self, League};
use crate::region::{Combined, Outlined, Region, team};
use core::ffi::{c_uint, c_void};

/// The league of the `target` in which the calling thread is; `None` if the construct is a task that another thread
/// has taken.
fn league(call: &Call) -> Option<&'static League> {
    // SAFETY: null, or what `may_begin` stored, which `is_over` takes away before its memory goes.
    unsafe { own::of(call.thread)?.league.get().as_ref() }
}

entries! { TABLE;
    [GOMP_teams_reg] (function: Outlined, data: *mut c_void, teams: c_uint, limit: c_uint, flags: c_uint) |call, real| {
        let region = Region::new();
        // Without a number of its own libgomp makes three.
        region.combined(Combined { kind: 0, step: if teams == 0 { 3 } else { teams.into() }, count: 0 });
        region.begin_league(&call, Some(function), data, teams);
        real(team, region.argument(), teams, limit, flags);
        region.end(&call);
    }
    // Until GCC 11: on the host a league of one team, whatever was wanted.
    [GOMP_teams] (teams: c_uint, limit: c_uint) |call, real| {
        real(teams, limit);
        if let Some(league) = league(&call).filter(|league| !league.is_open.get()) {
            league.begins(&call, 1);
        }
    }
    [GOMP_teams4] (low: c_uint, high: c_uint, limit: c_uint, first: bool) -> bool |call, real| {
        let goes_on = real(low, high, limit, first);
        let Some(league) = league(&call) else { return goes_on };
        match (goes_on, first) {
            (false, _) => league.ends(&call),
            (true, true) => league.begins(&call, low.max(1)),
            (true, false) => league.next(&call),
        }
        goes_on
    }
}
