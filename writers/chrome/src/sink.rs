//! The sink: `ompttrace-tracks` decides which tracks an event is on, `trace` encodes the event.

use std::io::Write;

use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, View, Windows};
use ompttrace_tracks::{self as tracks, Destination, Overview, TrackSink, TrackWindows, Windowed};

use crate::Error;
use crate::lines::Lines;
use crate::output::Output;
use crate::trace::{Trace, Written};

/// Writes a timeline as a trace in Chrome's JSON format.
#[derive(Debug)]
pub struct ChromeSink<'w>(TrackSink<Trace<Destination<'w>>>);

impl<'w> ChromeSink<'w> {
    /// With true, draws all activities of threads however short they are, instead of in sums.
    pub fn exact(self, exact: bool) -> Self {
        ChromeSink(self.0.exact(exact))
    }

    /// An empty trace. Blocks of some 256 KiB go to `writer`, which needs no buffer of its own.
    pub fn new(writer: impl Write + Send + 'w, view: View) -> Self {
        ChromeSink(TrackSink::new(
            Trace::new(Lines::new(Output::new(Destination::new(writer)))),
            view,
        ))
    }

    /// Writes the same trace in windows of the run, several at a time. Nothing may have been written before.
    pub fn in_windows(self) -> Windows<'w, Written, Error> {
        Windows::new(TrackWindows::new(self.0))
    }

    /// Fails if the writer did not take our bytes, so that a long export can be aborted early.
    pub fn check(&self) -> Result<(), Error> {
        self.0.format().check()
    }
}

impl Sink for ChromeSink<'_> {
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Written, Error> {
        self.0.finish(definitions, summary)
    }
}

/// Writes a timeline as the finest of several traces that is not larger than allowed.
#[derive(Debug)]
pub struct ChromeOverview<'w>(TrackSink<Overview<Trace<Destination<'w>>>>);

impl<'w> ChromeOverview<'w> {
    /// With true, draws all activities of threads however short they are, instead of in sums.
    pub fn exact(self, exact: bool) -> Self {
        ChromeOverview(self.0.exact(exact))
    }

    /// Empty traces; see [`Overview::new`].
    pub fn new(
        writers: impl IntoIterator<Item = (u64, impl Write + Send + 'w)>,
        limit: u64,
        view: View,
        cores: bool,
    ) -> Self {
        let trace = |(resolution, writer)| {
            (resolution, Trace::new(Lines::new(Output::new(Destination::new(writer)))))
        };
        let overview = Overview::new(writers.into_iter().map(trace), limit, cores);
        ChromeOverview(TrackSink::new(overview, view))
    }

    /// See [`Overview::made_of`].
    pub fn made_of(mut self, resolution: Option<u64>) -> Self {
        self.0.format_mut().made_of(resolution);
        self
    }

    /// Allows the unreduced trace to have any number of bytes, to determine its size.
    pub fn keep_whole(mut self) -> Self {
        self.0.format_mut().keep_whole();
        self
    }

    /// Writes the same trace in windows of the run, several at a time. Nothing may have been written before.
    pub fn in_windows(self) -> Windows<'w, Option<tracks::Written<Written>>, Error> {
        Windows::new(TrackWindows::new(self.0))
    }
}

impl Sink for ChromeOverview<'_> {
    type Output = Option<tracks::Written<Written>>;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Self::Output, Error> {
        self.0.finish(definitions, summary)
    }
}
