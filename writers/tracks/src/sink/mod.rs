//! The sink: each event to every track that shows it.
//!
//! Never here: an allocation, a look-up by text or a `dyn` call for a plain event. What each kind of event does is a function of
//! its own, so that no event pays for the registers of another.

mod event;
mod of_process;
mod references;
mod take;
mod windows;

use crate::counts::Counts;
use crate::first_look::FirstLook;
use crate::format::{Format, Partner, Partners};
use crate::join::Joined;
use crate::same::Seen;
use crate::states::States;
use crate::tables::Tracks;
use crate::titles::Titles;
use ompttrace_model::{
    Border, Core, Counter, Definitions, Event, Executor, Instant, InstantKind, LogicalThreadRef,
    Mark, RunInfo, Sample, Sink, Slice, SliceKind, State, Summary, Takes, ThreadRef, View,
};
use std::sync::Arc;
use take::{draw, take, take_instant};

/// Draws a timeline on the tracks of a format.
#[derive(Debug)]
pub struct TrackSink<F: Format> {
    format: F,
    view: View,
    tracks: Tracks<F>,
    titles: Titles,
    states: States,
    drawn: Counts,
    /// The end of the run.
    end: u64,
    /// True if a loss is drawn where it happened.
    shows_loss: bool,
    /// Number of definitions at the last event.
    defined: usize,
    /// Number of definitions with which events are drawn at once: that at the last event, and no number while muted.
    drawn_with: usize,
    /// True while the events only show what is open where a window begins.
    muted: bool,
    /// Time at which the window ends, in CLOCK_MONOTONIC nanoseconds; `None`: it ends with the run.
    ended: Option<u64>,
    /// Logical threads of the windows that were joined.
    joined: Joined,
    /// Slices and tracks of the trace's first look; `None`: the trace has none.
    first_look: Option<Arc<FirstLook>>,
}

impl<F: Format> TrackSink<F> {
    /// Creates the sink of an empty trace.
    pub fn new(format: F, view: View) -> Self {
        TrackSink {
            format,
            view,
            tracks: Tracks::default(),
            titles: Titles::default(),
            states: States::default(),
            drawn: Counts::default(),
            end: 0,
            shows_loss: false,
            defined: 0,
            drawn_with: 0,
            muted: false,
            ended: None,
            joined: Joined::default(),
            first_look: None,
        }
    }

    /// Adds the slices and tracks of a first look to the trace, if there are any.
    pub fn with_first_look(self, first_look: Option<Arc<FirstLook>>) -> Self {
        TrackSink { first_look, ..self }
    }

    /// The view, and true if activities of threads are drawn however short they are: both are needed to create another such sink.
    pub fn view(&self) -> (View, bool) {
        (self.view, self.states.is_exact())
    }

    /// The format.
    pub fn format(&self) -> &F {
        &self.format
    }

    /// A thread is in another state from now on: what it did before may be drawn now.
    #[inline(never)]
    fn state(&mut self, at: u64, thread: ThreadRef, state: Option<State>) {
        if !self.view.has_threads() {
            return;
        }
        let TrackSink { states, tracks, format, drawn, .. } = self;
        states.take(at, thread, state, |part| draw(tracks, format, drawn, thread, part));
    }

    #[inline(never)]
    fn begin(
        &mut self,
        definitions: &Definitions,
        at: u64,
        executor: &Executor,
        slice: &Slice<'_>,
    ) {
        let executor = *executor;
        let logical_thread = self.logical_thread(definitions, at, executor);
        // The slice is all that the thread does for the logical thread, and says so.
        let serves = matches!(slice.kind, SliceKind::ImplicitTask | SliceKind::InitialTask);
        let TrackSink { tracks, titles, format, .. } = self;
        let (mut drawn, mut titled) = (false, None);
        if self.view.has_threads()
            && let Some((track, name)) = tracks.serving(executor, serves)
        {
            let logical_thread = executor.logical_thread.filter(|_| name.is_some());
            let partners = Partners { logical_thread, thread: None };
            if !format.begin_like(track, at, slice, partners, true) {
                let slice = *titled.get_or_insert_with(|| take(titles, format, definitions, slice));
                format.set_partner(name.map(|name| (Partner::LogicalThread, name)));
                format.begin(track, at, slice, true);
            }
            self.drawn.threads.slices += 1;
            drawn = true;
        }
        if let Some(logical_thread) = logical_thread
            && let by = serves.then_some(executor.thread)
            && let Some((track, name)) = tracks.served(format, definitions, logical_thread, by)
        {
            let partners = Partners { thread: by.filter(|_| name.is_some()), logical_thread: None };
            if !format.begin_like(track, at, slice, partners, !drawn) {
                let slice = *titled.get_or_insert_with(|| take(titles, format, definitions, slice));
                format.set_partner(name.map(|name| (Partner::Thread, name)));
                format.begin(track, at, slice, !drawn);
            }
            self.drawn.logical_threads.slices += 1;
        }
    }

    #[inline(never)]
    fn end(&mut self, definitions: &Definitions, at: u64, executor: &Executor, mark: Mark) {
        if self.view.has_threads()
            && let Some(track) = self.tracks.thread(executor.thread)
        {
            self.format.end(track, at, mark);
        }
        if let Some(logical_thread) =
            executor.logical_thread.filter(|_| self.view.has_logical_threads())
            && let Some(track) = self.tracks.ended(&mut self.format, definitions, logical_thread)
        {
            self.format.end(track, at, mark);
        }
    }

    /// The logical thread on whose track something is drawn, if it is drawn there.
    #[inline(always)]
    fn logical_thread(
        &mut self,
        definitions: &Definitions,
        at: u64,
        executor: Executor,
    ) -> Option<LogicalThreadRef> {
        if !self.view.has_logical_threads() {
            return None;
        }
        match self.tracks.see(executor, at)? {
            (_, Seen::Same) => None,
            (logical_thread, Seen::Drawn) => Some(logical_thread),
            (logical_thread, Seen::Moved(from, since)) => {
                self.refer(definitions, logical_thread, from, since..at);
                Some(logical_thread)
            }
        }
    }

    #[inline(never)]
    fn instant(
        &mut self,
        definitions: &Definitions,
        at: u64,
        executor: &Executor,
        instant: &Instant<'_>,
    ) {
        let logical_thread = self.logical_thread(definitions, at, *executor);
        let TrackSink { tracks, titles, format, .. } = self;
        let mut titled = None;
        let mut draw = |format: &mut F, track: &mut F::Track, flows| {
            if !format.instant_like(track, at, instant, flows) {
                let instant = *titled
                    .get_or_insert_with(|| take_instant(titles, format, definitions, instant));
                format.instant(track, at, instant, flows);
            }
        };
        let mut drawn = false;
        if self.view.has_threads()
            && let Some(track) = tracks.thread(executor.thread)
        {
            draw(format, track, true);
            self.drawn.threads.instants += 1;
            drawn = true;
        }
        if let Some(logical_thread) = logical_thread
            && let Some(track) = tracks.logical_thread(format, definitions, logical_thread)
        {
            draw(format, track, !drawn);
            self.drawn.logical_threads.instants += 1;
            drawn = true;
        }
        self.shows_loss |= drawn && instant.kind == InstantKind::Lost;
    }

    #[inline(never)]
    fn new_value(&mut self, at: u64, counter: Counter, value: i64) {
        let track = self.tracks.counter(&mut self.format, counter);
        self.format.value(track, at, counter, value);
        self.drawn.counter_values += 1;
    }

    #[inline(never)]
    fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        self.format.core(at, thread, core);
        self.drawn.core_changes += 1;
    }

    #[inline(never)]
    fn sample(&mut self, definitions: &Definitions, at: u64, thread: ThreadRef, sample: &Sample) {
        self.format.sample(definitions, at, thread, sample);
        self.drawn.samples += 1;
    }

    #[cold]
    #[inline(never)]
    fn define(&mut self, definitions: &Definitions) {
        self.defined = definitions.count();
        self.drawn_with = if self.muted { usize::MAX } else { self.defined };
        self.format.define(definitions);
        self.tracks.define(&mut self.format, definitions);
    }

    /// Losses without a known time are drawn at the end of the run.
    #[cold]
    fn remark_loss(&mut self, text: &str) {
        self.format.remark_loss(self.end, text);
        self.drawn.process_instants += 1;
    }
}

impl<F: Format> Sink for TrackSink<F> {
    type Output = F::Output;
    type Error = F::Error;

    /// The structure of teams and tasks is seen in the slices.
    const TAKES: Takes = Takes {
        task_switches: false,
        lock_requests: false,
        lock_owners: false,
        messages: false,
        ..Takes::ALL
    };

    fn start(&mut self, run: &RunInfo<'_>) {
        self.end = run.end;
        self.format.start(run);
        if let Some(look) = &self.first_look {
            self.format.first_look(look);
        }
        self.titles.start(&mut self.format);
        self.states.start(run);
        self.tracks.start(&mut self.format, run, self.view.has_threads());
        if self.view == View::Auto {
            self.tracks.leave_out_same();
        }
    }

    /// Leaves events with new definitions, and those before a window, to another function: this function makes tail calls only, and so
    /// saves no registers.
    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.drawn_with != definitions.count() {
            return self.event_in_full(definitions, at, event);
        }
        self.draw_event(definitions, at, event);
    }

    fn begin_window(&mut self, _: &Definitions, border: &Border) {
        self.window_begins(border);
    }

    fn end_window(&mut self, _: &Definitions, border: &Border) {
        self.window_ends(border);
    }

    fn finish(
        mut self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<F::Output, F::Error> {
        self.define(definitions);
        let TrackSink { states, tracks, format, drawn, .. } = &mut self;
        states.finish(|thread, part| draw(tracks, format, drawn, thread, part));
        self.tracks.set_ranks(&mut self.format, definitions);
        self.draw_joined();
        if summary.lost > 0 && !self.shows_loss {
            self.remark_loss(&format!("{} records lost", summary.lost));
        }
        if let Some(missing) = summary.missing {
            self.remark_loss(&format!("buffers missing: {missing} lost"));
        }
        self.format.finish(self.drawn)
    }
}
