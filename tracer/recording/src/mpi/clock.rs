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

    /// A time on this rank's clock as one on the reference's. `comparisons` are in the order of time; between two of them the
    /// offset is interpolated, before the first and after the last it is theirs. `None`: there is no comparison.
    pub fn to_reference(comparisons: &[Clock], time_ns: u64) -> Option<u64> {
        let next = comparisons.partition_point(|clock| clock.time_ns < time_ns);
        let before = next.checked_sub(1).and_then(|at| comparisons.get(at));
        let offset = match (before, comparisons.get(next)) {
            (Some(one), Some(other)) => one.offset_at(other, time_ns),
            (Some(one), None) | (None, Some(one)) => one.offset_ns,
            (None, None) => return None,
        };
        Some(time_ns.saturating_add_signed(offset))
    }

    /// The offset at a time between this comparison and a later one.
    fn offset_at(&self, other: &Clock, time_ns: u64) -> i64 {
        let whole = i128::from(other.time_ns) - i128::from(self.time_ns);
        let part = i128::from(time_ns) - i128::from(self.time_ns);
        let change = i128::from(other.offset_ns) - i128::from(self.offset_ns);
        let changed = change.saturating_mul(part).checked_div(whole).unwrap_or(0);
        let offset = i128::from(self.offset_ns) + changed;
        offset.clamp(i64::MIN.into(), i64::MAX.into()) as i64
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
    fn times_lead_to_the_reference_between_two_comparisons() {
        let both = [clock(1_000, -500), clock(2_000, -400)];
        let times = [(0, 0), (1_000, 500), (1_500, 1_050), (2_000, 1_600), (9_000, 8_600)];
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
