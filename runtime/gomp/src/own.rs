//! Memory of a thread besides its tasks, in its page: constructs that one call begins and another one ends.

use crate::call::Call;
use crate::region::{Combined, Region};
use crate::thread::{Task, Thread};
use core::cell::Cell;
use core::ffi::c_uint;
use ompttrace_recorder::Zeroed;

/// Maximum number of regions that a thread can have open if they are begun by GOMP_parallel_start or the like and
/// ended by GOMP_parallel_end.
const OLD_REGIONS: usize = 4;

/// Memory of a thread for this adapter.
#[repr(C)]
pub(crate) struct Own {
    /// The innermost `target` that the thread runs on the host; null if there is none.
    pub(crate) league: Cell<*const League>,
    /// See [`OLD_REGIONS`].
    pub(crate) old: [Region; OLD_REGIONS],
}

// SAFETY: numbers, flags, null pointers, and functions that are not there.
unsafe impl Zeroed for Own {}

/// This memory of `thread`; `None` if it could not be allocated.
pub(crate) fn of(thread: &'static Thread) -> Option<&'static Own> {
    // SAFETY: it is asked for here alone.
    unsafe { thread.of_adapter() }
}

/// A league inside of a `target`: on the stack of the call that runs the construct.
pub(crate) struct League {
    region: Region,
    team: Task,
    pub(crate) is_open: Cell<bool>,
    /// The enclosing league; null if there is none.
    outer: Cell<*const League>,
}

impl League {
    /// A league that has not begun.
    pub(crate) const fn new() -> League {
        League {
            region: Region::new(),
            team: Task::new(),
            is_open: Cell::new(false),
            outer: Cell::new(core::ptr::null()),
        }
    }

    /// Makes this the thread's innermost league: code of a `target` is about to run, perhaps on the calling thread.
    pub(crate) fn may_begin(&self, thread: &'static Thread) {
        if let Some(own) = of(thread) {
            self.outer.set(own.league.replace(self));
        }
    }

    /// Ends the league if it is open, and makes the enclosing one the innermost: the `target` has run.
    pub(crate) fn is_over(&self, call: &Call) {
        self.ends(call);
        if let Some(own) = of(call.thread) {
            own.league.set(self.outer.get());
        }
    }

    pub(crate) fn begins(&self, call: &Call, teams: c_uint) {
        self.region.combined(Combined { kind: 0, step: teams.into(), count: 0 });
        // Its code is not called by us: only the call site is known.
        self.region.begin_league(call, None, core::ptr::null_mut(), teams);
        self.is_open.set(true);
        self.region.team_begins(call.thread, &self.team);
    }

    pub(crate) fn next(&self, call: &Call) {
        self.region.team_ends(call.thread, &self.team);
        self.region.team_begins(call.thread, &self.team);
    }

    pub(crate) fn ends(&self, call: &Call) {
        if self.is_open.replace(false) {
            self.region.team_ends(call.thread, &self.team);
            self.region.end(call);
        }
    }
}
