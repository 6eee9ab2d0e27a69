//! Times of a recording that a reader makes later, so that they agree with those of other recordings: pieces of straight lines.

/// The nanoseconds after which a correction that nothing demands any more is smaller by one.
pub const RATE: u64 = 4096;

/// From a time on, how much later it is. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The first time for which it holds; the next piece ends it.
    pub from: u64,
    /// Nanoseconds by which that time is later.
    pub later: u64,
    /// The change of these nanoseconds in a run of time. They are never less than none.
    pub change: i64,
    /// That run of time, in nanoseconds, which is not 0.
    pub run: u64,
}

impl Piece {
    /// A correction that nothing else demands from then on, and that becomes smaller slowly.
    pub fn fading(from: u64, later: u64) -> Piece {
        Piece { from, later, change: -1, run: RATE }
    }

    /// The nanoseconds by which a time of the piece is later.
    #[inline]
    pub fn later(&self, time: u64) -> u64 {
        let since = i128::from(time.saturating_sub(self.from));
        let change = (since * i128::from(self.change)).div_euclid(i128::from(self.run.max(1)));
        u64::try_from(i128::from(self.later) + change).unwrap_or(0)
    }
}

/// The pieces of a clock, in the order of time. Before the first one times stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correction(Vec<Piece>);

impl Correction {
    /// Of these pieces, which are in the order of time; of two that begin at the same time the second holds.
    pub fn of(pieces: Vec<Piece>) -> Correction {
        Correction(pieces)
    }

    /// All pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// The nanoseconds by which a time is later.
    pub fn later(&self, time: u64) -> u64 {
        let next = self.0.partition_point(|piece| piece.from <= time);
        let piece = next.checked_sub(1).and_then(|at| self.0.get(at));
        piece.map_or(0, |piece| piece.later(time))
    }

    /// The corrected time.
    pub fn apply(&self, time: u64) -> u64 {
        time.saturating_add(self.later(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_rises_in_a_piece_and_fades_after_it() {
        let rising = Piece { from: 1_000, later: 10, change: 90, run: 1_000 };
        let correction = Correction::of(vec![rising, Piece::fading(2_000, 100)]);
        let times = [(0, 0), (999, 0), (1_000, 10), (1_500, 55), (1_999, 99), (2_000, 100)];
        for (time, later) in times {
            assert_eq!(correction.later(time), later, "{time}");
        }
        assert_eq!(correction.later(2_000 + RATE), 99);
        assert_eq!(correction.later(2_000 + 100 * RATE), 0);
        assert_eq!(correction.apply(u64::MAX), u64::MAX);
        assert_eq!(Correction::default().apply(7), 7);
    }

    #[test]
    fn time_never_goes_back() {
        let rising = Piece { from: 50, later: 3, change: 2, run: 7 };
        let correction = Correction::of(vec![rising, Piece::fading(90, 20), Piece::fading(90, 30)]);
        let times: Vec<_> = (0..200_000).map(|time| correction.apply(time)).collect();
        assert!(times.is_sorted() && correction.later(90) == 30);
    }
}
