//! Counters over time, reported sparsely enough to be readable and often enough to be accurate.
//!
//! A value that lasts at least 10 us is reported at its own time. Of values that change faster, at most
//! one per 10 us is reported, and the last one of the run always. A writer without a minimum duration
//! (`MIN_RESUME_NS` of 0) gets every value: then the integral of a counter is exact.

use crate::out::Emitter;
use ompttrace_model::{Counter, Event, ThreadRef};
use ompttrace_recording::events::CounterValue;

/// Values that last shorter may be left out, nanoseconds; where everything is reported, those that never lasted.
const SHORT: u64 = 10_000;

/// One counter: its value and what was reported of it.
#[derive(Debug)]
struct Series {
    counter: Counter,
    /// Values that last shorter may be left out.
    short: u64,
    value: i64,
    /// Time since which the counter has this value, in nanoseconds.
    since: u64,
    emitted: i64,
    emitted_at: Option<u64>,
}

impl Series {
    fn new(counter: Counter, short: u64) -> Series {
        Series { counter, short, value: 0, since: 0, emitted: 0, emitted_at: None }
    }

    /// The value changes by `by` at `at`; returns how many values were reported.
    #[inline(always)]
    fn add(&mut self, to: &mut Emitter<'_>, at: u64, by: i64) -> u64 {
        let at = at.max(self.since);
        let is_soon = self.emitted_at.is_some_and(|last| at - last < self.short);
        if at - self.since < self.short && is_soon {
            (self.value, self.since) = (self.value + by, at);
            return 0;
        }
        self.add_and_emit(to, at, by)
    }

    /// Does the same at a time at which the value before or the new one may have to be reported.
    #[cold]
    fn add_and_emit(&mut self, to: &mut Emitter<'_>, at: u64, by: i64) -> u64 {
        let mut emitted = 0;
        if at - self.since >= self.short {
            emitted += self.emit(to);
        }
        self.value += by;
        self.since = at;
        if self.emitted_at.is_none_or(|last| at - last >= self.short) {
            emitted += self.emit(to);
        }
        emitted
    }

    /// Reports the value, unless the last one reported was the same.
    fn emit(&mut self, to: &mut Emitter<'_>) -> u64 {
        if self.emitted_at.is_some() && self.emitted == self.value {
            return 0;
        }
        if self.emitted_at.is_none() && self.value == 0 {
            return 0;
        }
        (self.emitted, self.emitted_at) = (self.value, Some(self.since));
        // A recording that began in the middle sees tasks complete that it never saw created.
        to.emit(self.since, &Event::Counter(self.counter, self.value.max(0)));
        1
    }
}

/// Changes that wait for the outcome of a test for a lock; more are reported without it.
const MAX_DEFERRED: usize = 1 << 12;

/// Changes in the number of working threads while threads test locks: whether a test was a short wait is
/// known when it is over.
#[derive(Debug, Default)]
struct Deferred {
    tests: usize,
    changes: Vec<(u64, i64)>,
    /// True if there were too many changes since the last time at which no thread tested a lock.
    full: bool,
}

/// All counters.
#[derive(Debug)]
pub(crate) struct Counters {
    exact: bool,
    deferred: Deferred,
    working: Series,
    idle: Series,
    tasks: Series,
    /// Number of counters that the run has for each of its threads.
    pub of_threads: u64,
    /// Values reported so far.
    pub emitted: u64,
}

impl Counters {
    /// Counters for a writer with this minimum duration of resumptions, in nanoseconds.
    pub(crate) fn new(min_resume_ns: u64) -> Counters {
        let short = if min_resume_ns == 0 { 1 } else { SHORT };
        Counters {
            exact: min_resume_ns == 0,
            deferred: Deferred::default(),
            working: Series::new(Counter::ThreadsWorking, short),
            idle: Series::new(Counter::ThreadsIdle, short),
            tasks: Series::new(Counter::LiveTasks, short),
            of_threads: 0,
            emitted: 0,
        }
    }

    /// The sink of the window that ends here reported the last values.
    pub(crate) fn are_known(&mut self, at: u64) {
        for series in [&mut self.working, &mut self.idle, &mut self.tasks] {
            (series.since, series.emitted, series.emitted_at) = (at, series.value, Some(at));
        }
    }

    /// Sets the number of explicit tasks that are alive at the begin of a window.
    pub(crate) fn has_tasks(&mut self, count: i64) {
        self.tasks.value = count;
    }

    /// Reports the new value of one of a thread's counters. Returns false if there is no such counter.
    pub(crate) fn of_thread(
        &mut self,
        to: &mut Emitter<'_>,
        (at, thread): (u64, ThreadRef),
        event: &CounterValue,
    ) -> bool {
        let is_known = event.counter < self.of_threads;
        if is_known {
            let counter = Counter::OfThread(thread, event.counter as u32);
            let value = i64::try_from(event.value).unwrap_or(i64::MAX);
            to.emit(at, &Event::Counter(counter, value));
            self.emitted += 1;
        }
        is_known
    }

    #[inline(always)]
    pub(crate) fn working(&mut self, to: &mut Emitter<'_>, at: u64, by: i64) {
        if self.deferred.tests == 0 || self.deferred.full {
            self.emitted += self.working.add(to, at, by);
        } else {
            self.defer(to, at, by);
        }
    }

    #[cold]
    fn defer(&mut self, to: &mut Emitter<'_>, at: u64, by: i64) {
        self.deferred.changes.push((at, by));
        if self.deferred.changes.len() >= MAX_DEFERRED {
            self.deferred.full = true;
            self.emit_deferred(to);
        }
    }

    /// A thread tests a lock.
    #[inline]
    pub(crate) fn test_begins(&mut self) {
        self.deferred.tests += usize::from(self.exact);
    }

    /// The test is over; if it is reported as a wait of a thread that works otherwise, from when to when.
    #[inline]
    pub(crate) fn test_ends(&mut self, to: &mut Emitter<'_>, waited: Option<(u64, u64)>) {
        if !self.exact {
            return;
        }
        if let Some((from, until)) = waited {
            self.working(to, from, -1);
            self.working(to, until, 1);
        }
        self.deferred.tests = self.deferred.tests.saturating_sub(1);
        if self.deferred.tests == 0 {
            self.deferred.full = false;
            self.emit_deferred(to);
        }
    }

    fn emit_deferred(&mut self, to: &mut Emitter<'_>) {
        let mut changes = std::mem::take(&mut self.deferred.changes);
        changes.sort_by_key(|(at, _)| *at);
        for (at, by) in changes.drain(..) {
            self.emitted += self.working.add(to, at, by);
        }
        self.deferred.changes = changes;
    }

    pub(crate) fn idle(&mut self, to: &mut Emitter<'_>, at: u64, by: i64) {
        self.emitted += self.idle.add(to, at, by);
    }

    #[inline]
    pub(crate) fn tasks(&mut self, to: &mut Emitter<'_>, at: u64, by: i64) {
        self.emitted += self.tasks.add(to, at, by);
    }

    /// Reports every last value.
    pub(crate) fn finish(&mut self, to: &mut Emitter<'_>) {
        self.emit_deferred(to);
        for series in [&mut self.working, &mut self.idle, &mut self.tasks] {
            self.emitted += series.emit(to);
        }
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::Checker;
    use ompttrace_model::Kept;

    /// The values that are reported of a series of (time, change).
    fn emitted(changes: &[(u64, i64)]) -> Vec<(u64, i64)> {
        emitted_with(1_000, changes)
    }

    fn emitted_with(min_resume_ns: u64, changes: &[(u64, i64)]) -> Vec<(u64, i64)> {
        emitted_by(min_resume_ns, |counters, to| {
            changes.iter().for_each(|(at, by)| counters.tasks(to, *at, *by));
        })
    }

    fn emitted_by(
        min_resume_ns: u64,
        change: impl FnOnce(&mut Counters, &mut Emitter<'_>),
    ) -> Vec<(u64, i64)> {
        let mut sink = Kept::new(Checker::default());
        let (mut counters, mut to) = (Counters::new(min_resume_ns), Emitter::new(&mut sink));
        change(&mut counters, &mut to);
        counters.finish(&mut to);
        let checker = sink.open().expect("a sink that has not finished");
        checker.remembered().counters.iter().map(|(at, _, value)| (*at, *value)).collect()
    }

    #[test]
    fn values_that_last_are_reported_at_their_own_time() {
        let changes = [(0, 1), (20_000, 1), (50_000, -2)];
        assert_eq!(emitted(&changes), [(0, 1), (20_000, 2), (50_000, 0)]);
    }

    #[test]
    fn of_values_that_do_not_last_one_in_10_us_is_reported_and_the_last() {
        let changes: Vec<_> =
            (0..1000).map(|n| (100 * n, if n % 2 == 0 { 1 } else { -1 })).collect();
        let emitted = emitted(&changes);
        assert!(emitted.len() <= 12, "{emitted:?}");
        assert_eq!(emitted.last().map(|(_, value)| *value), Some(0));
    }

    #[test]
    fn where_everything_is_reported_so_is_every_value() {
        let changes = [(5, 1), (6, 1), (6, 1), (7, -3)];
        assert_eq!(emitted_with(0, &changes), [(5, 1), (6, 2), (6, 3), (7, 0)]);
    }

    #[test]
    fn a_test_for_a_lock_is_a_wait_only_once_that_is_known() {
        let emitted = emitted_by(0, |counters, to| {
            counters.working(to, 1, 1);
            for (begin, waited) in [(10, Some((10, 15))), (20, None)] {
                counters.test_begins();
                counters.working(to, begin + 2, 1);
                counters.working(to, begin + 3, -1);
                counters.test_ends(to, waited);
            }
        });
        let second = [(22, 2), (23, 1)];
        assert_eq!(emitted, [&[(1, 1), (10, 0), (12, 1), (13, 0), (15, 1)][..], &second].concat());
    }

    #[test]
    fn what_never_changes_is_never_reported() {
        assert_eq!(emitted(&[]), []);
        assert_eq!(emitted(&[(5, 1), (10, -1)]), [(5, 1), (10, 0)]);
    }
}
