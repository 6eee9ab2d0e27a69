//! An overview of windows of a run: each is drawn at the resolutions that are left, and those are put together.
//!
//! In windows a resolution is always made of the next finer one, be that drawn or given up meanwhile: what is drawn does
//! not depend on when that was.

use super::Overview;
use super::fold::Fold;
use super::level::{self, Drawing, Level};
use crate::counts::Counts;
use crate::format::Format;
use crate::windows::{Window, Windowed};
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The result of a window.
#[derive(Debug)]
pub struct WindowOverview<M> {
    /// The window as it is, if it was drawn so.
    whole: Option<M>,
    /// The drawings of the window, by resolution, with the numbers of their events.
    levels: Vec<(u64, M, Counts)>,
    /// Number of calls for events.
    events: u64,
}

/// State that windows check while drawing: true once the trace as it is was given up, and the finest resolution that
/// is still drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct StillDrawn {
    given_up: Arc<(AtomicBool, AtomicU64)>,
    /// A finer resolution, of which the finest one is made.
    made_of: Option<u64>,
}

impl StillDrawn {
    // Nothing else is read by it; an old value only means drawing too much.
    fn set(&self, whole: bool, finest: u64) {
        self.given_up.0.store(!whole, Ordering::Relaxed);
        self.given_up.1.store(finest, Ordering::Relaxed);
    }

    fn has_whole(&self) -> bool {
        !self.given_up.0.load(Ordering::Relaxed)
    }

    fn finest(&self) -> u64 {
        self.given_up.1.load(Ordering::Relaxed)
    }
}

impl<F: Format> Overview<F> {
    /// Never gives up the trace as it is, while resolutions are given up: so its size can be found.
    pub fn keep_whole(&mut self) {
        self.keeps_whole = true;
    }

    /// In windows the finest resolution is made of this one, which is finer and not drawn itself: a resolution that
    /// is made of events as they are has more summaries.
    pub fn made_of(&mut self, resolution: Option<u64>) {
        self.left.made_of = resolution;
    }

    /// Bytes of the drawings that are not given up, by resolution.
    pub(super) fn sizes(&self) -> Vec<(u64, u64)> {
        let levels = self.levels.iter().map(|level| (level.resolution, &level.canvas.drawing));
        let drawings = [(0, &self.whole)].into_iter().chain(levels);
        let size = |(resolution, drawing): (u64, &Option<Drawing<F>>)| {
            Some((resolution, drawing.as_ref()?.format.bytes()))
        };
        drawings.filter_map(size).collect()
    }
}

impl<F: Window> Window for Overview<F> {
    type Made = WindowOverview<F::Made>;

    /// The drawings since the last call; those that were given up in the trace are not continued.
    fn part(&mut self) -> Option<WindowOverview<F::Made>> {
        let (has_whole, finest) = (self.left.has_whole(), self.left.finest());
        self.whole.take_if(|_| !has_whole);
        let whole = match &mut self.whole {
            Some(drawing) => Some(drawing.format.part()?),
            None => None,
        };
        let mut levels = Vec::new();
        for Level { resolution, canvas, .. } in &mut self.levels {
            canvas.drawing.take_if(|_| *resolution < finest);
            if let Some(drawing) = &mut canvas.drawing {
                levels.push((*resolution, drawing.format.part()?, take(&mut canvas.counts)));
            }
        }
        Some(WindowOverview { whole, levels, events: take(&mut self.events) })
    }

    fn made(mut self) -> Result<WindowOverview<F::Made>, F::Error> {
        level::draw_all(&mut self.levels, &self.known, Fold::finish);
        let whole = self.whole.map(|drawing| drawing.format.made()).transpose()?;
        let levels = self.levels.into_iter().filter_map(|Level { resolution, canvas, .. }| {
            let made = canvas.drawing?.format.made();
            Some(made.map(|made| (resolution, made, canvas.counts)))
        });
        Ok(WindowOverview { whole, levels: levels.collect::<Result<_, _>>()?, events: self.events })
    }
}

impl<F: Windowed> Windowed for Overview<F> {
    /// Few windows for a run with many threads, because everything that is open is drawn where a window ends.
    const BYTES_PER_THREAD: u64 = 64 << 10;

    type Window = Overview<F::Window>;

    fn windows(&self) -> impl Fn() -> Overview<F::Window> + Sync + use<F> {
        let whole = self.whole.as_ref().map(|drawing| drawing.format.windows());
        let levels = self.levels.iter().filter_map(|level| {
            let drawing = level.canvas.drawing.as_ref()?;
            Some((level.resolution, drawing.format.windows()))
        });
        let levels: Vec<_> = levels.collect();
        let (cores, left) = (self.cores, self.left.clone());
        move || {
            let finest = left.finest();
            let whole = whole.as_ref().filter(|_| left.has_whole());
            let not_drawn = left.made_of.map(|resolution| Level::new(resolution, None, u64::MAX));
            let levels = levels.iter().map(|(resolution, new)| {
                let drawing = (*resolution >= finest).then(|| Drawing::new(new()));
                Level::new(*resolution, drawing, u64::MAX)
            });
            let levels = not_drawn.into_iter().chain(levels).collect();
            let whole = whole.map(|new| Drawing::new(new()));
            let overview = Overview::of(whole, levels, u64::MAX, cores);
            Overview { is_window: true, left: left.clone(), ..overview }
        }
    }

    fn append(&mut self, made: WindowOverview<<F::Window as Window>::Made>) {
        self.events += made.events;
        if let (Some(drawing), Some(whole)) = (&mut self.whole, made.whole) {
            drawing.format.append(whole);
        }
        for (resolution, made, counts) in made.levels {
            let level = self.levels.iter_mut().find(|level| level.resolution == resolution);
            if let Some(Level { canvas, .. }) = level {
                canvas.go_on(counts, |format| format.append(made));
            }
        }
        self.give_up_large();
        let finest = self.levels.first().map_or(0, |level| level.resolution);
        self.left.set(self.whole.is_some(), finest);
    }

    fn check(&self) -> Result<(), F::Error> {
        let levels = self.levels.iter().filter_map(|level| level.canvas.drawing.as_ref());
        self.whole.iter().chain(levels).try_for_each(|drawing| drawing.format.check())
    }
}
