//! State of the calling thread: the teams that it is in, and the begins without an end in each.
//!
//! The interface reports regions and waits, but no tasks and no teams. A thread is the primary of a
//! team from a fork to its join, and a team thread from the end of its idleness to the next. One
//! thread writes and reads this, so plain cells will do; nothing in it has a destructor. It lies in a page that the
//! thread has from its first event to its end: there is too little thread-local memory for it.

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};
use ompttrace_recorder::{Zeroed, give_page_back, take_page};
use ompttrace_recording::Id;

/// Teams of one thread that are kept apart; what is nested deeper counts as the last of them.
const DEEPEST: usize = 32;

/// A team that the thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Team {
    /// Region of the team.
    pub(crate) region: Id,
    /// The thread's implicit task in it.
    pub(crate) task: Id,
    /// True if the thread forked the team.
    pub(crate) is_primary: bool,
}

/// A thread outside every team.
pub(crate) const OUTSIDE: Team = Team { region: Id::NONE, task: Id::NONE, is_primary: false };

/// State of the calling thread.
pub(crate) struct Here {
    /// Id of the mutex that the thread waits for, as its last request for a mutex recorded it.
    pub(crate) wait_id: Cell<u64>,
    /// Begins without an end, a bit for each pair of events, on the innermost level.
    pub(crate) open: Cell<u16>,
    depth: Cell<u32>,
    teams: [Cell<Team>; DEEPEST],
    /// The open begins of the levels below.
    opens: [Cell<u16>; DEEPEST],
    resumed: Cell<u32>,
}

// SAFETY: numbers and flags.
unsafe impl Zeroed for Here {}

thread_local! {
    /// `None` until the thread's first event.
    static HERE: Cell<Option<&'static Here>> = const { Cell::new(None) };
}

/// Number of times that events resumed after a pause. State of a thread from before a resumption may be outdated.
static RESUMED: AtomicU32 = AtomicU32::new(0);

/// Notes that events may have been missed by all threads.
pub(crate) fn missed() {
    RESUMED.fetch_add(1, Ordering::Relaxed);
}

/// State of the calling thread; `None` if it had no event so far.
#[inline]
pub(crate) fn here() -> Option<&'static Here> {
    HERE.get()
}

/// Allocates the state of the calling thread before its first event; `None` if there is no memory.
pub(crate) fn begin() -> Option<&'static Here> {
    HERE.set(take_page());
    HERE.get()
}

/// Frees the state of the calling thread, after its last event or in a forked child. Callers must no longer use what
/// [`here`] returned.
pub(crate) fn end() {
    if let Some(here) = HERE.take() {
        let page = &raw const *here;
        // SAFETY: taken by `begin`, and only this thread has references to it, in calls that have returned.
        unsafe { give_page_back(page) };
    }
}

impl Here {
    /// State of a thread of which nothing is known.
    pub(crate) const fn new() -> Here {
        Here {
            wait_id: Cell::new(0),
            open: Cell::new(0),
            depth: Cell::new(0),
            teams: [const { Cell::new(OUTSIDE) }; DEEPEST],
            opens: [const { Cell::new(0) }; DEEPEST],
            resumed: Cell::new(0),
        }
    }

    /// The innermost team, or [`OUTSIDE`].
    #[inline]
    pub(crate) fn team(&self) -> Team {
        let depth = self.depth.get() as usize;
        let slot = depth.checked_sub(1).and_then(|at| self.teams.get(at.min(DEEPEST - 1)));
        slot.map_or(OUTSIDE, Cell::get)
    }

    /// True if the thread is in no team.
    #[inline]
    pub(crate) fn is_outside(&self) -> bool {
        self.depth.get() == 0
    }

    /// Enters a team; returns true unless it is nested too deeply to be distinguished from the one around it.
    pub(crate) fn push(&self, team: Team) -> bool {
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        let slots = self.teams.get(depth as usize).zip(self.opens.get(depth as usize));
        if let Some((slot, open)) = slots {
            slot.set(team);
            open.set(self.open.replace(0));
        }
        slots.is_some()
    }

    /// Leaves the innermost team; returns the team and its begins without an end, or `None` if the team was nested too
    /// deeply.
    pub(crate) fn pop(&self) -> Option<(Team, u16)> {
        let depth = self.depth.get().checked_sub(1)?;
        self.depth.set(depth);
        let slot = self.teams.get(depth as usize)?;
        let below = self.opens.get(depth as usize).map_or(0, Cell::get);
        Some((slot.get(), self.open.replace(below)))
    }

    /// True if events may have been missed since the last call of this function by the thread.
    #[inline]
    pub(crate) fn has_missed(&self) -> bool {
        let now = RESUMED.load(Ordering::Relaxed);
        self.resumed.replace(now) != now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(number: u64) -> Team {
        Team { region: Id(number), task: Id(100 + number), is_primary: true }
    }

    #[test]
    fn teams_nest_and_remember_what_is_open() {
        let here = Here::new();
        assert_eq!((here.team(), here.pop()), (OUTSIDE, None));
        here.open.set(4);
        assert!(here.push(team(1)));
        here.open.set(2);
        assert!(here.push(team(2)));
        assert_eq!((here.team(), here.open.get()), (team(2), 0));
        assert_eq!(here.pop(), Some((team(2), 0)));
        assert_eq!(here.pop(), Some((team(1), 2)));
        assert_eq!((here.is_outside(), here.open.get()), (true, 4));
    }

    #[test]
    fn what_is_nested_too_deep_is_counted_only() {
        let here = Here::new();
        for number in 0..DEEPEST as u64 {
            assert!(here.push(team(number)));
        }
        assert!(!here.push(team(99)));
        assert_eq!(here.team(), team(DEEPEST as u64 - 1));
        assert_eq!(here.pop(), None);
        assert_eq!(here.pop().map(|(team, _)| team.region), Some(Id(DEEPEST as u64 - 1)));
    }

    #[test]
    fn a_pause_is_noticed_once() {
        let here = Here::new();
        here.has_missed();
        assert!(!here.has_missed());
        missed();
        assert!(here.has_missed() && !here.has_missed());
    }
}
