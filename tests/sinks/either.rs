//! A sink of either format, so that one closure can play a run into both.

use std::io::Write;

use anyhow::Result;
use ompttrace_chrome::ChromeSink;
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, View};
use ompttrace_perfetto::{Counts, PerfettoSink};

use crate::format::Format;

/// The sink of a format.
pub enum Either<'w> {
    Perfetto(Box<PerfettoSink<'w>>),
    Chrome(Box<ChromeSink<'w>>),
}

/// Totals of a trace of either format.
pub struct Written {
    pub bytes: u64,
    pub drawn: Counts,
    /// Counts that only Chrome's sink has.
    pub chrome: Option<ompttrace_chrome::Written>,
}

impl<'w> Either<'w> {
    pub fn new(format: Format, writer: impl Write + Send + 'w, view: View) -> Self {
        match format {
            Format::Perfetto => Either::Perfetto(Box::new(PerfettoSink::new(writer, view))),
            Format::Chrome => Either::Chrome(Box::new(ChromeSink::new(writer, view))),
        }
    }

    /// The first error so far.
    pub fn check(&self) -> Result<()> {
        match self {
            Either::Perfetto(sink) => Ok(sink.check()?),
            Either::Chrome(sink) => Ok(sink.check()?),
        }
    }
}

impl Sink for Either<'_> {
    type Output = Written;
    type Error = anyhow::Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        match self {
            Either::Perfetto(sink) => sink.start(run),
            Either::Chrome(sink) => sink.start(run),
        }
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        match self {
            Either::Perfetto(sink) => sink.event(definitions, at, event),
            Either::Chrome(sink) => sink.event(definitions, at, event),
        }
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Written> {
        Ok(match self {
            Either::Perfetto(sink) => {
                let written = sink.finish(definitions, summary)?;
                Written { bytes: written.bytes, drawn: written.drawn, chrome: None }
            }
            Either::Chrome(sink) => {
                let written = sink.finish(definitions, summary)?;
                Written { bytes: written.bytes, drawn: written.drawn, chrome: Some(written) }
            }
        })
    }
}
