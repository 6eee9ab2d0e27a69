//! The part of a run that a report is about.
//!
//! The whole run is taken in, so that everything is attributed as in a report of all of it. Outside of the window no time
//! passes: what comes before is at its begin, what comes after at its end. So times are those within the window, and the
//! times of adjoining windows add up to those of the whole. What is counted instead is counted where it lies in the window:
//! a begin from the window's begin on, an end up to the window's end.

use super::ReportSink;
use crate::thread::Thread;
use ompttrace_model::{Core, ThreadRef};

/// A part of a run's time, in nanoseconds since the run's begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its begin; none is that of the run.
    pub from: Option<u64>,
    /// Its end; none is that of the run.
    pub to: Option<u64>,
}

/// The time at which something ends: within the window and as it is, and whether it counts there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub at: u64,
    pub unbounded: u64,
    pub counts: bool,
}

impl End {
    /// In a report of the whole run.
    #[cfg(test)]
    pub(crate) fn in_whole(at: u64) -> End {
        End { at, unbounded: at, counts: true }
    }
}

/// The bounds of the window on the timeline's clock, and the time of the event that is taken in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The first time of a begin that counts, and of an end.
    from: u64,
    ends_from: u64,
    /// The first time after the window.
    to: u64,
    /// The time of the event.
    pub now: u64,
    /// True if the window is not the whole run.
    pub is_part: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { from: 0, ends_from: 0, to: u64::MAX, now: 0, is_part: false }
    }
}

impl Bounds {
    /// Those of a window in a run that begins at `begin`.
    pub(crate) fn of(window: Window, begin: u64) -> Bounds {
        let at = |time: u64| begin.saturating_add(time);
        Bounds {
            from: window.from.map_or(0, at),
            ends_from: window.from.map_or(0, |from| at(from).saturating_add(1)),
            to: window.to.map_or(u64::MAX, at),
            now: 0,
            is_part: window != Window::default(),
        }
    }

    /// A time, or the bound of the window that is nearest to it.
    pub(crate) fn clamp(&self, at: u64) -> u64 {
        at.clamp(self.from, self.to.max(self.from))
    }

    /// True if what the event begins counts.
    #[inline]
    pub(crate) fn begins(&self) -> bool {
        self.from <= self.now && self.now < self.to
    }

    /// True if what the event ends counts.
    #[inline]
    pub(crate) fn ends(&self) -> bool {
        self.ends_from <= self.now && self.now <= self.to
    }

    /// The event as an end, which is at `at` within the window.
    pub(crate) fn end(&self, at: u64) -> End {
        End { at, unbounded: self.now, counts: self.ends() }
    }

    /// True if what the event ends has a part in the window or after it.
    pub(crate) fn leaves_part(&self) -> bool {
        self.is_part && self.ends_from <= self.now
    }

    /// True if the event lies before the window.
    pub(crate) fn is_before(&self) -> bool {
        self.now < self.from
    }

    /// True if the event lies after the window.
    pub(crate) fn is_after(&self) -> bool {
        self.now >= self.to
    }

    /// The nanoseconds between two times that lie before the window.
    pub(crate) fn before(&self, begin: u64, end: u64) -> u64 {
        end.min(self.from).saturating_sub(begin.min(self.from))
    }

    /// True if the window ends before a time.
    pub(crate) fn ends_before(&self, at: u64) -> bool {
        self.to < at
    }

    /// True if the window begins after a time.
    pub(crate) fn begins_after(&self, at: u64) -> bool {
        self.from > at
    }
}

impl ReportSink {
    /// Limits the report to a time window of the run.
    pub fn within(self, window: Window) -> ReportSink {
        ReportSink { window, ..self }
    }

    /// Keeps how deep the teams of a thread are nested, and how many teams there are.
    pub(super) fn note_teams(&mut self, t: ThreadRef) {
        let frames = &self.thread(t).task_frames;
        let of_teams =
            frames.iter().filter(|frame| !frame.is_after && !frame.root && frame.team_size > 1);
        let levels = of_teams.count() as u32;
        self.levels = self.levels.max(levels);
        self.most_teams = self.most_teams.max(self.outermost_teams);
    }

    /// Keeps what is still open when all is over.
    pub(super) fn note_open_teams(&mut self) {
        if self.bounds.is_part {
            (0..self.threads.len() as ThreadRef).for_each(|t| self.note_teams(t));
            self.most_present = most_at_a_time(&self.threads);
        }
    }

    /// The time of a thread before the window, of which the kernel may say later how much was on a core.
    #[cold]
    pub(super) fn settle_before_window(&mut self, t: ThreadRef) {
        let bounds = self.bounds;
        let thread = self.thread(t);
        let since = thread.since_unbounded;
        thread.since_unbounded = since.max(bounds.now);
        let before = bounds.before(since, bounds.now);
        if before == 0 || thread.now.core != Core::Unknown {
            return;
        }
        let kind = thread.unread_kind();
        if let Some(unread) = &mut thread.unread {
            unread.add_before(kind, before);
        }
    }
}

/// The most threads that there were at a time, helpers of the runtime left out.
fn most_at_a_time(threads: &[Thread]) -> u64 {
    let lived = threads.iter().filter(|thread| !thread.helper);
    let lived = lived.filter_map(|thread| Some((thread.begin?, thread.since)));
    let lived = lived.filter(|(begin, end)| begin < end);
    let mut changes: Vec<_> =
        lived.flat_map(|(begin, end)| [(begin, 1_i64), (end, -1_i64)]).collect();
    // An end comes before a begin at the same time.
    changes.sort_unstable();
    let (mut now, mut most) = (0_i64, 0_i64);
    for (_, change) in changes {
        now += change;
        most = most.max(now);
    }
    most.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(window: Window, now: u64) -> Bounds {
        Bounds { now, ..Bounds::of(window, 1000) }
    }

    #[test]
    fn what_lies_on_a_border_counts_in_one_of_both_windows() {
        let before = Window { from: None, to: Some(100) };
        let behind = Window { from: Some(100), to: None };
        for now in [1000, 1099, 1100, 1101, 5000] {
            let counts = |of: fn(&Bounds) -> bool| [before, behind].map(|part| of(&at(part, now)));
            assert!(matches!(counts(Bounds::begins), [true, false] | [false, true]), "{now}");
            assert!(matches!(counts(Bounds::ends), [true, false] | [false, true]), "{now}");
        }
        assert!(at(before, 1100).ends() && at(behind, 1100).begins());
    }

    #[test]
    fn outside_of_a_window_no_time_passes() {
        let bounds = at(Window { from: Some(10), to: Some(20) }, 0);
        assert_eq!([1000, 1012, 1030].map(|at| bounds.clamp(at)), [1010, 1012, 1020]);
        assert_eq!(bounds.before(1003, 1012), 7);
        assert_eq!(bounds.before(1010, 1012), 0);
        let whole = at(Window::default(), 0);
        assert!(whole.begins() && whole.ends() && !whole.is_part);
    }

    #[test]
    fn threads_count_where_they_live_at_the_same_time() {
        let thread = |begin, since| {
            let mut thread = Thread::default();
            (thread.begin, thread.since) = (Some(begin), since);
            thread
        };
        let threads = [thread(0, 10), thread(10, 20), thread(5, 20), thread(7, 7)];
        assert_eq!(most_at_a_time(&threads), 2);
    }
}
