//! Counters over time, told sparsely enough to be read and often enough to be true.
//!
//! A value that lasts at least 10 us is told at its own time. Of values that change faster, at most
//! one in 10 us is told, and the last one of the run always is.

use crate::sink::{Counter, Sink};

/// Values that last shorter may be left out, nanoseconds.
const SHORT: u64 = 10_000;

/// One counter: its value and what of it was told.
#[derive(Debug)]
struct Series {
    counter: Counter,
    value: i64,
    /// Since when it has this value.
    since: u64,
    told: i64,
    told_at: Option<u64>,
}

impl Series {
    fn new(counter: Counter) -> Series {
        Series { counter, value: 0, since: 0, told: 0, told_at: None }
    }

    /// The value changes by `by` at `at`; returns how many values were told.
    #[inline]
    fn add<S: Sink>(&mut self, sink: &mut S, at: u64, by: i64) -> u64 {
        let at = at.max(self.since);
        let mut told = 0;
        if at - self.since >= SHORT {
            told += self.tell(sink);
        }
        self.value += by;
        self.since = at;
        if self.told_at.is_none_or(|last| at - last >= SHORT) {
            told += self.tell(sink);
        }
        told
    }

    /// Tells the value, unless the last one told was the same.
    fn tell<S: Sink>(&mut self, sink: &mut S) -> u64 {
        if self.told_at.is_some() && self.told == self.value {
            return 0;
        }
        if self.told_at.is_none() && self.value == 0 {
            return 0;
        }
        (self.told, self.told_at) = (self.value, Some(self.since));
        // A recording that began in the middle sees tasks complete that it never saw created.
        sink.counter(self.since, self.counter, self.value.max(0));
        1
    }
}

/// All counters.
#[derive(Debug)]
pub(crate) struct Counters {
    working: Series,
    idle: Series,
    tasks: Series,
    /// Values told so far.
    pub told: u64,
}

impl Counters {
    pub(crate) fn new() -> Counters {
        Counters {
            working: Series::new(Counter::ThreadsWorking),
            idle: Series::new(Counter::ThreadsIdle),
            tasks: Series::new(Counter::LiveTasks),
            told: 0,
        }
    }

    pub(crate) fn working<S: Sink>(&mut self, sink: &mut S, at: u64, by: i64) {
        self.told += self.working.add(sink, at, by);
    }

    pub(crate) fn idle<S: Sink>(&mut self, sink: &mut S, at: u64, by: i64) {
        self.told += self.idle.add(sink, at, by);
    }

    #[inline]
    pub(crate) fn tasks<S: Sink>(&mut self, sink: &mut S, at: u64, by: i64) {
        self.told += self.tasks.add(sink, at, by);
    }

    /// Tells every last value.
    pub(crate) fn finish<S: Sink>(&mut self, sink: &mut S) {
        for series in [&mut self.working, &mut self.idle, &mut self.tasks] {
            self.told += series.tell(sink);
        }
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::Checker;

    /// The values that are told of a series of (time, change).
    fn told(changes: &[(u64, i64)]) -> Vec<(u64, i64)> {
        let (mut counters, mut sink) = (Counters::new(), Checker::default());
        for (at, by) in changes {
            counters.tasks(&mut sink, *at, *by);
        }
        counters.finish(&mut sink);
        sink.remembered().counters.iter().map(|(at, _, value)| (*at, *value)).collect()
    }

    #[test]
    fn values_that_last_are_told_at_their_own_time() {
        let changes = [(0, 1), (20_000, 1), (50_000, -2)];
        assert_eq!(told(&changes), [(0, 1), (20_000, 2), (50_000, 0)]);
    }

    #[test]
    fn of_values_that_do_not_last_one_in_10_us_is_told_and_the_last() {
        let changes: Vec<_> =
            (0..1000).map(|n| (100 * n, if n % 2 == 0 { 1 } else { -1 })).collect();
        let told = told(&changes);
        assert!(told.len() <= 12, "{told:?}");
        assert_eq!(told.last().map(|(_, value)| *value), Some(0));
    }

    #[test]
    fn what_never_changes_is_never_told() {
        assert_eq!(told(&[]), []);
        assert_eq!(told(&[(5, 1), (10, -1)]), [(5, 1), (10, 0)]);
    }
}
