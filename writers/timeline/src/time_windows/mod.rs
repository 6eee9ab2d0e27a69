//! A run reported in time windows, each to its own writer: one window, or parts that viewers can
//! handle.
//!
//! Slices and other items that are open where a window begins are begun there, marked cut, and ended where the window
//! ends. Threads, tracks, locks and counters move from window to window, each with its own time (`state`), because a
//! call may come late between them. So several windows are in progress, and what has not left the oldest when one too
//! many begins is moved. All threads enter the first window at once, in their order: a team thread must not begin there
//! before its region, which another thread began. Arrows from one window to another are left out.

mod bounded;
mod first;
mod flows;
mod open;
mod stage;
mod state;
mod time_window;

use crate::hash::FastMap;
pub(crate) use bounded::Bounded;
use flows::Flows;
use ompttrace_model::{
    Border, Counter, Definitions, Event, LockRef, RegionTrack, RunInfo, Sink, Summary, ThreadRef,
};
use stage::{Span, Stage};
use state::OpenState;
use std::error::Error;
use thiserror::Error;
pub use time_window::WindowSummary;

/// Errors of a [`Supply`].
pub type SupplyError = Box<dyn Error + Send + Sync>;

/// Supplies a writer for each window and says when it has enough.
pub trait Supply {
    /// The type of the writers.
    type Sink: Sink;
    /// A writer for the next window.
    ///
    /// # Errors
    /// There is no further writer. The run is then reported to the previous writers, and `finish` returns the error.
    fn next(&mut self) -> Result<Self::Sink, SupplyError>;
    /// Returns true if the last writer is full. It is called often.
    fn is_full(&self) -> bool;
}

/// A part of a run's time, in nanoseconds since its begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Time at which the window begins, in nanoseconds since the run's begin; `None` for the begin of the run.
    pub from: Option<u64>,
    /// Time at which the window ends, in nanoseconds since the run's begin; `None` for the end of the run.
    pub to: Option<u64>,
}

impl Window {
    /// True if all of the run lies in the window.
    pub(crate) fn is_whole(self) -> bool {
        self == Window::default()
    }

    /// The part of a run that lies in the window.
    pub(crate) fn of(self, run: RunInfo<'_>) -> RunInfo<'_> {
        let at = |time: u64| run.begin.saturating_add(time);
        let (begin, end) = (self.from.map_or(run.begin, at), self.to.map_or(u64::MAX, at));
        RunInfo { begin, end: run.end.min(end).max(begin), ..run }
    }
}

/// Supplies the writer of the only window.
pub struct Once<S>(Option<S>);

impl<S> Once<S> {
    /// Supplies this writer.
    pub fn new(sink: S) -> Once<S> {
        Once(Some(sink))
    }
}

impl<S: Sink> Supply for Once<S> {
    type Sink = S;

    fn next(&mut self) -> Result<S, SupplyError> {
        self.0.take().ok_or_else(|| "there is one window only".into())
    }

    fn is_full(&self) -> bool {
        false
    }
}

/// Why there are no windows.
#[derive(Debug, Error)]
pub enum TimeWindowError<E> {
    /// A writer failed.
    #[error("{0}")]
    Sink(E),
    /// There was no writer for a window.
    #[error("{0}")]
    Supply(SupplyError),
    /// The window begins where the run is over; with the run's length in nanoseconds.
    #[error("nothing is left of the run, which lasts {:.9} s", *.0 as f64 / 1e9)]
    Empty(u64),
}

/// Reports a run in time windows. See the module's text.
pub struct TimeWindows<P: Supply> {
    window: Window,
    stage: Stage<P>,
    flows: Flows,
    /// True once events are in or after the first window.
    reached: bool,
    threads: Vec<OpenState>,
    others: FastMap<Owner, OpenState>,
}

/// Things that move through the windows with a time of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Owner {
    Thread(ThreadRef),
    Region(RegionTrack),
    Lock(LockRef),
    Counter(Counter),
    /// The core of a thread.
    Core(ThreadRef),
    /// The state of a thread.
    State(ThreadRef),
    /// The phases of a thread.
    Phases(ThreadRef),
}

/// The owner of an event's time; `None` for [`Event::Stop`], which belongs to all.
fn owner(event: &Event<'_>) -> Option<Owner> {
    match *event {
        Event::Begin(executor, _)
        | Event::End(executor, ..)
        | Event::Suspend(executor, ..)
        | Event::Instant(executor, _)
        | Event::TeamThreadBegin(executor, _)
        | Event::TeamThreadEnd(executor)
        | Event::TaskRuns(executor, _)
        | Event::TaskEnd(executor, ..)
        | Event::LockRequested { executor, .. }
        | Event::LockRefused { executor, .. }
        | Event::LockAcquired(executor, _)
        | Event::LockReleased(executor, _)
        | Event::Mpi(executor, _) => Some(Owner::Thread(executor.thread)),
        Event::RegionBegin(track, _) | Event::RegionEnd(track, _) => Some(Owner::Region(track)),
        Event::HoldBegin(lock, ..) | Event::HoldEnd(lock, _) => Some(Owner::Lock(lock)),
        Event::Counter(counter, _) => Some(Owner::Counter(counter)),
        Event::Core(thread, _) | Event::CoreSums(thread, _) => Some(Owner::Core(thread)),
        Event::Sample(executor, _) => Some(Owner::Core(executor.thread)),
        Event::State(thread, _) => Some(Owner::State(thread)),
        Event::PhaseBegin(executor, _) | Event::PhaseEnd(executor, _) => {
            Some(Owner::Phases(executor.thread))
        }
        Event::Stop => None,
    }
}

/// Returns true if an event ends something: at the very end of a window it belongs to that window.
fn is_end(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::End(..)
            | Event::Suspend(..)
            | Event::RegionEnd(..)
            | Event::HoldEnd(..)
            | Event::PhaseEnd(..)
            | Event::TeamThreadEnd(_)
    )
}

impl<P: Supply> TimeWindows<P> {
    /// Reports what lies in `window` to the writers of `supply`.
    pub fn new(window: Window, supply: P) -> TimeWindows<P> {
        TimeWindows {
            window,
            stage: Stage::new(supply),
            flows: Flows::default(),
            reached: false,
            threads: Vec::new(),
            others: FastMap::default(),
        }
    }

    /// All threads enter the first window.
    #[cold]
    fn reach_first(&mut self, definitions: &Definitions) {
        self.reached = true;
        let begin = self.stage.begin_of_first();
        for thread in first::order(&self.threads) {
            let _ = self.threads[thread].advance(definitions, begin, &mut self.stage);
        }
    }

    #[cold]
    fn next_window(&mut self, definitions: &Definitions) {
        if self.stage.begin_next()
            && let Some(end) = self.stage.end_of_oldest()
        {
            self.move_all(definitions, end);
            self.stage.close_oldest(definitions, Some(end), &Summary::default());
        }
    }

    /// Moves everything on to `at`, which is in or after the first window.
    fn all_reach(&mut self, definitions: &Definitions, at: u64) {
        if !self.reached {
            self.reach_first(definitions);
        }
        self.move_all(definitions, at);
    }

    /// Moves everything on to `at`.
    fn move_all(&mut self, definitions: &Definitions, at: u64) {
        for state in self.threads.iter_mut().chain(self.others.values_mut()) {
            let _ = state.advance(definitions, at, &mut self.stage);
        }
    }

    fn state(&mut self, owner: Owner) -> &mut OpenState {
        let Owner::Thread(thread) = owner else { return self.others.entry(owner).or_default() };
        let index = thread as usize;
        if index >= self.threads.len() {
            self.threads.resize_with(index + 1, OpenState::default);
        }
        &mut self.threads[index]
    }
}

impl<P: Supply> Sink for TimeWindows<P> {
    type Output = Vec<WindowSummary<<P::Sink as Sink>::Output>>;
    type Error = TimeWindowError<<P::Sink as Sink>::Error>;

    const MIN_RESUME_NS: u64 = P::Sink::MIN_RESUME_NS;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.stage.start(run, self.window);
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        let Some(owner) = owner(event) else { return self.stage.stop(definitions, at) };
        let in_window = if is_end(event) { at.saturating_sub(1) } else { at };
        if !self.reached && self.stage.is_past(Span::default(), in_window) {
            self.reach_first(definitions);
        }
        let mut state = std::mem::take(self.state(owner));
        match state.advance(definitions, in_window, &mut self.stage) {
            Some(time_window) => time_window.write(definitions, at, event, &mut self.flows),
            None => self.flows.leave(event),
        }
        let known = state.follow(event);
        *self.state(owner) = state;
        if let Event::LockReleased(_, lock) = event
            && !known
        {
            // A task may give back on another thread what it acquired.
            self.threads.iter_mut().any(|state| state.drop_held(lock.lock));
        }
        self.stage.latest = self.stage.latest.max(at);
        if matches!(event, Event::Begin(..) | Event::Instant(..) | Event::HoldBegin(..))
            && self.stage.wants_next()
        {
            self.next_window(definitions);
        }
    }

    /// The events so far showed what is open there, and are counted elsewhere.
    fn begin_window(&mut self, definitions: &Definitions, border: &Border) {
        self.all_reach(definitions, border.at);
        if let Some(time_window) = self.stage.newest() {
            time_window.count_from_here();
            time_window.sink.begin_window(definitions, border);
        }
    }

    fn end_window(&mut self, definitions: &Definitions, border: &Border) {
        self.all_reach(definitions, border.at);
        if let Some(time_window) = self.stage.newest() {
            time_window.sink.end_window(definitions, border);
        }
    }

    fn finish(
        mut self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<Self::Output, Self::Error> {
        self.move_all(definitions, self.stage.last_time());
        self.stage.finish(definitions, summary)
    }
}
