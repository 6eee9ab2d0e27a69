//! One piece of a run: its writer, and what it was told in numbers.

use super::open::Open;
use crate::sink::{
    Counter, Instant, LockRef, Mark, Place, RegionRow, Sink, Slice, SliceKind, Summary,
};

/// A piece that is written.
#[derive(Clone, Debug)]
pub struct PieceTold<O> {
    /// Nanoseconds from the run's first record to the piece's begin.
    pub begin: u64,
    /// Nanoseconds from the run's first record to its end.
    pub end: u64,
    /// What the writer made of it.
    pub output: O,
    /// What it was told.
    pub summary: Summary,
    /// Regions among them that go on from a piece before.
    pub continued_regions: u64,
}

/// A piece under way.
#[derive(Debug)]
pub(super) struct Piece<S> {
    pub sink: S,
    /// Its number, from 0.
    pub number: usize,
    pub begin: u64,
    told: Summary,
    continued_regions: u64,
    /// What was open when something left it.
    left: Vec<Vec<Open>>,
}

impl<S: Sink> Piece<S> {
    pub(super) fn new(sink: S, number: usize, begin: u64) -> Piece<S> {
        let (told, left) = (Summary::default(), Vec::new());
        Piece { sink, number, begin, told, continued_regions: 0, left }
    }

    /// Something goes on elsewhere, with this open; it is ended when the piece is.
    pub(super) fn leave(&mut self, open: &[Open]) {
        if !open.is_empty() {
            self.left.push(open.to_vec());
        }
    }

    fn note(&mut self, mark: Mark) {
        match mark {
            Mark::Observed => {}
            Mark::Inferred => self.told.inferred += 1,
            Mark::Cut => self.told.cut += 1,
        }
    }

    #[inline]
    pub(super) fn begin(&mut self, at: u64, place: Place, slice: &Slice<'_>) {
        self.told.slices += 1;
        self.told.lane_slices += u64::from(place.lane.is_some());
        self.note(slice.mark);
        self.sink.begin(at, place, slice);
    }

    #[inline]
    pub(super) fn end(&mut self, at: u64, place: Place, kind: SliceKind, mark: Mark, later: bool) {
        self.note(mark);
        match later {
            true => self.sink.suspend(at, place, kind, mark),
            false => self.sink.end(at, place, kind, mark),
        }
    }

    #[inline]
    pub(super) fn instant(&mut self, at: u64, place: Place, instant: &Instant<'_>) {
        self.told.instants += 1;
        self.told.lane_instants += u64::from(place.lane.is_some());
        self.note(instant.mark);
        self.sink.instant(at, place, instant);
    }

    pub(super) fn region_begin(&mut self, at: u64, row: RegionRow, slice: &Slice<'_>) {
        self.told.region_slices += 1;
        self.note(slice.mark);
        self.sink.region_begin(at, row, slice);
    }

    /// One that is open where the piece begins.
    pub(super) fn region_goes_on(&mut self, at: u64, row: RegionRow, slice: &Slice<'_>) {
        self.continued_regions += u64::from(self.number > 0);
        self.region_begin(at, row, slice);
    }

    pub(super) fn region_end(&mut self, at: u64, row: RegionRow, mark: Mark) {
        self.note(mark);
        self.sink.region_end(at, row, mark);
    }

    pub(super) fn hold_begin(&mut self, at: u64, lock: LockRef, place: Place, slice: &Slice<'_>) {
        self.told.hold_slices += 1;
        self.note(slice.mark);
        self.sink.hold_begin(at, lock, place, slice);
    }

    pub(super) fn hold_end(&mut self, at: u64, lock: LockRef, mark: Mark) {
        self.note(mark);
        self.sink.hold_end(at, lock, mark);
    }

    pub(super) fn counter(&mut self, at: u64, counter: Counter, value: i64) {
        self.told.counter_values += 1;
        self.sink.counter(at, counter, value);
    }

    /// Ends what was left open at `end`, if the piece ends before the run does, and the piece, which began at
    /// `begin` and ends at `last`, since the run's begin.
    pub(super) fn finish(
        mut self,
        end: Option<u64>,
        (begin, last): (u64, u64),
        whole: &Summary,
        lanes: u64,
    ) -> Result<PieceTold<S::Output>, S::Error> {
        if let Some(end) = end {
            self.sink.stop(end);
            for open in std::mem::take(&mut self.left) {
                for (place, one) in open.iter().enumerate().rev() {
                    one.end(end, open.get(..place).unwrap_or_default(), &mut self);
                }
            }
        }
        let told = self.told;
        let summary = Summary {
            slices: told.slices,
            lane_slices: told.lane_slices,
            instants: told.instants,
            lane_instants: told.lane_instants,
            region_slices: told.region_slices,
            hold_slices: told.hold_slices,
            counter_values: told.counter_values,
            inferred: told.inferred,
            cut: told.cut,
            lanes,
            ..whole.clone()
        };
        let (output, continued_regions) = (self.sink.finish(&summary)?, self.continued_regions);
        Ok(PieceTold { begin, end: last, output, summary, continued_regions })
    }
}
