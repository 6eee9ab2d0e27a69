//! One event on each track that is to show it.

use std::io::Write;

use ompttrace_model::{Instant, Mark, NameRef, Place, Slice};

use super::PerfettoSink;
use super::book::{Book, Note};
use super::notes::Notes;
use super::picture::Group;
use crate::encode::{CategoryKey, Details, Event, NameKey, Packets, Sequence};
use ompttrace_model::Category;

/// An event as the encoder takes it.
#[inline(always)]
pub(super) fn event(name: NameRef, category: Category, details: Details<'_>) -> Event<'_> {
    Event {
        name: NameKey(name),
        category: Some(CategoryKey(category as u32)),
        track: None,
        details,
    }
}

/// The innermost slice of a track ends. Most ends have nothing to say.
#[inline(always)]
pub(super) fn end<W: Write>(
    track: &mut Sequence,
    out: &mut Packets<W, Book>,
    notes: &mut Notes,
    at: u64,
    mark: Mark,
) {
    if mark == Mark::Observed {
        track.end(out, at, None);
    } else {
        notes.take_end(mark);
        track.end_with(out, at, None, &notes.details());
    }
}

impl<W: Write> PerfettoSink<W> {
    #[inline(always)]
    pub(super) fn take_slice(&mut self, slice: &Slice<'_>) {
        let numbers = self.picture.numbers;
        self.notes.take_slice(self.picture.book(), numbers, slice);
    }

    /// `serves`: the slice is all that the thread does on the lane, and says so.
    #[inline(always)]
    pub(super) fn begin_on_thread(
        &mut self,
        at: u64,
        place: Place,
        slice: &Slice<'_>,
        serves: bool,
    ) {
        if !self.view.has_threads() {
            return;
        }
        let Some(thread) = self.threads.sequence(place.thread) else { return };
        let lane = if serves { place.lane.and_then(|lane| self.lanes.path(lane)) } else { None };
        self.notes.set_partner(lane.map(|lane| (Note::Lane, lane)));
        let event = event(slice.name, Category::of_slice(slice.kind), self.notes.details());
        thread.begin(&mut self.picture.out, at, &event);
        self.written.threads.slices += 1;
    }

    #[inline(always)]
    pub(super) fn begin_on_lane(&mut self, at: u64, place: Place, slice: &Slice<'_>, serves: bool) {
        let Some(lane) = place.lane.filter(|_| self.view.has_lanes()) else { return };
        let Some(lane) = self.lanes.sequence(&mut self.picture, lane) else { return };
        let thread = if serves { self.threads.name(place.thread) } else { None };
        self.notes.set_partner(thread.map(|thread| (Note::Thread, thread)));
        let details = self.notes.details_on_lane(self.view);
        let event = event(slice.name, Category::of_slice(slice.kind), details);
        lane.begin(&mut self.picture.out, at, &event);
        self.written.lanes.slices += 1;
    }

    #[inline(always)]
    pub(super) fn end_on_thread(&mut self, at: u64, place: Place, mark: Mark) {
        if self.view.has_threads()
            && let Some(thread) = self.threads.sequence(place.thread)
        {
            end(thread, &mut self.picture.out, &mut self.notes, at, mark);
        }
    }

    #[inline(always)]
    pub(super) fn end_on_lane(&mut self, at: u64, place: Place, mark: Mark) {
        if let Some(lane) = place.lane.filter(|_| self.view.has_lanes())
            && let Some(lane) = self.lanes.sequence(&mut self.picture, lane)
        {
            end(lane, &mut self.picture.out, &mut self.notes, at, mark);
        }
    }

    #[inline(always)]
    pub(super) fn instant_on_thread(&mut self, at: u64, place: Place, instant: &Instant<'_>) {
        if self.view.has_threads()
            && let Some(thread) = self.threads.sequence(place.thread)
        {
            let category = Category::of_instant(instant.kind);
            let event = event(instant.name, category, self.notes.details());
            thread.instant(&mut self.picture.out, at, &event);
            self.written.threads.instants += 1;
        }
    }

    #[inline(always)]
    pub(super) fn instant_on_lane(&mut self, at: u64, place: Place, instant: &Instant<'_>) {
        if let Some(lane) = place.lane.filter(|_| self.view.has_lanes())
            && let Some(lane) = self.lanes.sequence(&mut self.picture, lane)
        {
            let category = Category::of_instant(instant.kind);
            let details = self.notes.details_on_lane(self.view);
            lane.instant(&mut self.picture.out, at, &event(instant.name, category, details));
            self.written.lanes.instants += 1;
        }
    }

    /// A lock's track says who holds it.
    #[inline(always)]
    pub(super) fn note_holder(&mut self, place: Place) {
        if let Some(thread) = self.threads.name(place.thread) {
            self.notes.add(Note::Thread, thread);
        }
        if let Some(lane) = place.lane.and_then(|lane| self.lanes.path(lane)) {
            self.notes.add(Note::Lane, lane);
        }
    }

    /// The next packet of each track at `place` says that some are missing before it.
    #[cold]
    pub(super) fn declare_loss(&mut self, place: Place) {
        if self.view.has_threads()
            && let Some(thread) = self.threads.sequence(place.thread)
        {
            thread.declare_loss();
            self.told_loss = true;
        }
        if let Some(lane) = place.lane.filter(|_| self.view.has_lanes())
            && let Some(lane) = self.lanes.sequence(&mut self.picture, lane)
        {
            lane.declare_loss();
            self.told_loss = true;
        }
    }

    /// Losses that nobody could place are told at the end of the run.
    #[cold]
    pub(super) fn remark_loss(&mut self, text: &str) {
        let uuid = self.picture.group(Group::OpenMp);
        let name = self.picture.book().new_name(text.to_owned());
        let mut sequence = self.picture.out.sequence(uuid);
        sequence.declare_loss();
        let event = event(name, Category::Tool, Details::default());
        sequence.instant(&mut self.picture.out, self.end, &event);
        self.written.remarks += 1;
    }
}
