//! A rank's clock compared with that of another rank: what a record of it says, and times of the one as times of the other.

use crate::events::MpiClock;

/// One comparison. Clocks are CLOCK_MONOTONIC, to which the clock pairs of a recording lead from its ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The time of the comparison on this rank's own clock, in nanoseconds.
    pub time_ns: u64,
    /// Nanoseconds by which the clock of rank [`Clock::reference`] was ahead of this rank's then.
    pub offset_ns: i64,
    /// The most by which the offset may be wrong, in nanoseconds.
    pub error_ns: u64,
    /// The rank in MPI_COMM_WORLD whose clock the offset leads to: the first one.
    pub reference: u32,
    /// The rank that exchanged messages with the reference, for all ranks that share its clock; the reference itself where
    /// this rank shares the clock of the reference.
    pub measured_by: u32,
    /// Round trips that were measured; 0 where the clock is that of the reference.
    pub rounds: u64,
}

impl Clock {
    /// True if the rank shares the clock of the reference, so that there was nothing to measure.
    pub fn is_shared(&self) -> bool {
        self.measured_by == self.reference
    }

    /// A time on this rank's clock as one on the reference's, by the line through the first and the last of `comparisons`: clocks go
    /// on before and after as they do between. `None`: there is no comparison.
    pub fn to_reference(comparisons: &[Clock], time_ns: u64) -> Option<u64> {
        let (first, last) = (comparisons.first()?, comparisons.last()?);
        let between = i128::from(last.time_ns) - i128::from(first.time_ns);
        let since = i128::from(time_ns) - i128::from(first.time_ns);
        let change = i128::from(last.offset_ns) - i128::from(first.offset_ns);
        let more = change.saturating_mul(since).checked_div(between).unwrap_or(0);
        let time = i128::from(time_ns) + i128::from(first.offset_ns) + more;
        Some(u64::try_from(time.max(0)).unwrap_or(u64::MAX))
    }
}

impl From<&MpiClock> for Clock {
    fn from(record: &MpiClock) -> Clock {
        let MpiClock { reference, measured_by, time, offset, error, rounds } = *record;
        Clock {
            time_ns: time,
            offset_ns: offset as i64,
            error_ns: error,
            reference: reference as u32,
            measured_by: measured_by as u32,
            rounds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(time: u64, offset: i64) -> Clock {
        let record = MpiClock { time, offset: offset as u64, ..MpiClock::default() };
        Clock::from(&record)
    }

    #[test]
    fn times_lead_to_the_reference_by_the_line_through_two_comparisons() {
        let both = [clock(1_000, -500), clock(2_000, -400)];
        let times = [(0, 0), (1_000, 500), (1_500, 1_050), (2_000, 1_600), (9_000, 9_300)];
        for (own, expected) in times {
            assert_eq!(Clock::to_reference(&both, own), Some(expected), "{own}");
        }
        assert_eq!(Clock::to_reference(&[], 5), None);
        assert_eq!(Clock::to_reference(&[clock(7, 3)], 5), Some(8));
    }

    #[test]
    fn hostile_numbers_are_borne() {
        let both = [clock(5, i64::MIN), clock(5, i64::MAX), clock(u64::MAX, i64::MIN)];
        for time in [0, 5, 6, u64::MAX] {
            assert!(Clock::to_reference(&both, time).is_some());
        }
    }

    #[test]
    fn a_rank_that_was_not_measured_shares_the_clock_of_the_reference() {
        assert!(clock(1, 0).is_shared());
        let measured = Clock { measured_by: 1, ..clock(1, 0) };
        assert!(!measured.is_shared());
    }
}
