//! The sink: `ompttrace-tracks` decides which tracks an event is on, `trace` encodes the event.

use std::io::Write;

use ompttrace_model::{Definitions, Event, Join, RunInfo, Sink, Summary, View};
use ompttrace_tracks::{self as tracks, Overview, TrackSink, TrackWindows, Windowed};

use crate::Error;
use crate::lines::Lines;
use crate::output::Output;
use crate::trace::{Trace, Written};

/// Writes a timeline as a trace in Chrome's JSON format.
#[derive(Debug)]
pub struct ChromeSink<W: Write>(TrackSink<Trace<W>>);

impl<W: Write> ChromeSink<W> {
    /// What threads do is drawn however short it is, instead of in sums.
    pub fn exact(self, exact: bool) -> Self {
        ChromeSink(self.0.exact(exact))
    }

    /// An empty trace. Blocks of some 256 KiB go to `writer`, which needs no buffer of its own.
    pub fn new(writer: W, view: View) -> Self {
        ChromeSink(TrackSink::new(Trace::new(Lines::new(Output::new(writer))), view))
    }

    /// The same trace, made in windows, several at a time. Nothing was written before.
    pub fn in_windows(self) -> impl Join<Output = Written, Sink: Sink<Error = Error>> {
        TrackWindows::new(self.0)
    }

    /// Fails where the writer did not take our bytes: to give up early in a long export.
    pub fn check(&self) -> Result<(), Error> {
        self.0.format().check()
    }
}

impl<W: Write> Sink for ChromeSink<W> {
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Written, Error> {
        self.0.finish(definitions, summary)
    }
}

/// Writes a timeline as the finest of several traces that is not larger than allowed.
#[derive(Debug)]
pub struct ChromeOverview<W: Write>(TrackSink<Overview<Trace<W>>>);

impl<W: Write> ChromeOverview<W> {
    /// What threads do is drawn however short it is, instead of in sums.
    pub fn exact(self, exact: bool) -> Self {
        ChromeOverview(self.0.exact(exact))
    }

    /// Empty traces; see [`Overview::new`].
    pub fn new(
        writers: impl IntoIterator<Item = (u64, W)>,
        limit: u64,
        view: View,
        cores: bool,
    ) -> Self {
        let trace =
            |(resolution, writer)| (resolution, Trace::new(Lines::new(Output::new(writer))));
        let overview = Overview::new(writers.into_iter().map(trace), limit, cores);
        ChromeOverview(TrackSink::new(overview, view))
    }

    /// See [`Overview::made_of`].
    pub fn made_of(mut self, resolution: Option<u64>) -> Self {
        self.0.format_mut().made_of(resolution);
        self
    }

    /// The trace as it is may have any number of bytes: to find out how large it is.
    pub fn keep_whole(mut self) -> Self {
        self.0.format_mut().keep_whole();
        self
    }

    /// The same trace, made in windows, several at a time. Nothing was written before.
    pub fn in_windows(
        self,
    ) -> impl Join<Output = Option<tracks::Written<Written>>, Sink: Sink<Error = Error>> {
        TrackWindows::new(self.0)
    }
}

impl<W: Write> Sink for ChromeOverview<W> {
    type Output = Option<tracks::Written<Written>>;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Self::Output, Error> {
        self.0.finish(definitions, summary)
    }
}
