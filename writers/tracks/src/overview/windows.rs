//! An overview of windows of a run: each is drawn at the resolutions that are left, and those are put together.
//!
//! In windows a resolution is always made of the next finer one, be that drawn or given up meanwhile: what is drawn does
//! not depend on when that was.

use super::Overview;
use super::fold::Fold;
use super::level::{self, Drawing, Level};
use crate::counts::Counts;
use crate::windows::{Window, Windowed};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What was made of a window.
#[derive(Debug)]
pub struct Made<M> {
    /// As it is, if it was drawn so.
    whole: Option<M>,
    /// By resolution.
    levels: Vec<(u64, M, Counts)>,
    /// Calls for events.
    events: u64,
}

/// The finest resolution that is left, 0 for the trace as it is: which windows check while drawing.
#[derive(Clone, Debug, Default)]
pub(super) struct Finest(Arc<AtomicU64>);

impl Finest {
    // Nothing else is read by it; an old value only means drawing too much.
    fn set(&self, resolution: u64) {
        self.0.store(resolution, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl<F: Window> Window for Overview<F> {
    type Made = Made<F::Made>;

    fn made(mut self) -> Result<Made<F::Made>, F::Error> {
        level::draw_all(&mut self.levels, &self.known, Fold::finish);
        let whole = self.whole.map(|drawing| drawing.format.made()).transpose()?;
        let levels = self.levels.into_iter().filter_map(|Level { resolution, canvas, .. }| {
            let made = canvas.drawing?.format.made();
            Some(made.map(|made| (resolution, made, canvas.counts)))
        });
        Ok(Made { whole, levels: levels.collect::<Result<_, _>>()?, events: self.events })
    }
}

impl<F: Windowed> Windowed for Overview<F> {
    type Window = Overview<F::Window>;

    fn windows(&self) -> impl Fn() -> Overview<F::Window> + Sync + use<F> {
        let whole = self.whole.as_ref().map(|drawing| drawing.format.windows());
        let levels = self.levels.iter().filter_map(|level| {
            let drawing = level.canvas.drawing.as_ref()?;
            Some((level.resolution, drawing.format.windows()))
        });
        let levels: Vec<_> = levels.collect();
        let (cores, finest) = (self.cores, self.finest.clone());
        move || {
            let finest = finest.get();
            let whole = whole.as_ref().filter(|_| finest == 0);
            let levels = levels.iter().map(|(resolution, new)| {
                let drawing = (*resolution >= finest).then(|| Drawing::new(new()));
                Level::new(*resolution, drawing, u64::MAX)
            });
            let whole = whole.map(|new| Drawing::new(new()));
            Overview { is_window: true, ..Overview::of(whole, levels.collect(), u64::MAX, cores) }
        }
    }

    fn append(&mut self, made: Made<<F::Window as Window>::Made>) {
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
        let finest = || self.levels.first().map_or(0, |level| level.resolution);
        self.finest.set(if self.whole.is_some() { 0 } else { finest() });
    }

    fn check(&self) -> Result<(), F::Error> {
        let levels = self.levels.iter().filter_map(|level| level.canvas.drawing.as_ref());
        self.whole.iter().chain(levels).try_for_each(|drawing| drawing.format.check())
    }
}
