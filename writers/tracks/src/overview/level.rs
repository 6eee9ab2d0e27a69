//! One resolution: its format, and the events of each track that are not drawn yet.

use super::fold::{Fold, FoldedEvent, Out};
use super::kept::{KeptEvent, KeptKind};
use super::summary::{Family, Summary};
use super::values::{Value, Values};
use crate::activities::Activities;
use crate::counts::Counts;
use crate::format::{Format, Titled};
use crate::parts::Parts;
use ompttrace_model::{Chunks, Core, Counter, Definitions, Sample, ThreadRef};
use std::collections::HashSet;

/// Arrows that have begun and are remembered; beyond them, all are forgotten.
const MAX_ARROWS: usize = 1 << 16;

/// The kinds of all tracks, for all resolutions.
#[derive(Debug, Default)]
pub(super) struct TrackInfo {
    pub families: Vec<Family>,
    pub counters: Vec<Counter>,
    /// The recording of chunks of loops, which decides how much of a loop counts as work.
    pub chunks: Chunks,
}

/// A format and its tracks.
#[derive(Debug)]
pub(super) struct Drawing<F: Format> {
    pub format: F,
    pub tracks: Vec<F::Track>,
    pub counters: Vec<F::Track>,
    pub texts: Vec<F::Text>,
}

/// One resolution, as the module describes it.
#[derive(Debug)]
pub(super) struct Level<F: Format> {
    pub resolution: u64,
    pub folds: Vec<Fold>,
    parts: Vec<Parts>,
    values: Vec<Values>,
    pub canvas: Canvas<F>,
}

/// The drawing of a resolution.
#[derive(Debug)]
pub(super) struct Canvas<F: Format> {
    /// `None`: it became too large.
    pub drawing: Option<Drawing<F>>,
    /// Arrows whose beginning is drawn.
    arrows: HashSet<u64>,
    pub counts: Counts,
    /// Largest number of bytes that the drawing may have.
    limit: u64,
}

impl<F: Format> Drawing<F> {
    pub(super) fn new(format: F) -> Drawing<F> {
        let (tracks, counters, texts) = (Vec::new(), Vec::new(), Vec::new());
        Drawing { format, tracks, counters, texts }
    }
}

impl<F: Format> Level<F> {
    pub(super) fn new(resolution: u64, drawing: Option<Drawing<F>>, limit: u64) -> Level<F> {
        let canvas = Canvas { drawing, arrows: HashSet::new(), counts: Counts::default(), limit };
        let (folds, parts, values) = (Vec::new(), Vec::new(), Vec::new());
        Level { resolution, folds, parts, values, canvas }
    }

    /// Adds a track.
    pub(super) fn add_track(&mut self, known: &TrackInfo) {
        self.folds.push(Fold::new(self.resolution, known.chunks));
        self.parts.push(Parts::new(self.resolution));
    }

    /// Adds a counter.
    pub(super) fn add_counter(&mut self, counter: Counter) {
        let adds_up = matches!(counter, Counter::OfThread(..));
        self.values.push(Values::new(self.resolution, adds_up));
    }
}

impl<F: Format> Canvas<F> {
    /// Allows the drawing any number of bytes.
    pub(super) fn keep_anyway(&mut self) {
        self.limit = u64::MAX;
    }

    /// Appends the drawing of a window.
    pub(super) fn go_on(&mut self, counts: Counts, append: impl FnOnce(&mut F)) {
        let Some(drawing) = &mut self.drawing else { return };
        append(&mut drawing.format);
        self.counts += counts;
        if drawing.format.bytes() > self.limit {
            self.drawing = None;
        }
    }

    /// A thread gets a core or loses it.
    pub(super) fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        let Some(drawing) = &mut self.drawing else { return };
        drawing.format.core(at, thread, core);
        self.counts.core_changes += 1;
        if drawing.format.bytes() > self.limit {
            self.drawing = None;
        }
    }

    /// A sample of a thread.
    pub(super) fn sample(
        &mut self,
        definitions: &Definitions,
        at: u64,
        thread: ThreadRef,
        sample: &Sample,
    ) {
        let Some(drawing) = &mut self.drawing else { return };
        drawing.format.sample(definitions, at, thread, sample);
        self.counts.samples += 1;
        if drawing.format.bytes() > self.limit {
            self.drawing = None;
        }
    }

    fn draw(&mut self, known: &TrackInfo, track: usize, what: FoldedEvent<'_>) {
        let Some(drawing) = &mut self.drawing else { return };
        let family = known.families.get(track).copied().unwrap_or(Family::Thread);
        let Some(on) = drawing.tracks.get_mut(track) else { return };
        let (format, texts) = (&mut drawing.format, &drawing.texts);
        match what {
            FoldedEvent::Begin(kept) => {
                let KeptKind::Slice(kind) = kept.kind else { return };
                let ends = arrows(&mut self.arrows, kept);
                let slice = kept.slice(kind, &ends);
                format.take_slice(&slice);
                set_partners(format, texts, kept);
                let slice = Titled { title: kept.name, event: &slice };
                format.begin(on, kept.at, slice, kept.draws_flows);
                count(&mut self.counts, family);
            }
            FoldedEvent::End(at, mark) => format.end(on, at, mark),
            FoldedEvent::Instant(kept) => {
                let KeptKind::Instant(kind) = kept.kind else { return };
                let ends = arrows(&mut self.arrows, kept);
                let instant = kept.instant(kind, &ends);
                format.take_instant(&instant);
                set_partners(format, texts, kept);
                let instant = Titled { title: kept.name, event: &instant };
                format.instant(on, kept.at, instant, kept.draws_flows);
                match family {
                    Family::LogicalThread => self.counts.logical_threads.instants += 1,
                    _ => self.counts.threads.instants += 1,
                }
            }
            FoldedEvent::Summary(bin, around) => {
                format.summary(on, &Summary::new(bin, family, around, known.chunks));
                count(&mut self.counts, family);
            }
        }
        if format.bytes() > self.limit {
            self.drawing = None;
        }
    }

    fn draw_activity(&mut self, track: usize, part: &Activities) {
        let Some(drawing) = &mut self.drawing else { return };
        let Some(on) = drawing.tracks.get_mut(track) else { return };
        drawing.format.activity(on, part);
        self.counts.activities += 1;
        if drawing.format.bytes() > self.limit {
            self.drawing = None;
        }
    }

    fn write(&mut self, counter: usize, of: Counter, (at, value): Value) {
        let Some(drawing) = &mut self.drawing else { return };
        let Some(track) = drawing.counters.get_mut(counter) else { return };
        drawing.format.mean(track, at, of, value);
        self.counts.counter_values += 1;
        if drawing.format.bytes() > self.limit {
            self.drawing = None;
        }
    }
}

/// Something comes on a track: at the finest of these resolutions, from there to the coarser ones.
pub(super) fn feed<F: Format>(
    levels: &mut [Level<F>],
    known: &TrackInfo,
    track: usize,
    what: FoldedEvent<'_>,
) {
    with_fold(levels, known, track, |fold, out| fold.take(what, out));
}

/// Draws the events that are left, at all resolutions; on tracks, `of_track` does so.
pub(super) fn draw_all<F: Format>(
    levels: &mut [Level<F>],
    known: &TrackInfo,
    of_track: fn(&mut Fold, Out<'_>),
) {
    for track in 0..known.families.len() {
        for finest in 0..levels.len() {
            let Some(levels) = levels.get_mut(finest..) else { return };
            with_fold(levels, known, track, of_track);
        }
        finish_activity(levels, track);
    }
    for (counter, of) in known.counters.iter().enumerate() {
        finish_value(levels, (counter, *of));
    }
}

fn with_fold<F: Format>(
    levels: &mut [Level<F>],
    known: &TrackInfo,
    track: usize,
    what: impl FnOnce(&mut Fold, Out<'_>),
) {
    let Some((Level { folds, canvas, .. }, coarser)) = levels.split_first_mut() else { return };
    let Some(fold) = folds.get_mut(track) else { return };
    what(fold, &mut |drawn| {
        canvas.draw(known, track, drawn);
        feed(coarser, known, track, drawn);
    });
}

/// A thread does something: at the finest of these resolutions, from there to the coarser ones.
pub(super) fn feed_activity<F: Format>(levels: &mut [Level<F>], track: usize, part: &Activities) {
    let Some((finest, coarser)) = levels.split_first_mut() else { return };
    let Some(parts) = finest.parts.get_mut(track) else { return };
    for drawn in parts.take(part).into_iter().flatten() {
        finest.canvas.draw_activity(track, &drawn);
        feed_activity(coarser, track, &drawn);
    }
}

/// The last that a thread does.
fn finish_activity<F: Format>(levels: &mut [Level<F>], track: usize) {
    let Some((finest, coarser)) = levels.split_first_mut() else { return };
    if let Some(drawn) = finest.parts.get_mut(track).and_then(Parts::finish) {
        finest.canvas.draw_activity(track, &drawn);
        feed_activity(coarser, track, &drawn);
    }
    finish_activity(coarser, track);
}

/// A counter has a value.
pub(super) fn feed_value<F: Format>(
    levels: &mut [Level<F>],
    counter: (usize, Counter),
    (at, value): Value,
) {
    let Some((finest, coarser)) = levels.split_first_mut() else { return };
    let Some(values) = finest.values.get_mut(counter.0) else { return };
    for written in values.take(at, value).into_iter().flatten() {
        finest.canvas.write(counter.0, counter.1, written);
        feed_value(coarser, counter, written);
    }
}

/// The last values of a counter.
fn finish_value<F: Format>(levels: &mut [Level<F>], counter: (usize, Counter)) {
    let Some((finest, coarser)) = levels.split_first_mut() else { return };
    let Some(values) = finest.values.get_mut(counter.0) else { return };
    for written in values.finish().into_iter().flatten() {
        finest.canvas.write(counter.0, counter.1, written);
        feed_value(coarser, counter, written);
    }
    finish_value(coarser, counter);
}

/// Gives up the finest resolution: the next one continues with the events that were not drawn at it.
pub(super) fn give_up_finest<F: Format>(levels: &mut Vec<Level<F>>, known: &TrackInfo) {
    let gone = levels.remove(0);
    for (track, fold) in gone.folds.into_iter().enumerate() {
        fold.hand_over(&mut |drawn| feed(levels, known, track, drawn));
    }
    for (track, mut parts) in gone.parts.into_iter().enumerate() {
        let rest = parts.finish();
        rest.iter().for_each(|part| feed_activity(levels, track, part));
    }
    for ((counter, of), mut values) in known.counters.iter().enumerate().zip(gone.values) {
        let written = values.finish().into_iter().flatten();
        written.for_each(|value| feed_value(levels, (counter, *of), value));
    }
}

/// Notes the arrows that begin here; those of the ones that end here whose beginning is drawn.
fn arrows(begun: &mut HashSet<u64>, kept: &KeptEvent) -> Vec<u64> {
    if !kept.draws_flows || kept.flows.is_empty() && kept.flow_ends.is_empty() {
        return Vec::new();
    }
    if begun.len() + kept.flows.len() > MAX_ARROWS {
        begun.clear();
    }
    begun.extend(&kept.flows);
    kept.flow_ends.iter().copied().filter(|flow| begun.contains(flow)).collect()
}

fn set_partners<F: Format>(format: &mut F, texts: &[F::Text], kept: &KeptEvent) {
    for (partner, text) in kept.partners.into_iter().flatten() {
        if let Some(text) = texts.get(text as usize) {
            format.add_partner(partner, text);
        }
    }
}

fn count(counts: &mut Counts, family: Family) {
    *match family {
        Family::Thread => &mut counts.threads.slices,
        Family::LogicalThread => &mut counts.logical_threads.slices,
        Family::Level => &mut counts.region_slices,
        Family::Lock => &mut counts.hold_slices,
        Family::Phases => &mut counts.phase_slices,
        Family::Activities => &mut counts.activities,
    } += 1;
}
