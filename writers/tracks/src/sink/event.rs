//! The dispatch of an event: each kind goes to the function that draws it.

use super::TrackSink;
use crate::format::Format;
use ompttrace_model::{Definitions, Event};

impl<F: Format> TrackSink<F> {
    /// An event where a window begins, or with new definitions.
    #[cold]
    #[inline(never)]
    pub(super) fn event_in_full(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.muted {
            return self.take_in(definitions, at, event);
        }
        self.define(definitions);
        self.draw_event(definitions, at, event);
    }

    #[inline(always)]
    pub(super) fn draw_event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        match event {
            Event::Begin(executor, slice) => self.begin(definitions, at, executor, slice),
            Event::End(executor, _, mark) | Event::Suspend(executor, _, mark) => {
                self.end(definitions, at, executor, *mark);
            }
            Event::Instant(executor, instant) => self.instant(definitions, at, executor, instant),
            Event::State(thread, state) => self.state(at, *thread, *state),
            Event::RegionBegin(region_track, slice) => {
                self.region_begin(definitions, at, *region_track, slice)
            }
            Event::RegionEnd(region_track, mark) => self.region_end(at, *region_track, *mark),
            Event::HoldBegin(lock, executor, slice) => {
                self.hold_begin(definitions, at, *lock, executor, slice);
            }
            Event::HoldEnd(lock, mark) => self.hold_end(definitions, at, *lock, *mark),
            Event::PhaseBegin(executor, slice) => {
                self.phase_begin(definitions, at, executor.thread, slice);
            }
            Event::PhaseEnd(executor, mark) => self.phase_end(at, executor.thread, *mark),
            Event::Counter(counter, value) => self.new_value(at, *counter, *value),
            Event::Core(thread, core) => self.core(at, *thread, *core),
            Event::Sample(executor, sample) => {
                self.sample(definitions, at, executor.thread, sample);
            }
            Event::TeamThreadBegin(..)
            | Event::TeamThreadEnd(_)
            | Event::TaskRuns(..)
            | Event::TaskEnd(..)
            | Event::LockRequested { .. }
            | Event::LockRefused { .. }
            | Event::LockAcquired(..)
            | Event::LockReleased(..)
            | Event::CoreSums(..)
            | Event::Mpi(..)
            | Event::Stop => {}
        }
    }
}
