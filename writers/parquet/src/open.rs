//! The interval that a thread is in: parts that are alike, one after the other, are one.

use ompttrace_recording::Id;
use ompttrace_report::State;
use ompttrace_report::journal::{Account, Part, Running};

/// Properties that all parts of an interval share: a part with other properties begins the next interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sort {
    pub state: State,
    pub account: Account,
    pub region: Id,
    pub task: Id,
    pub works: bool,
}

impl Sort {
    #[inline]
    fn of(part: &Part) -> Sort {
        let Part { state, account, region, task, works, .. } = *part;
        Sort { state, account, region, task, works }
    }
}

/// The thread that a wait was for, and what it worked at meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocker {
    pub thread: u32,
    pub account: Account,
}

/// An interval; it may still continue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub sort: Sort,
    pub begin: u64,
    pub end: u64,
    /// The running sums of blame at its begin and end.
    pub blame: (Running, Running),
    pub blocker: Option<Blocker>,
}

impl Interval {
    /// The interval that begins with a part.
    #[inline]
    pub(crate) fn of(part: &Part, blame: Running) -> Interval {
        Interval {
            sort: Sort::of(part),
            begin: part.begin,
            end: part.end,
            blame: (blame, part.blame),
            blocker: None,
        }
    }

    /// Continues with a part, if it is alike; a wait that is over does not.
    #[inline]
    pub(crate) fn goes_on(&mut self, part: &Part) -> bool {
        let is_alike = self.sort == Sort::of(part) && self.end == part.begin;
        if is_alike && self.blocker.is_none() {
            self.end = part.end;
            self.blame.1 = part.blame;
            return true;
        }
        false
    }

    /// Returns true if the interval is a wait for other threads: at a barrier, for tasks or for a mutex.
    pub(crate) fn waits(&self) -> bool {
        self.sort.state.is_starved() || self.sort.state.is_mutex()
    }
}
