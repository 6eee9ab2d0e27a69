//! Ticks to CLOCK_MONOTONIC nanoseconds: a straight line through the first and last clock pair.
//!
//! A multiplication and a shift per event, and never backwards: the product of a larger distance
//! is never smaller. Of a job whose clocks disagree times may be corrected after that.

use ompttrace_recording::facts::ClockPair;
use ompttrace_recording::{Correction, Recording};
use std::sync::Arc;

/// The line, anchored at the earliest pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    ticks: u64,
    monotonic: u64,
    multiplier: u64,
    shift: u32,
    correction: Option<Arc<Correction>>,
}

impl Clock {
    /// The clock of a recording, with its correction: a line through the first and last pair of its facts, and of its fragments if the run
    /// was not closed or the facts have fewer than two; one tick a nanosecond where there are too few.
    pub fn of(recording: &Recording) -> Clock {
        let mut pairs = recording.facts.clock.pairs.clone();
        if pairs.len() < 2 || !recording.facts.closed {
            let of_threads = recording.threads.iter().filter_map(|thread| thread.clock);
            pairs.extend(of_threads.flat_map(|(first, last)| [first, last]));
        }
        Clock { correction: recording.correction.clone(), ..Clock::through(&pairs) }
    }

    /// The line through the first and the last of `pairs`; one tick a nanosecond where they are
    /// too few or contradict each other.
    pub fn through(pairs: &[ClockPair]) -> Clock {
        let first = pairs.iter().min_by_key(|pair| pair.ticks).copied().unwrap_or_default();
        let last = pairs.iter().max_by_key(|pair| pair.ticks).copied().unwrap_or_default();
        let ticks = last.ticks - first.ticks;
        let nanoseconds = last.monotonic.saturating_sub(first.monotonic);
        let (multiplier, shift) = slope(nanoseconds, ticks).unwrap_or((1 << 63, 63));
        let (ticks, monotonic, correction) = (first.ticks, first.monotonic, None);
        Clock { ticks, monotonic, multiplier, shift, correction }
    }

    /// The time of a record.
    #[inline(always)]
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        let time = if ticks >= self.ticks {
            self.monotonic.saturating_add(self.distance(ticks - self.ticks))
        } else {
            self.monotonic.saturating_sub(self.distance(self.ticks - ticks))
        };
        match &self.correction {
            None => time,
            Some(correction) => correction.apply(time),
        }
    }

    /// The length of a span of ticks, without a correction.
    #[inline(always)]
    pub fn distance(&self, ticks: u64) -> u64 {
        // It is below 64, as the compiler would not know otherwise.
        let product = (u128::from(ticks) * u128::from(self.multiplier)) >> (self.shift & 63);
        if product > u128::from(u64::MAX) { u64::MAX } else { product as u64 }
    }
}

/// `nanoseconds / ticks` as a 64-bit multiplier and a shift, with as many bits as there is room for.
fn slope(nanoseconds: u64, ticks: u64) -> Option<(u64, u32)> {
    if nanoseconds == 0 || ticks == 0 {
        return None;
    }
    let quotient = |shift: u32| (u128::from(nanoseconds) << shift) / u128::from(ticks);
    let shift = (0..=63).rev().find(|&shift| quotient(shift) <= u128::from(u64::MAX))?;
    let multiplier = quotient(shift) as u64;
    (multiplier > 0).then_some((multiplier, shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(ticks: u64, monotonic: u64) -> ClockPair {
        ClockPair { ticks, monotonic }
    }

    #[test]
    fn both_pairs_are_met_and_the_line_goes_on() {
        let clock = Clock::through(&[pair(1_000, 500), pair(2_601_000, 1_000_500)]);
        assert_eq!(clock.nanoseconds(1_000), 500);
        assert!(clock.nanoseconds(2_601_000).abs_diff(1_000_500) <= 1);
        assert!(clock.nanoseconds(26_001_000).abs_diff(10_000_500) <= 1);
        assert_eq!(clock.nanoseconds(400), 500 - 230);
    }

    #[test]
    fn a_day_of_ticks_keeps_its_nanoseconds() {
        let day = 86_400_000_000_000;
        let clock = Clock::through(&[pair(7, 9), pair(7 + day * 13 / 5, 9 + day)]);
        assert!(clock.nanoseconds(7 + day * 13 / 10).abs_diff(9 + day / 2) <= 1);
    }

    #[test]
    fn time_never_goes_back() {
        let clock =
            Clock::through(&[pair(1 << 40, 1 << 41), pair((1 << 40) + 12_345, (1 << 41) + 999)]);
        let times: Vec<_> =
            ((1 << 40) - 5_000..(1 << 40) + 5_000).map(|t| clock.nanoseconds(t)).collect();
        assert!(times.is_sorted());
    }

    #[test]
    fn nonsense_is_met_calmly() {
        for pairs in [
            vec![],
            vec![pair(5, 5)],
            vec![pair(1, 9), pair(9, 1)],
            vec![pair(0, 0), pair(u64::MAX, 1)],
        ] {
            let clock = Clock::through(&pairs);
            assert!(clock.nanoseconds(u64::MAX) >= clock.nanoseconds(0));
        }
        assert_eq!(Clock::through(&[]).nanoseconds(77), 77);
    }
}
