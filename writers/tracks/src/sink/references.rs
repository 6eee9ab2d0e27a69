//! Slices of logical threads that another track shows: they say on which one.

use super::TrackSink;
use crate::format::{Format, Titled};
use ompttrace_model::{Definitions, LogicalThreadRef, Mark, NameRef, Slice, SliceKind, ThreadRef};
use std::ops::Range;

impl<F: Format> TrackSink<F> {
    /// A logical thread was on one OS thread so far and gets a track now, which says so.
    #[cold]
    pub(super) fn refer(
        &mut self,
        definitions: &Definitions,
        logical_thread: LogicalThreadRef,
        from: ThreadRef,
        time: Range<u64>,
    ) {
        let title = self.reference(from);
        let Some(track) = self.tracks.logical_thread(&mut self.format, definitions, logical_thread)
        else {
            return;
        };
        draw_reference(&mut self.format, track, time, title);
        self.drawn.logical_threads.slices += 1;
    }

    /// The title of the slice of a logical thread that another track shows.
    pub(super) fn reference(&mut self, on: ThreadRef) -> NameRef {
        let title = format!("as on {}", self.tracks.name_of(on));
        self.titles.add(&mut self.format, &title)
    }
}

/// Draws on a logical thread's track that another one shows it.
pub(super) fn draw_reference<F: Format>(
    format: &mut F,
    track: &mut F::Track,
    time: Range<u64>,
    title: NameRef,
) {
    let slice = Slice::new(SliceKind::ImplicitTask, title, 0);
    format.take_slice(&slice);
    format.begin(track, time.start, Titled { title, event: &slice }, false);
    format.end(track, time.end, Mark::Observed);
}
