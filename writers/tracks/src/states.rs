//! Activities of threads, by their states as the timeline reports them.
//!
//! Those that take less than [`SHORTEST`] are drawn together with others around them, as sums: the thread's own track
//! has them one by one.

use crate::parts::{Part, Parts};
use ompttrace_model::{Activity, RunInfo, State, ThreadRef};

/// Least duration of an activity that is drawn by itself, in nanoseconds. Shorter parts would make traces of short
/// tasks and locks twice as large.
const SHORTEST: u64 = 50_000;

/// The activities of all threads.
#[derive(Debug, Default)]
pub(crate) struct States {
    threads: Vec<ThreadActivity>,
    /// True if every activity is drawn by itself, however short.
    exact: bool,
}

/// The activities of one thread.
#[derive(Debug)]
struct ThreadActivity {
    /// The activity by its last state, which may turn out to be void.
    now: Since,
    /// The activity before, if it is not drawn.
    before: Option<Since>,
    parts: Parts,
}

/// An activity, or none if the thread does not exist, from a time on.
type Since = (Option<Activity>, u64);

impl ThreadActivity {
    fn new(shortest: u64) -> ThreadActivity {
        ThreadActivity { now: (None, 0), before: None, parts: Parts::new(shortest) }
    }

    /// The thread does something else from `at` on; what it did before may be drawn now.
    #[inline(always)]
    fn turn(&mut self, at: u64, activity: Option<Activity>, draw: impl FnMut(Part<'_>)) {
        let (now, since) = self.now;
        if at <= since {
            let goes_on = self.before.take_if(|(before, _)| *before == activity);
            self.now = goes_on.unwrap_or((activity, since));
            return;
        }
        if now == activity {
            return;
        }
        self.now = (activity, at);
        if let Some(before) = self.before.replace((now, since)) {
            self.over(before, since, draw);
        }
    }

    /// Takes an activity from a time up to `to`, which is over.
    #[inline(always)]
    fn over(&mut self, (activity, from): Since, to: u64, mut draw: impl FnMut(Part<'_>)) {
        match activity {
            Some(activity) => self.parts.take_one(activity, from, to, draw),
            // What comes next is not of the same time.
            None => self.parts.finish().iter().for_each(|sum| draw(Part::Sum(sum))),
        }
    }

    /// Draws everything that was not drawn.
    fn finish(&mut self, mut draw: impl FnMut(Part<'_>)) {
        let (before, now) = (self.before.take(), std::mem::take(&mut self.now));
        if let Some(before) = before {
            self.over(before, now.1, &mut draw);
        }
        self.parts.finish().iter().for_each(|sum| draw(Part::Sum(sum)));
    }
}

impl States {
    /// Everything is drawn by itself, however short.
    pub(crate) fn set_exact(&mut self) {
        self.exact = true;
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    pub(crate) fn start(&mut self, run: &RunInfo<'_>) {
        let shortest = if self.exact { 0 } else { SHORTEST };
        self.threads = run.threads.iter().map(|_| ThreadActivity::new(shortest)).collect();
    }

    /// A thread is in a state from `at` on: what it did up to some time before is drawn, where that is over and long enough.
    #[inline(always)]
    pub(crate) fn take(
        &mut self,
        at: u64,
        thread: ThreadRef,
        state: Option<State>,
        draw: impl FnMut(Part<'_>),
    ) {
        if let Some(doing) = self.threads.get_mut(thread as usize) {
            doing.turn(at, state.map(State::activity), draw);
        }
    }

    /// Draws what all threads did last.
    pub(crate) fn finish(&mut self, mut draw: impl FnMut(ThreadRef, Part<'_>)) {
        for (doing, thread) in self.threads.iter_mut().zip(0..) {
            doing.finish(|part| draw(thread, part));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_model::Activity::{Idle, Wait, Work};

    /// Draws changes, one by one.
    fn drawn(changes: &[(u64, Option<Activity>)]) -> Vec<(Activity, u64, u64)> {
        let mut doing = ThreadActivity::new(0);
        let mut parts = Vec::new();
        let mut draw = |part: Part<'_>| match part {
            Part::One(activity, from, to) => parts.push((activity, from, to)),
            Part::Sum(sum) => panic!("nothing is added up: {sum:?}"),
        };
        for (at, activity) in changes {
            doing.turn(*at, *activity, &mut draw);
        }
        doing.finish(draw);
        parts
    }

    #[test]
    fn each_activity_lasts_to_the_next_other_one() {
        let changes =
            [(5, Some(Idle)), (10, Some(Work)), (20, Some(Work)), (30, Some(Wait)), (40, None)];
        assert_eq!(drawn(&changes), [(Idle, 5, 10), (Work, 10, 30), (Wait, 30, 40)]);
    }

    #[test]
    fn a_state_that_another_one_replaces_at_its_own_time_was_never_there() {
        let changes = [
            (10, Some(Work)),
            (20, Some(Wait)),
            (20, Some(Work)),
            (30, Some(Wait)),
            (30, Some(Idle)),
            (40, None),
        ];
        assert_eq!(drawn(&changes), [(Work, 10, 30), (Idle, 30, 40)]);
    }

    #[test]
    fn nothing_is_drawn_while_a_thread_is_not_there() {
        let changes =
            [(10, Some(Work)), (20, None), (30, Some(Work)), (40, Some(Work)), (40, None)];
        assert_eq!(drawn(&changes), [(Work, 10, 20), (Work, 30, 40)]);
    }
}
