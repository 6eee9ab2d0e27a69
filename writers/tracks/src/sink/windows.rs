//! The sink of a window of a run, and the joining of windows.

use super::TrackSink;
use super::references::draw_reference;
use super::take::draw;
use crate::format::{Format, Shared};
use crate::join::{JoinedThread, Part};
use ompttrace_model::{Border, Definitions, Event, View};

impl<F: Format> TrackSink<F> {
    /// Makes it the sink of a window of the run, `first` or not.
    pub fn of_window(self, first: bool) -> Self {
        let drawn_with = if first { self.drawn_with } else { usize::MAX };
        TrackSink { muted: !first, drawn_with, ..self }
    }

    /// The format with the window's drawing, and the facts that are needed to put it together with the others.
    pub fn into_part(mut self, definitions: &Definitions) -> (F, Part) {
        self.define(definitions);
        if self.ended.is_none() {
            let TrackSink { states, tracks, format, drawn, .. } = &mut self;
            states.finish(|thread, part| draw(tracks, format, drawn, thread, part));
        }
        let until = self.ended.unwrap_or(self.end);
        let threads = self.tracks.used(definitions, until);
        let part = Part { drawn: self.drawn, shows_loss: self.shows_loss, threads };
        (self.format, part)
    }

    /// Adds the next window to the trace.
    pub fn join(&mut self, part: Part) {
        self.drawn += part.drawn;
        self.shows_loss |= part.shows_loss;
        self.joined.add(part.threads);
    }

    /// The format, to which the bytes of windows are appended.
    pub fn format_mut(&mut self) -> &mut F {
        &mut self.format
    }

    /// Draws activities of threads however short they are, instead of in sums, if `exact`.
    pub fn exact(mut self, exact: bool) -> Self {
        if exact {
            self.states.set_exact();
        }
        self
    }

    /// Draws the tracks of logical threads that any window has drawn, in the order of their paths, and says where they were
    /// in the others.
    pub(super) fn draw_joined(&mut self) {
        for (thread, rank) in std::mem::take(&mut self.joined).drawn().zip(0..) {
            let JoinedThread { thread, elsewhere, .. } = thread;
            let of = Shared::LogicalThread(thread.logical_thread);
            let mut track = self.format.shared(of, &thread.path, None);
            for (on, time) in elsewhere {
                let title = self.reference(on);
                draw_reference(&mut self.format, &mut track, time, title);
                self.drawn.logical_threads.slices += 1;
            }
            self.format.set_rank(&thread, &track, rank);
        }
    }

    /// Takes an event that shows what is open where the window begins.
    #[cold]
    pub(super) fn take_in(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.defined != definitions.count() {
            self.define(definitions);
        }
        if F::FOLLOWS_OPEN {
            self.open_or_close(definitions, event);
        }
        match event {
            Event::Begin(executor, _) => self.tracks.take_in_begin(*executor, at),
            Event::End(executor, ..) | Event::Suspend(executor, ..) => {
                self.tracks.take_in_end(*executor);
            }
            _ => {}
        }
    }

    /// Opens the slice on each track that shows it, or closes it. Tracks of logical threads that are not all drawn
    /// have nothing open at a border.
    fn open_or_close(&mut self, definitions: &Definitions, event: &Event<'_>) {
        let TrackSink { format, tracks, view, .. } = self;
        let begun = match event {
            Event::Begin(_, slice)
            | Event::RegionBegin(_, slice)
            | Event::PhaseBegin(_, slice)
            | Event::HoldBegin(_, _, slice) => Some(slice.kind),
            _ => None,
        };
        match event {
            Event::Begin(executor, _) | Event::End(executor, ..) | Event::Suspend(executor, ..) => {
                if view.has_threads()
                    && let Some(track) = tracks.thread(executor.thread)
                {
                    format.open(track, begun);
                }
                if let Some(thread) = executor.logical_thread
                    && matches!(view, View::Both | View::Regions)
                    && let Some(track) = tracks.logical_thread(format, definitions, thread)
                {
                    format.open(track, begun);
                }
            }
            Event::RegionBegin(region_track, _) | Event::RegionEnd(region_track, _) => {
                let track = tracks.level(format, *region_track);
                format.open(track, begun);
            }
            Event::PhaseBegin(executor, _) | Event::PhaseEnd(executor, _) => {
                let track = tracks.phases(format, executor.thread);
                format.open(track, begun);
            }
            Event::HoldBegin(lock, ..) | Event::HoldEnd(lock, _) => {
                if let Some(track) = tracks.lock(format, definitions, *lock) {
                    format.open(track, begun);
                }
            }
            _ => {}
        }
    }

    pub(super) fn window_begins(&mut self, border: &Border) {
        (self.muted, self.drawn_with) = (false, self.defined);
        self.tracks.begin_window(border.at);
    }

    pub(super) fn window_ends(&mut self, border: &Border) {
        let TrackSink { states, tracks, format, drawn, .. } = self;
        states.finish(|thread, part| draw(tracks, format, drawn, thread, part));
        self.tracks.end_window(&mut self.format, border.at);
        self.format.end_window();
        self.ended = Some(border.at);
    }
}
