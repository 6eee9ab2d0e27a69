//! Two writers served by one pass over a recording.

use crate::sink::{
    ContextRef, Counter, Frame, Instant, Lane, Lock, LockEvent, LockRef, Mark, Member, NameRef,
    Place, PlaceRef, RegionRow, RunInfo, Sink, Slice, SliceKind, SourcePlace, Summary,
};
use ompttrace_recording::Id;
use thiserror::Error;

/// Tells everything to both, the first one first.
#[derive(Clone, Debug)]
pub struct Both<A, B>(pub A, pub B);

/// Which of two writers failed.
#[derive(Debug, Error)]
pub enum EitherError<A, B> {
    /// The first; the second may have failed as well.
    #[error("{0}")]
    First(A),
    /// The second.
    #[error("{0}")]
    Second(B),
}

impl<A: Sink, B: Sink> Sink for Both<A, B> {
    type Output = (A::Output, B::Output);
    type Error = EitherError<A::Error, B::Error>;

    /// Whoever wants to know more decides.
    fn moment(&self) -> u64 {
        self.0.moment().min(self.1.moment())
    }
    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
        self.1.start(run);
    }
    fn name(&mut self, name: NameRef, text: &str) {
        self.0.name(name, text);
        self.1.name(name, text);
    }
    fn source_place(&mut self, place: PlaceRef, what: &SourcePlace) {
        self.0.source_place(place, what);
        self.1.source_place(place, what);
    }
    fn context(&mut self, context: ContextRef, frame: &Frame) {
        self.0.context(context, frame);
        self.1.context(context, frame);
    }
    fn lane(&mut self, lane: &Lane) {
        self.0.lane(lane);
        self.1.lane(lane);
    }
    fn lock(&mut self, lock: &Lock) {
        self.0.lock(lock);
        self.1.lock(lock);
    }
    #[inline]
    fn begin(&mut self, at: u64, place: Place, slice: &Slice<'_>) {
        self.0.begin(at, place, slice);
        self.1.begin(at, place, slice);
    }
    #[inline]
    fn end(&mut self, at: u64, place: Place, kind: SliceKind, mark: Mark) {
        self.0.end(at, place, kind, mark);
        self.1.end(at, place, kind, mark);
    }
    #[inline]
    fn suspend(&mut self, at: u64, place: Place, kind: SliceKind, mark: Mark) {
        self.0.suspend(at, place, kind, mark);
        self.1.suspend(at, place, kind, mark);
    }
    #[inline]
    fn instant(&mut self, at: u64, place: Place, instant: &Instant<'_>) {
        self.0.instant(at, place, instant);
        self.1.instant(at, place, instant);
    }
    fn region_begin(&mut self, at: u64, row: RegionRow, slice: &Slice<'_>) {
        self.0.region_begin(at, row, slice);
        self.1.region_begin(at, row, slice);
    }
    fn region_end(&mut self, at: u64, row: RegionRow, mark: Mark) {
        self.0.region_end(at, row, mark);
        self.1.region_end(at, row, mark);
    }
    fn hold_begin(&mut self, at: u64, lock: LockRef, place: Place, slice: &Slice<'_>) {
        self.0.hold_begin(at, lock, place, slice);
        self.1.hold_begin(at, lock, place, slice);
    }
    fn hold_end(&mut self, at: u64, lock: LockRef, mark: Mark) {
        self.0.hold_end(at, lock, mark);
        self.1.hold_end(at, lock, mark);
    }
    fn counter(&mut self, at: u64, counter: Counter, value: i64) {
        self.0.counter(at, counter, value);
        self.1.counter(at, counter, value);
    }
    fn member_begin(&mut self, at: u64, place: Place, member: &Member) {
        self.0.member_begin(at, place, member);
        self.1.member_begin(at, place, member);
    }
    fn member_end(&mut self, at: u64, place: Place) {
        self.0.member_end(at, place);
        self.1.member_end(at, place);
    }
    #[inline]
    fn task_runs(&mut self, at: u64, place: Place, task: Id) {
        self.0.task_runs(at, place, task);
        self.1.task_runs(at, place, task);
    }
    #[inline]
    fn task_over(&mut self, at: u64, place: Place, task: Id, status: u64) {
        self.0.task_over(at, place, task, status);
        self.1.task_over(at, place, task, status);
    }
    #[inline]
    fn lock_asked(&mut self, at: u64, place: Place, kind: u64, wait_id: u64) {
        self.0.lock_asked(at, place, kind, wait_id);
        self.1.lock_asked(at, place, kind, wait_id);
    }
    #[inline]
    fn lock_acquired(&mut self, at: u64, place: Place, lock: LockEvent) {
        self.0.lock_acquired(at, place, lock);
        self.1.lock_acquired(at, place, lock);
    }
    #[inline]
    fn lock_released(&mut self, at: u64, place: Place, lock: LockEvent) {
        self.0.lock_released(at, place, lock);
        self.1.lock_released(at, place, lock);
    }
    fn stop(&mut self, at: u64) {
        self.0.stop(at);
        self.1.stop(at);
    }

    /// Both are finished, whatever becomes of the first: what it leaves must not be half a file.
    fn finish(self, summary: &Summary) -> Result<Self::Output, Self::Error> {
        let (first, second) = (self.0.finish(summary), self.1.finish(summary));
        Ok((first.map_err(EitherError::First)?, second.map_err(EitherError::Second)?))
    }
}
