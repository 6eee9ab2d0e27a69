//! A whole run in a trace of bounded size: at the finest resolution with which it fits.
//!
//! [`Overview`] is a format in front of others of one kind: it draws the trace as it is and at several resolutions at
//! the same time, each into a format of its own, and gives one up as soon as it is larger than allowed. The finest one
//! that is left in the end is the trace. At a resolution every slice that lasts at least as long is drawn as it is, and
//! so is every loss; what is shorter becomes part of summary slices ([`Summary`]), whose sums, with the slices that are
//! drawn, are those of the whole trace. A coarser resolution is made of what the next finer one draws.
//!
//! If windows of the run are drawn by themselves ([`windows`]), all that is open at their borders is drawn as it is.
//!
//! Absent at a resolution are arrows from or to events that are part of a summary, and those that go from one window
//! to another.

mod bin;
mod fold;
mod kept;
mod level;
mod summary;
#[cfg(test)]
mod tests;
mod values;
mod windows;

use crate::activities::Activities;
use crate::counts::Counts;
use crate::first_look::FirstLook;
use crate::format::{Format, Partner, Shared, Titled};
pub use bin::Sum;
use fold::{Fold, FoldedEvent};
use kept::KeptEvent;
use level::{Drawing, Level, TrackInfo};
use ompttrace_model::{
    Chunks, Core, Counter, Definitions, Instant, LogicalThread, Mark, RunInfo, Sample, Slice,
    SliceKind, ThreadRef,
};
use summary::Family;
pub use summary::Summary;
use windows::StillDrawn;

/// A track, by its number among all of them or among the counters.
#[derive(Clone, Copy, Debug)]
pub struct Track(usize);

/// A trace that was written at one resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written<O> {
    /// Duration in nanoseconds from which on slices are drawn as they are; 0: everything is.
    pub resolution: u64,
    /// Approximate bytes of the trace with everything; 0 if that was not tried.
    pub whole: u64,
    /// Bytes of all traces that were not given up, by resolution, from the finest on.
    pub sizes: Vec<(u64, u64)>,
    /// The result of the format.
    pub output: O,
}

/// See the module's text.
#[derive(Debug)]
pub struct Overview<F: Format> {
    /// The trace as it is.
    whole: Option<Drawing<F>>,
    /// Coarser and coarser; at least one.
    levels: Vec<Level<F>>,
    /// Bytes that a trace may have, except at the coarsest resolution.
    limit: u64,
    /// True if resolutions show which thread has which core, too.
    cores: bool,
    known: TrackInfo,
    /// Number of texts.
    texts: u32,
    /// Calls for events so far.
    events: u64,
    /// Bytes of the trace as it is when it was given up, and the number of its events by then.
    given_up: Option<(u64, u64)>,
    /// True if the trace as it is may have any number of bytes.
    keeps_whole: bool,
    /// If it is put together from windows: the formats that are still to be drawn of them.
    left: StillDrawn,
    /// True for the overview of a window, which gives nothing up.
    is_window: bool,
    /// The event under way.
    kept: KeptEvent,
}

impl<F: Format> Overview<F> {
    /// Formats with their resolutions in nanoseconds, from the finest on, 0 for the trace as it is; a format with
    /// more than `limit` bytes is dropped, except at the coarsest resolution. `cores`: true if resolutions show which
    /// thread has which core, of which they leave nothing out.
    pub fn new(formats: impl IntoIterator<Item = (u64, F)>, limit: u64, cores: bool) -> Self {
        let (mut whole, mut levels) = (None, Vec::new());
        for (resolution, format) in formats {
            match resolution {
                0 => whole = Some(Drawing::new(format)),
                _ => {
                    levels.push(Level::new(resolution, Some(Drawing::new(format)), limit));
                }
            }
        }
        if let Some(coarsest) = levels.last_mut() {
            coarsest.canvas.keep_anyway();
        }
        Self::of(whole, levels, limit, cores)
    }

    fn of(whole: Option<Drawing<F>>, levels: Vec<Level<F>>, limit: u64, cores: bool) -> Self {
        Overview {
            whole,
            levels,
            limit,
            cores,
            known: TrackInfo::default(),
            texts: 0,
            events: 0,
            given_up: None,
            keeps_whole: false,
            left: StillDrawn::default(),
            is_window: false,
            kept: KeptEvent::default(),
        }
    }

    /// All formats that are still drawn with.
    fn drawings(&mut self) -> impl Iterator<Item = &mut Drawing<F>> {
        let levels = self.levels.iter_mut();
        self.whole.iter_mut().chain(levels.filter_map(|level| level.canvas.drawing.as_mut()))
    }

    fn add_track(&mut self, family: Family) -> Track {
        self.known.families.push(family);
        self.levels.iter_mut().for_each(|level| level.add_track(&self.known));
        Track(self.known.families.len() - 1)
    }

    /// Something comes on a track.
    #[inline]
    fn feed(&mut self, track: Track, what: FoldedEvent<'_>) {
        level::feed(&mut self.levels, &self.known, track.0, what);
        self.give_up();
    }

    /// After an event: gives up the formats that have become too large.
    #[inline]
    fn give_up(&mut self) {
        self.events += 1;
        if !self.is_window {
            self.give_up_large();
        }
    }

    /// Gives up the formats that are too large.
    fn give_up_large(&mut self) {
        if let Some(whole) = &self.whole {
            let bytes = whole.format.bytes();
            if bytes > self.limit && !self.keeps_whole {
                (self.whole, self.given_up) = (None, Some((bytes, self.events)));
            }
        }
        while self.levels.len() > 1
            && self.levels.first().is_some_and(|finest| finest.canvas.drawing.is_none())
        {
            level::give_up_finest(&mut self.levels, &self.known);
        }
    }
}

impl<F: Format> Format for Overview<F> {
    const FOLLOWS_OPEN: bool = true;

    type Track = Track;
    /// Its number.
    type Text = u32;
    /// `None` where there was no format.
    type Output = Option<Written<F::Output>>;
    type Error = F::Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.known.chunks = Chunks::of(run.facts);
        self.drawings().for_each(|drawing| drawing.format.start(run));
    }

    fn first_look(&mut self, look: &FirstLook) {
        self.drawings().for_each(|drawing| drawing.format.first_look(look));
    }

    fn define(&mut self, definitions: &Definitions) {
        self.drawings().for_each(|drawing| drawing.format.define(definitions));
    }

    fn title(&mut self, title: &str) {
        self.drawings().for_each(|drawing| drawing.format.title(title));
    }

    fn text(&mut self, text: &str) -> u32 {
        self.drawings().for_each(|one| one.texts.push(one.format.text(text)));
        self.texts += 1;
        self.texts - 1
    }

    fn thread(&mut self, run: &RunInfo<'_>, at: ThreadRef, name: &str, shown: bool) -> Track {
        for Drawing { format, tracks, .. } in self.drawings() {
            tracks.push(format.thread(run, at, name, shown));
        }
        self.add_track(Family::Thread)
    }

    fn activities(&mut self, of: ThreadRef, name: &str) -> Track {
        self.drawings().for_each(|one| one.tracks.push(one.format.activities(of, name)));
        self.add_track(Family::Activities)
    }

    fn shared(&mut self, of: Shared, name: &str, rank: Option<u32>) -> Track {
        for Drawing { format, tracks, .. } in self.drawings() {
            tracks.push(format.shared(of, name, rank));
        }
        self.add_track(Family::of(of))
    }

    fn counter(&mut self, counter: Counter) -> Track {
        for Drawing { format, counters, .. } in self.drawings() {
            counters.push(format.counter(counter));
        }
        self.levels.iter_mut().for_each(|level| level.add_counter(counter));
        self.known.counters.push(counter);
        Track(self.known.counters.len() - 1)
    }

    fn set_rank(&mut self, thread: &LogicalThread, track: &Track, rank: u32) {
        for Drawing { format, tracks, .. } in self.drawings() {
            if let Some(track) = tracks.get(track.0) {
                format.set_rank(thread, track, rank);
            }
        }
    }

    fn open(&mut self, track: &mut Track, begun: Option<SliceKind>) {
        let folds = self.levels.iter_mut().filter_map(|level| level.folds.get_mut(track.0));
        folds.for_each(|fold| fold.open(begun));
    }

    fn end_window(&mut self) {
        level::draw_all(&mut self.levels, &self.known, Fold::end_window);
    }

    #[inline]
    fn take_slice(&mut self, slice: &Slice<'_>) {
        if let Some(Drawing { format, .. }) = &mut self.whole {
            format.take_slice(slice);
        }
        self.kept.take_slice(slice);
    }

    #[inline]
    fn take_instant(&mut self, instant: &Instant<'_>) {
        if let Some(Drawing { format, .. }) = &mut self.whole {
            format.take_instant(instant);
        }
        self.kept.take_instant(instant);
    }

    #[inline]
    fn set_partner(&mut self, partner: Option<(Partner, &u32)>) {
        if let Some(Drawing { format, texts, .. }) = &mut self.whole {
            let text =
                |(partner, text): (Partner, &u32)| Some((partner, texts.get(*text as usize)?));
            format.set_partner(partner.and_then(text));
        }
        self.kept.partners = [partner.map(|(partner, text)| (partner, *text)), None];
    }

    #[inline]
    fn add_partner(&mut self, partner: Partner, text: &u32) {
        if let Some(Drawing { format, texts, .. }) = &mut self.whole
            && let Some(text) = texts.get(*text as usize)
        {
            format.add_partner(partner, text);
        }
        if let Some(free) = self.kept.partners.iter_mut().find(|partner| partner.is_none()) {
            *free = Some((partner, *text));
        }
    }

    #[inline]
    fn begin(&mut self, track: &mut Track, at: u64, slice: Titled<&Slice<'_>>, flows: bool) {
        if let Some(Drawing { format, tracks, .. }) = &mut self.whole
            && let Some(track) = tracks.get_mut(track.0)
        {
            format.begin(track, at, slice, flows);
        }
        (self.kept.name, self.kept.at, self.kept.draws_flows) = (slice.title, at, flows);
        level::feed(&mut self.levels, &self.known, track.0, FoldedEvent::Begin(&self.kept));
        self.give_up();
    }

    #[inline]
    fn end(&mut self, track: &mut Track, at: u64, mark: Mark) {
        if let Some(Drawing { format, tracks, .. }) = &mut self.whole
            && let Some(track) = tracks.get_mut(track.0)
        {
            format.end(track, at, mark);
        }
        self.feed(*track, FoldedEvent::End(at, mark));
    }

    #[inline]
    fn instant(&mut self, track: &mut Track, at: u64, instant: Titled<&Instant<'_>>, flows: bool) {
        if let Some(Drawing { format, tracks, .. }) = &mut self.whole
            && let Some(track) = tracks.get_mut(track.0)
        {
            format.instant(track, at, instant, flows);
        }
        (self.kept.name, self.kept.at, self.kept.draws_flows) = (instant.title, at, flows);
        level::feed(&mut self.levels, &self.known, track.0, FoldedEvent::Instant(&self.kept));
        self.give_up();
    }

    /// A trace as it is holds summaries only where it is one already.
    fn summary(&mut self, _: &mut Track, _: &Summary<'_>) {}

    fn activity(&mut self, track: &mut Track, part: &Activities) {
        if let Some(Drawing { format, tracks, .. }) = &mut self.whole
            && let Some(track) = tracks.get_mut(track.0)
        {
            format.activity(track, part);
        }
        level::feed_activity(&mut self.levels, track.0, part);
        self.give_up();
    }

    fn value(&mut self, track: &mut Track, at: u64, counter: Counter, value: i64) {
        if let Some(Drawing { format, counters, .. }) = &mut self.whole
            && let Some(track) = counters.get_mut(track.0)
        {
            format.value(track, at, counter, value);
        }
        level::feed_value(&mut self.levels, (track.0, counter), (at, value as f64));
        self.give_up();
    }

    fn mean(&mut self, track: &mut Track, at: u64, counter: Counter, value: f64) {
        level::feed_value(&mut self.levels, (track.0, counter), (at, value));
    }

    fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        if let Some(Drawing { format, .. }) = &mut self.whole {
            format.core(at, thread, core);
        }
        if self.cores {
            for level in &mut self.levels {
                level.canvas.core(at, thread, core);
            }
        }
        self.give_up();
    }

    fn sample(&mut self, definitions: &Definitions, at: u64, thread: ThreadRef, sample: &Sample) {
        let whole = self.whole.as_mut().map(|drawing| &mut drawing.format);
        whole.into_iter().for_each(|format| format.sample(definitions, at, thread, sample));
        for level in &mut self.levels {
            level.canvas.sample(definitions, at, thread, sample);
        }
        self.give_up();
    }

    fn remark_loss(&mut self, at: u64, text: &str) {
        for drawing in self.drawings() {
            drawing.format.remark_loss(at, text);
        }
        for level in &mut self.levels {
            level.canvas.counts.process_instants += 1;
        }
    }

    fn bytes(&self) -> u64 {
        let finest = || self.levels.iter().find_map(|level| level.canvas.drawing.as_ref());
        self.whole.as_ref().or_else(finest).map_or(0, |drawing| drawing.format.bytes())
    }

    /// The finest one that is left.
    fn finish(mut self, drawn: Counts) -> Result<Option<Written<F::Output>>, F::Error> {
        level::draw_all(&mut self.levels, &self.known, Fold::finish);
        let sizes = self.sizes();
        if let Some(whole) = self.whole.take() {
            let output = whole.format.finish(drawn)?;
            return Ok(Some(Written { resolution: 0, whole: 0, sizes, output }));
        }
        let (bytes, by) = self.given_up.unwrap_or((0, 1));
        let whole = (bytes as f64 * self.events as f64 / by as f64) as u64;
        for Level { resolution, canvas, .. } in self.levels {
            if let Some(drawing) = canvas.drawing {
                let output = drawing.format.finish(canvas.counts)?;
                return Ok(Some(Written { resolution, whole, sizes, output }));
            }
        }
        Ok(None)
    }
}
