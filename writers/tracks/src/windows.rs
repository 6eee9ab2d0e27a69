//! A trace that is made of windows of a run: each is drawn by itself, and all are put together in order.

use crate::format::Format;
use crate::join::Part;
use crate::sink::TrackSink;
use ompttrace_model::{Border, Definitions, Event, Join, RunInfo, Sink, Summary};

/// A format for a window of a run.
pub trait Window: Format {
    /// The format's result for the window.
    type Made: Send + 'static;

    /// The part of the result that was made since the last call, as far as it is complete. `None`: it waits for
    /// [`Window::made`].
    fn part(&mut self) -> Option<Self::Made> {
        None
    }

    /// The whole result, or the rest of it.
    ///
    /// # Errors
    /// The first error of the format.
    fn made(self) -> Result<Self::Made, Self::Error>;
}

/// A format whose traces can be put together.
pub trait Windowed: Format {
    /// As [`Join::BYTES_PER_THREAD`].
    const BYTES_PER_THREAD: u64 = 0;

    /// The format for windows. It writes nothing that belongs to the begin of a trace.
    type Window: Window<Error = Self::Error> + 'static;

    /// Makes formats for windows.
    fn windows(&self) -> impl Fn() -> Self::Window + Sync + use<Self>;

    /// Appends the result of the next window to the trace.
    fn append(&mut self, made: <Self::Window as Window>::Made);

    /// Fails if an error has occurred, so that the caller can give up early.
    ///
    /// # Errors
    /// The first error of the format.
    fn check(&self) -> Result<(), Self::Error>;
}

/// Puts windows together.
#[derive(Debug)]
pub struct TrackWindows<F: Format>(TrackSink<F>);

impl<F: Windowed> TrackWindows<F> {
    /// Creates the join of windows for a sink to which nothing came before.
    pub fn new(sink: TrackSink<F>) -> Self {
        TrackWindows(sink)
    }
}

impl<F: Windowed> Join for TrackWindows<F> {
    const BYTES_PER_THREAD: u64 = F::BYTES_PER_THREAD;

    type Sink = TrackWindow<F::Window>;
    type Output = F::Output;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    fn sinks(&self) -> impl Fn(bool) -> Self::Sink + Sync + use<F> {
        let (view, exact) = self.0.view();
        let windows = self.0.format().windows();
        move |first| TrackWindow(TrackSink::new(windows(), view).exact(exact).of_window(first))
    }

    fn take(&mut self, window: Drawn<<F::Window as Window>::Made>) -> Result<(), F::Error> {
        self.0.join(window.part);
        let format = self.0.format_mut();
        format.append(window.made);
        format.check()
    }

    fn finish(self, summary: &Summary) -> Result<F::Output, F::Error> {
        self.0.finish(&Definitions::default(), summary)
    }
}

/// Draws one window.
#[derive(Debug)]
pub struct TrackWindow<W: Format>(TrackSink<W>);

/// The result of a window, and the facts that are needed to join it.
#[derive(Debug)]
pub struct Drawn<M> {
    made: M,
    part: Part,
}

impl<W: Window> Sink for TrackWindow<W> {
    type Output = Drawn<W::Made>;
    type Error = W::Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn begin_window(&mut self, definitions: &Definitions, border: &Border) {
        self.0.begin_window(definitions, border);
    }

    fn end_window(&mut self, definitions: &Definitions, border: &Border) {
        self.0.end_window(definitions, border);
    }

    fn part(&mut self) -> Option<Self::Output> {
        let made = self.0.format_mut().part()?;
        Some(Drawn { made, part: Part::default() })
    }

    fn finish(self, definitions: &Definitions, _: &Summary) -> Result<Self::Output, W::Error> {
        let (format, part) = self.0.into_part(definitions);
        Ok(Drawn { made: format.made()?, part })
    }
}
