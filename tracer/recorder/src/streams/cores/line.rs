//! The kernel's times on the records' clock.

use ompttrace_recording::facts::ClockPair;

/// The line through two clock pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    begin: ClockPair,
    ticks: u64,
    nanoseconds: u64,
}

impl Line {
    pub(super) fn through(begin: ClockPair, end: ClockPair) -> Line {
        Line {
            begin,
            ticks: end.ticks.saturating_sub(begin.ticks),
            nanoseconds: end.monotonic.saturating_sub(begin.monotonic),
        }
    }

    /// CLOCK_MONOTONIC in nanoseconds as ticks: also of times a little outside.
    pub(super) fn ticks_of(&self, monotonic: u64) -> u64 {
        let since = i128::from(monotonic) - i128::from(self.begin.monotonic);
        let ticks = since * i128::from(self.ticks) / i128::from(self.nanoseconds.max(1));
        u64::try_from(i128::from(self.begin.ticks) + ticks).unwrap_or(0)
    }

    /// Ticks in this many nanoseconds; `None` on a line too short to say.
    pub(super) fn ticks_in(&self, nanoseconds: u64) -> Option<u64> {
        let ticks = u128::from(self.ticks) * u128::from(nanoseconds);
        let per_line = ticks.checked_div(u128::from(self.nanoseconds))?;
        u64::try_from(per_line).ok().filter(|ticks| *ticks > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_lie_on_the_line_and_beyond_its_ends() {
        let pair = |ticks, monotonic| ClockPair { ticks, monotonic };
        let line = Line::through(pair(1000, 500), pair(4000, 1500));
        assert_eq!(
            [500, 600, 1500, 1600, 400].map(|ns| line.ticks_of(ns)),
            [1000, 1300, 4000, 4300, 700]
        );
        assert_eq!(line.ticks_of(0), 0);
        assert_eq!(line.ticks_in(10), Some(30));
        let point = Line::through(pair(7, 7), pair(7, 7));
        assert_eq!((point.ticks_of(7), point.ticks_in(10)), (7, None));
    }
}
