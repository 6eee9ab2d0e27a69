//! A run told in pieces of time, each to a writer of its own: a window of it, or parts that viewers can
//! bear.
//!
//! Whatever is open where a piece begins is begun there, marked cut, and ended where the piece ends.
//! Threads, rows, locks and counters move from piece to piece each with its own time (`state`), because
//! a call may come late between them; so several pieces are under way, and who has not moved on from
//! the oldest when one too many begins is moved. Into the first piece all threads move at once, in their
//! order: a member of a team must not be begun there before the region that it is in, on another thread.
//! Arrows from one piece to another are left out.

mod book;
mod first;
mod flows;
mod open;
mod piece;
mod stage;
mod state;

use crate::hash::FastMap;
use crate::sink::{
    ContextRef, Counter, Frame, Instant, Lane, Lock, LockEvent, LockRef, MOMENT, Mark, Member,
    NameRef, Place, PlaceRef, RegionRow, RunInfo, Sink, Slice, SliceKind, SourcePlace, Summary,
    ThreadRef,
};
use flows::Flows;
use ompttrace_recording::Id;
use open::{Kept, Open};
pub use piece::PieceTold;
use stage::{Span, Stage};
use state::State;
use std::error::Error;
use thiserror::Error;

/// What goes wrong behind a [`Supply`].
pub type SupplyError = Box<dyn Error + Send + Sync>;

/// Gives a writer for each piece and says when it has enough.
pub trait Supply {
    /// The writers.
    type Sink: Sink;
    /// A writer for the next piece.
    ///
    /// # Errors
    /// Where there is none: the run is then told to the writers before, and `finish` says why.
    fn next(&mut self) -> Result<Self::Sink, SupplyError>;
    /// Whether the writer given last has enough; asked often.
    fn is_full(&self) -> bool;
    /// How long something has to last to be told: see [`Sink::moment`].
    fn moment(&self) -> u64 {
        MOMENT
    }
}

/// A part of a run's time, in nanoseconds since its begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Where it begins; `None`: with the run.
    pub from: Option<u64>,
    /// Where it ends; `None`: with the run.
    pub to: Option<u64>,
}

/// Why there are no pieces.
#[derive(Debug, Error)]
pub enum PieceError<E> {
    /// A writer failed.
    #[error("{0}")]
    Sink(E),
    /// There was no writer.
    #[error("{0}")]
    Supply(SupplyError),
    /// The window begins where the run is over; with the run's length in nanoseconds.
    #[error("nothing is left of the run, which lasts {:.9} s", *.0 as f64 / 1e9)]
    Empty(u64),
}

/// Tells a run in pieces. See the module's text.
pub struct Pieces<P: Supply> {
    window: Window,
    stage: Stage<P>,
    flows: Flows,
    /// Whether the first piece is reached.
    reached: bool,
    threads: Vec<State>,
    others: FastMap<Other, State>,
}

/// What has a time of its own and is no thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Other {
    Row(RegionRow),
    Lock(LockRef),
    Counter(Counter),
}

impl<P: Supply> Pieces<P> {
    /// Tells what lies in `window` to the writers of `supply`.
    pub fn new(window: Window, supply: P) -> Pieces<P> {
        Pieces {
            window,
            stage: Stage::new(supply),
            flows: Flows::default(),
            reached: false,
            threads: Vec::new(),
            others: FastMap::default(),
        }
    }

    /// The state of a thread of which something is told at `at`, with what is needed to tell it.
    #[inline]
    fn thread(&mut self, at: u64, thread: ThreadRef) -> (&mut State, &mut Stage<P>, &mut Flows) {
        if !self.reached && self.stage.is_past(Span::default(), at) {
            self.reach_first();
        }
        let index = thread as usize;
        if index >= self.threads.len() {
            self.threads.resize_with(index + 1, State::default);
        }
        (&mut self.threads[index], &mut self.stage, &mut self.flows)
    }

    /// All threads move into the first piece.
    #[cold]
    fn reach_first(&mut self) {
        self.reached = true;
        let begin = self.stage.begin_of_first();
        for thread in first::order(&self.threads) {
            let _ = self.threads[thread].advance(begin, &mut self.stage);
        }
    }

    /// Something was told: begins the next piece where this one has enough.
    #[inline]
    fn told(&mut self, at: u64) {
        self.stage.latest = self.stage.latest.max(at);
        if self.stage.wants_next() {
            self.next_piece();
        }
    }

    #[cold]
    fn next_piece(&mut self) {
        if self.stage.begin_next()
            && let Some(end) = self.stage.end_of_oldest()
        {
            self.move_all(end);
            self.stage.close_oldest(Some(end), &Summary::default());
        }
    }

    /// Moves everything on to `at`.
    fn move_all(&mut self, at: u64) {
        for state in self.threads.iter_mut().chain(self.others.values_mut()) {
            state.advance(at, &mut self.stage);
        }
    }

    /// A call that ends something on a thread; what ends where a piece does is in it still.
    #[inline]
    fn end_on(&mut self, at: u64, place: Place, kind: SliceKind, mark: Mark, suspended: bool) {
        let (state, stage, _) = self.thread(at.saturating_sub(1), place.thread);
        if let Some((piece, at)) = state.advance_to_end(at, stage) {
            piece.end(at, place, kind, mark, suspended);
        }
        state.drop_slice();
        self.stage.latest = self.stage.latest.max(at);
    }

    /// A call about the task of a thread.
    #[inline]
    fn on_thread(
        &mut self,
        at: u64,
        place: Place,
        tell: impl FnOnce(&mut P::Sink, u64),
    ) -> &mut State {
        let (state, stage, _) = self.thread(at, place.thread);
        if let Some((piece, at)) = state.advance(at, stage) {
            tell(&mut piece.sink, at);
        }
        stage.latest = stage.latest.max(at);
        state
    }
}

impl<P: Supply> Sink for Pieces<P> {
    type Output = Vec<PieceTold<<P::Sink as Sink>::Output>>;
    type Error = PieceError<<P::Sink as Sink>::Error>;

    fn moment(&self) -> u64 {
        self.stage.supply.moment()
    }

    fn start(&mut self, run: &RunInfo<'_>) {
        self.stage.start(run, self.window);
    }

    fn name(&mut self, name: NameRef, text: &str) {
        self.stage.book.names.push(text.to_owned());
        self.stage.each(|sink| sink.name(name, text));
    }

    fn source_place(&mut self, place: PlaceRef, what: &SourcePlace) {
        self.stage.book.places.push(what.clone());
        self.stage.each(|sink| sink.source_place(place, what));
    }

    fn context(&mut self, context: ContextRef, frame: &Frame) {
        self.stage.book.contexts.push(*frame);
        self.stage.each(|sink| sink.context(context, frame));
    }

    fn lane(&mut self, lane: &Lane) {
        self.stage.book.lanes.push(lane.clone());
        self.stage.each(|sink| sink.lane(lane));
    }

    fn lock(&mut self, lock: &Lock) {
        self.stage.book.locks.push(lock.clone());
        self.stage.each(|sink| sink.lock(lock));
    }

    #[inline]
    fn begin(&mut self, at: u64, place: Place, slice: &Slice<'_>) {
        let (state, stage, flows) = self.thread(at, place.thread);
        let told = state.advance(at, stage);
        let flow_ends = flows.at(told.as_ref().map(|(piece, _)| piece.number), slice);
        match told {
            // What is told late of a thread that is in the first piece already.
            Some((piece, begin)) if begin > at => {
                let (flows, mark) = (&[][..], Mark::Cut);
                piece.begin(begin, place, &Slice { flows, flow_ends: &[], mark, ..*slice });
            }
            Some((piece, at)) => piece.begin(at, place, &Slice { flow_ends, ..*slice }),
            None => {}
        }
        state.open(|args| Open::Slice(Kept::of(place, slice, args)));
        self.told(at);
    }

    #[inline]
    fn end(&mut self, at: u64, place: Place, kind: SliceKind, mark: Mark) {
        self.end_on(at, place, kind, mark, false);
    }

    #[inline]
    fn suspend(&mut self, at: u64, place: Place, kind: SliceKind, mark: Mark) {
        self.end_on(at, place, kind, mark, true);
    }

    #[inline]
    fn instant(&mut self, at: u64, place: Place, instant: &Instant<'_>) {
        let (state, stage, flows) = self.thread(at, place.thread);
        let told = state.advance(at, stage);
        let flow_ends = flows.at(told.as_ref().map(|(piece, _)| piece.number), instant);
        // Nothing that happened before the first piece is in it, however late it is told.
        let told = told.filter(|(piece, begin)| piece.number > 0 || *begin == at);
        if let Some((piece, at)) = told {
            piece.instant(at, place, &Instant { flow_ends, ..*instant });
        }
        self.told(at);
    }

    fn region_begin(&mut self, at: u64, row: RegionRow, slice: &Slice<'_>) {
        let state = self.others.entry(Other::Row(row)).or_default();
        let told = state.advance(at, &mut self.stage);
        let flow_ends = self.flows.at(told.as_ref().map(|(piece, _)| piece.number), slice);
        if let Some((piece, at)) = told {
            piece.region_begin(at, row, &Slice { flow_ends, ..*slice });
        }
        let nowhere = Place { thread: 0, lane: None };
        state.open(|args| Open::Region(row, Kept::of(nowhere, slice, args)));
        self.stage.latest = self.stage.latest.max(at);
    }

    fn region_end(&mut self, at: u64, row: RegionRow, mark: Mark) {
        let state = self.others.entry(Other::Row(row)).or_default();
        if let Some((piece, at)) = state.advance_to_end(at, &mut self.stage) {
            piece.region_end(at, row, mark);
        }
        state.forget();
        self.stage.latest = self.stage.latest.max(at);
    }

    fn hold_begin(&mut self, at: u64, lock: LockRef, place: Place, slice: &Slice<'_>) {
        let state = self.others.entry(Other::Lock(lock)).or_default();
        let told = state.advance(at, &mut self.stage);
        let flow_ends = self.flows.at(told.as_ref().map(|(piece, _)| piece.number), slice);
        if let Some((piece, at)) = told {
            piece.hold_begin(at, lock, place, &Slice { flow_ends, ..*slice });
        }
        state.open(|args| Open::Hold(lock, Kept::of(place, slice, args)));
        self.told(at);
    }

    fn hold_end(&mut self, at: u64, lock: LockRef, mark: Mark) {
        let state = self.others.entry(Other::Lock(lock)).or_default();
        if let Some((piece, at)) = state.advance_to_end(at, &mut self.stage) {
            piece.hold_end(at, lock, mark);
        }
        state.forget();
        self.stage.latest = self.stage.latest.max(at);
    }

    fn counter(&mut self, at: u64, counter: Counter, value: i64) {
        let state = self.others.entry(Other::Counter(counter)).or_default();
        if let Some((piece, at)) = state.advance(at, &mut self.stage) {
            piece.counter(at, counter, value);
        }
        state.forget();
        state.open(|_| Open::Value(counter, value));
        self.stage.latest = self.stage.latest.max(at);
    }

    fn member_begin(&mut self, at: u64, place: Place, member: &Member) {
        let state = self.on_thread(at, place, |sink, at| sink.member_begin(at, place, member));
        state.open(|_| Open::Member(place, *member));
    }

    fn member_end(&mut self, at: u64, place: Place) {
        let (state, stage, _) = self.thread(at.saturating_sub(1), place.thread);
        if let Some((piece, at)) = state.advance_to_end(at, stage) {
            piece.sink.member_end(at, place);
        }
        state.drop_member();
        self.stage.latest = self.stage.latest.max(at);
    }

    #[inline]
    fn task_runs(&mut self, at: u64, place: Place, task: Id) {
        self.on_thread(at, place, |sink, at| sink.task_runs(at, place, task)).runs(place, task);
    }

    #[inline]
    fn task_over(&mut self, at: u64, place: Place, task: Id, status: u64) {
        self.on_thread(at, place, |sink, at| sink.task_over(at, place, task, status));
    }

    #[inline]
    fn lock_asked(&mut self, at: u64, place: Place, kind: u64, wait_id: u64) {
        self.on_thread(at, place, |sink, at| sink.lock_asked(at, place, kind, wait_id));
    }

    #[inline]
    fn lock_acquired(&mut self, at: u64, place: Place, lock: LockEvent) {
        let state = self.on_thread(at, place, |sink, at| sink.lock_acquired(at, place, lock));
        state.open(|_| Open::Held(place, lock));
    }

    #[inline]
    fn lock_released(&mut self, at: u64, place: Place, lock: LockEvent) {
        let state = self.on_thread(at, place, |sink, at| sink.lock_released(at, place, lock));
        if !state.drop_held(lock.lock) {
            // A task may give back on another thread what it acquired.
            self.threads.iter_mut().any(|state| state.drop_held(lock.lock));
        }
    }

    fn stop(&mut self, at: u64) {
        self.stage.stop(at);
    }

    fn finish(mut self, summary: &Summary) -> Result<Self::Output, Self::Error> {
        self.move_all(self.stage.last_time());
        self.stage.finish(summary)
    }
}
