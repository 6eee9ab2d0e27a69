//! The writer proper: tracks and events as packets.
//!
//! `ompttrace-tracks` decides which tracks an event is on; `trace` encodes the event.
//! `process` describes the process and its threads, `groups` the tree above the other tracks; `texts` keeps the
//! texts; `notes` collects the details of one event; `numbers` makes all numbers unlike those of another process; `cores` and
//! `switches` write which thread had which core.
//!
//! Never here: an allocation, a look-up by text or a `dyn` call for a plain event.

mod cores;
mod groups;
mod notes;
mod numbers;
mod process;
mod samples;
mod summaries;
mod switches;
mod texts;
mod trace;
mod windows;

use std::io::Write;

use ompttrace_model::{Definitions, Event, Join, RunInfo, Sink, Summary};
use ompttrace_tracks::{self as tracks, Overview, TrackSink, TrackWindows, Windowed};

pub use cores::SharedCores;
pub use ompttrace_model::View;
pub use trace::Written;

use crate::Error;
use cores::Cores;
use trace::Trace;

/// Writes a timeline as a Perfetto trace.
#[derive(Debug)]
pub struct PerfettoSink<W: Write>(TrackSink<Trace<W>>);

impl<W: Write> PerfettoSink<W> {
    /// What threads do is drawn however short it is, instead of in sums.
    pub fn exact(self, exact: bool) -> Self {
        PerfettoSink(self.0.exact(exact))
    }

    /// An empty trace. Blocks of some 256 KiB go to `writer`, which needs no buffer of its own.
    pub fn new(writer: W, view: View) -> Self {
        PerfettoSink(TrackSink::new(Trace::new(writer, Cores::default()), view))
    }

    /// A part of a trace of several processes of one machine, whose cores are written after all of them.
    pub fn beside(writer: W, view: View, cores: &SharedCores) -> Self {
        PerfettoSink(TrackSink::new(Trace::new(writer, Cores::beside(cores)), view))
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

impl<W: Write> Sink for PerfettoSink<W> {
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

/// Writes a timeline as the finest of several Perfetto traces that is not larger than allowed.
#[derive(Debug)]
pub struct PerfettoOverview<W: Write>(TrackSink<Overview<Trace<W>>>);

impl<W: Write> PerfettoOverview<W> {
    /// What threads do is drawn however short it is, instead of in sums.
    pub fn exact(self, exact: bool) -> Self {
        PerfettoOverview(self.0.exact(exact))
    }

    /// Empty traces; see [`Overview::new`].
    pub fn new(
        writers: impl IntoIterator<Item = (u64, W)>,
        limit: u64,
        view: View,
        cores: bool,
    ) -> Self {
        let trace = |(resolution, writer)| (resolution, Trace::new(writer, Cores::default()));
        let overview = Overview::new(writers.into_iter().map(trace), limit, cores);
        PerfettoOverview(TrackSink::new(overview, view))
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

impl<W: Write> Sink for PerfettoOverview<W> {
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
