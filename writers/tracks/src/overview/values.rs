//! One counter at one resolution.

/// A value of the counter that is written, and the time from which on it is valid.
pub(super) type Value = (u64, f64);

/// Values that come in quick succession, written as their mean over the time; of a counter that only adds up, the
/// last one is written.
#[derive(Debug)]
pub(super) struct Values {
    resolution: u64,
    /// True if the counter adds up events, so that a mean has no meaning.
    adds_up: bool,
    /// Time at which the values begin that are not written, in CLOCK_MONOTONIC nanoseconds.
    from: u64,
    /// The last of these values.
    last: Option<Value>,
    /// Integral of these values over the time up to the last one, in value times nanoseconds.
    area: f64,
    several: bool,
}

impl Values {
    pub(super) fn new(resolution: u64, adds_up: bool) -> Values {
        Values { resolution, adds_up, from: 0, last: None, area: 0.0, several: false }
    }

    /// Takes a value; returns the values to be written now, in order.
    pub(super) fn take(&mut self, at: u64, value: f64) -> [Option<Value>; 2] {
        let Some((since, before)) = self.last else {
            self.begin(at, value);
            return [None; 2];
        };
        if at.saturating_sub(self.from) < self.resolution {
            self.area += before * at.saturating_sub(since) as f64;
            (self.last, self.several) = (Some((at, value)), true);
            return [None; 2];
        }
        let written = self.finish();
        self.begin(at, value);
        written
    }

    fn begin(&mut self, at: u64, value: f64) {
        (self.from, self.last, self.area, self.several) = (at, Some((at, value)), 0.0, false);
    }

    /// The values that are not written so far.
    pub(super) fn finish(&mut self) -> [Option<Value>; 2] {
        let Some((since, value)) = self.last.take() else { return [None; 2] };
        if self.adds_up || !self.several {
            return [Some((since, value)), None];
        }
        let until = self.from.saturating_add(self.resolution);
        let area = self.area + value * until.saturating_sub(since) as f64;
        [Some((self.from, area / self.resolution as f64)), Some((until, value))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_its_mean_and_what_follows_is_as_it_was() {
        let mut values = Values::new(100, false);
        for (at, value) in [(1_000, 4.0), (1_025, 0.0), (1_050, 2.0)] {
            assert_eq!(values.take(at, value), [None; 2]);
        }
        assert_eq!(values.take(5_000, 7.0), [Some((1_000, 2.0)), Some((1_100, 2.0))]);
        assert_eq!(values.take(5_100, 8.0), [Some((5_000, 7.0)), None]);
        assert_eq!(values.finish(), [Some((5_100, 8.0)), None]);
        assert_eq!(values.finish(), [None; 2]);
    }

    #[test]
    fn of_what_adds_up_the_last_value_counts() {
        let mut values = Values::new(100, true);
        for (at, value) in [(0, 1.0), (10, 2.0), (20, 9.0)] {
            assert_eq!(values.take(at, value), [None; 2]);
        }
        assert_eq!(values.take(200, 10.0), [Some((20, 9.0)), None]);
    }
}
