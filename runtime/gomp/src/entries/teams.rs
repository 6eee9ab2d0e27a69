//! Leagues of teams on the host, which libgomp runs one team after the other: those of a `teams` construct
//! by one call, those inside of `target` by a call for each team, and no call at the end of the last.

use crate::call::Call;
use crate::entry::entries;
use crate::own;
use crate::region::{Combined, Outlined, Region, team};
use crate::thread::{Task, Thread};
use core::cell::Cell;
use core::ffi::{c_uint, c_void};

/// A league inside of a `target`: on the stack of the call that runs the construct.
pub(crate) struct League {
    region: Region,
    team: Task,
    is_open: Cell<bool>,
    /// The one around it.
    outer: Cell<*const League>,
}

impl League {
    /// None yet.
    pub(crate) const fn new() -> League {
        League {
            region: Region::new(),
            team: Task::new(),
            is_open: Cell::new(false),
            outer: Cell::new(core::ptr::null()),
        }
    }

    /// Code of a `target` is about to run, perhaps on the calling thread.
    pub(crate) fn may_begin(&self, thread: &'static Thread) {
        if let Some(own) = own::of(thread) {
            self.outer.set(own.league.replace(self));
        }
    }

    /// It has run.
    pub(crate) fn is_over(&self, call: &Call) {
        self.ends(call);
        if let Some(own) = own::of(call.thread) {
            own.league.set(self.outer.get());
        }
    }

    fn begins(&self, call: &Call, teams: c_uint) {
        self.region.combined(Combined { kind: 0, step: teams.into(), count: 0 });
        // Its code is not called by us: only the call site is known.
        self.region.begin_league(call, None, core::ptr::null_mut(), teams);
        self.is_open.set(true);
        self.region.team_begins(call.thread, &self.team);
    }

    fn next(&self, call: &Call) {
        self.region.team_ends(call.thread, &self.team);
        self.region.team_begins(call.thread, &self.team);
    }

    fn ends(&self, call: &Call) {
        if self.is_open.replace(false) {
            self.region.team_ends(call.thread, &self.team);
            self.region.end(call);
        }
    }
}

/// The league of the `target` that the calling thread is in; none where the construct is a task that
/// another thread took.
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
