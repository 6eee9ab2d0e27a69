//! Writers wrapped: one that may be absent, so that one type serves every choice of formats, and one
//! that wants to be told everything.

use crate::sink::{
    ContextRef, Counter, Frame, Instant, Lane, Lock, LockEvent, LockRef, Mark, Member, NameRef,
    Place, PlaceRef, RegionRow, RunInfo, Sink, Slice, SliceKind, SourcePlace, Summary,
};
use ompttrace_recording::Id;

/// A writer that is told also what goes on for less than a [`Sink::moment`], if so wished.
#[derive(Clone, Debug)]
pub struct Exactly<S> {
    /// The writer.
    pub sink: S,
    /// Whether it is told everything.
    pub exact: bool,
}

/// All calls but the last: they are handed on to the writer that `$to` gives, if it gives one.
macro_rules! hand_on {
    ($to:expr) => { hand_on! { $to;
        start(run: &RunInfo<'_>)
        name(name: NameRef, text: &str)
        source_place(place: PlaceRef, what: &SourcePlace)
        context(context: ContextRef, frame: &Frame)
        lane(lane: &Lane)
        lock(lock: &Lock)
        begin(at: u64, place: Place, slice: &Slice<'_>)
        end(at: u64, place: Place, kind: SliceKind, mark: Mark)
        suspend(at: u64, place: Place, kind: SliceKind, mark: Mark)
        instant(at: u64, place: Place, instant: &Instant<'_>)
        region_begin(at: u64, row: RegionRow, slice: &Slice<'_>)
        region_end(at: u64, row: RegionRow, mark: Mark)
        hold_begin(at: u64, lock: LockRef, place: Place, slice: &Slice<'_>)
        hold_end(at: u64, lock: LockRef, mark: Mark)
        counter(at: u64, counter: Counter, value: i64)
        member_begin(at: u64, place: Place, member: &Member)
        member_end(at: u64, place: Place)
        task_runs(at: u64, place: Place, task: Id)
        task_over(at: u64, place: Place, task: Id, status: u64)
        lock_asked(at: u64, place: Place, kind: u64, wait_id: u64)
        lock_acquired(at: u64, place: Place, lock: LockEvent)
        lock_released(at: u64, place: Place, lock: LockEvent)
        stop(at: u64)
    } };
    ($to:expr; $( $name:ident($($argument:ident: $type:ty),*) )*) => { $(
        #[inline(always)]
        fn $name(&mut self $(, $argument: $type)*) {
            let to: fn(&mut Self) -> Option<&mut S> = $to;
            if let Some(sink) = to(self) {
                sink.$name($($argument),*);
            }
        }
    )* };
}

impl<S: Sink> Sink for Option<S> {
    type Output = Option<S::Output>;
    type Error = S::Error;

    fn moment(&self) -> u64 {
        self.as_ref().map_or(u64::MAX, Sink::moment)
    }

    hand_on!(|sink| sink.as_mut());

    fn finish(self, summary: &Summary) -> Result<Self::Output, S::Error> {
        self.map(|sink| sink.finish(summary)).transpose()
    }
}

impl<S: Sink> Sink for Exactly<S> {
    type Output = S::Output;
    type Error = S::Error;

    fn moment(&self) -> u64 {
        if self.exact { 0 } else { self.sink.moment() }
    }

    hand_on!(|sink| Some(&mut sink.sink));

    fn finish(self, summary: &Summary) -> Result<Self::Output, S::Error> {
        self.sink.finish(summary)
    }
}
