//! The writer proper: tracks and events as packets.
//!
//! `ompttrace-tracks` decides which tracks an event is on; `trace` encodes the event.
//! `process` describes the process and its threads, `groups` the tree above the other tracks; `texts` keeps the
//! texts; `notes` collects the details of one event, and `looks` says which slices differ in little of them; `numbers` makes all numbers unlike those of another process; `cores` and
//! `switches` write which thread had which core.
//!
//! Never here: an allocation, a look-up by text or a `dyn` call for a plain event.

mod cores;
mod first_look;
mod groups;
mod looks;
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
use std::sync::Arc;

use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, Windows};
use ompttrace_tracks::{
    self as tracks, Destination, FirstLook, Overview, TrackSink, TrackWindows, Windowed,
};

pub use cores::SharedCores;
pub use ompttrace_model::View;
pub use trace::Written;

use crate::Error;
use cores::Cores;
use trace::Trace;

/// Writes a timeline as a Perfetto trace.
#[derive(Debug)]
pub struct PerfettoSink<'w>(TrackSink<Trace<Destination<'w>>>);

impl<'w> PerfettoSink<'w> {
    /// Draws activities of threads however short they are, instead of in sums, if `exact`.
    pub fn exact(self, exact: bool) -> Self {
        PerfettoSink(self.0.exact(exact))
    }

    /// Adds the slices and tracks of a first look to the trace, if there are any.
    pub fn with_first_look(self, look: Option<Arc<FirstLook>>) -> Self {
        PerfettoSink(self.0.with_first_look(look))
    }

    /// An empty trace. Blocks of some 256 KiB go to `writer`, which needs no buffer of its own.
    pub fn new(writer: impl Write + Send + 'w, view: View) -> Self {
        PerfettoSink(TrackSink::new(Trace::new(Destination::new(writer), Cores::default()), view))
    }

    /// A part of a trace of several processes of one machine, whose cores are written after all of them.
    pub fn beside(writer: impl Write + Send + 'w, view: View, cores: &SharedCores) -> Self {
        PerfettoSink(TrackSink::new(
            Trace::new(Destination::new(writer), Cores::beside(cores)),
            view,
        ))
    }

    /// Makes the trace in windows of the run's time, of which several are encoded at a time. Nothing may have been
    /// written before.
    pub fn in_windows(self) -> Windows<'w, Written, Error> {
        Windows::new(TrackWindows::new(self.0))
    }

    /// Returns the error of the first failed write, if any, so that a long export can stop early.
    pub fn check(&self) -> Result<(), Error> {
        self.0.format().check()
    }
}

impl Sink for PerfettoSink<'_> {
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

/// Writes a timeline as the finest of several Perfetto traces that is not larger than allowed.
#[derive(Debug)]
pub struct PerfettoOverview<'w>(TrackSink<Overview<Trace<Destination<'w>>>>);

impl<'w> PerfettoOverview<'w> {
    /// Draws activities of threads however short they are, instead of in sums, if `exact`.
    pub fn exact(self, exact: bool) -> Self {
        PerfettoOverview(self.0.exact(exact))
    }

    /// Adds the slices and tracks of a first look to each of the traces, if there are any.
    pub fn with_first_look(self, look: Option<Arc<FirstLook>>) -> Self {
        PerfettoOverview(self.0.with_first_look(look))
    }

    /// Empty traces; see [`Overview::new`].
    pub fn new(
        writers: impl IntoIterator<Item = (u64, impl Write + Send + 'w)>,
        limit: u64,
        view: View,
        cores: bool,
    ) -> Self {
        let traces = writers.into_iter().map(|(resolution, writer)| {
            (resolution, Trace::new(Destination::new(writer), Cores::default()))
        });
        PerfettoOverview(TrackSink::new(Overview::new(traces, limit, cores), view))
    }

    /// Empty parts of traces of several processes of one machine, as [`PerfettoSink::beside`] makes one: each resolution
    /// has cores of its own, of which those of the trace that is kept are wanted.
    pub fn beside(
        writers: impl IntoIterator<Item = (u64, impl Write + Send + 'w, SharedCores)>,
        limit: u64,
        view: View,
        cores: bool,
    ) -> Self {
        let traces = writers.into_iter().map(|(resolution, writer, shared)| {
            (resolution, Trace::new(Destination::new(writer), Cores::beside(&shared)))
        });
        PerfettoOverview(TrackSink::new(Overview::new(traces, limit, cores), view))
    }

    /// See [`Overview::made_of`].
    pub fn made_of(mut self, resolution: Option<u64>) -> Self {
        self.0.format_mut().made_of(resolution);
        self
    }

    /// Never gives up the trace of full resolution, so that its size can be found.
    pub fn keep_whole(mut self) -> Self {
        self.0.format_mut().keep_whole();
        self
    }

    /// Makes the traces in windows of the run's time, of which several are encoded at a time. Nothing may have been
    /// written before.
    pub fn in_windows(self) -> Windows<'w, Option<tracks::Written<Written>>, Error> {
        Windows::new(TrackWindows::new(self.0))
    }
}

impl Sink for PerfettoOverview<'_> {
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
