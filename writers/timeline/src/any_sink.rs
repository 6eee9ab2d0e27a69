//! A sink behind a pointer: the interpretation is compiled once, in this crate, for all passes that call it so, instead of
//! once for each type of sink.

use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary};
use std::convert::Infallible;

/// A sink as a pass in one window calls it.
pub(crate) trait AnySink {
    fn start(&mut self, run: &RunInfo<'_>);
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>);
    fn finish(&mut self, definitions: &Definitions, summary: &Summary);
}

/// A sink, until it is finished, and then its result.
pub(crate) enum Kept<S: Sink> {
    /// It takes events.
    Open(S),
    /// While it finishes.
    Finishing,
    /// It has finished, with this result.
    Finished(Result<S::Output, S::Error>),
}

impl<S: Sink> AnySink for Kept<S> {
    fn start(&mut self, run: &RunInfo<'_>) {
        if let Kept::Open(sink) = self {
            sink.start(run);
        }
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if let Kept::Open(sink) = self {
            sink.event(definitions, at, event);
        }
    }

    fn finish(&mut self, definitions: &Definitions, summary: &Summary) {
        if let Kept::Open(sink) = std::mem::replace(self, Kept::Finishing) {
            *self = Kept::Finished(sink.finish(definitions, summary));
        }
    }
}

/// Passes everything on to a sink of any type that has this [`Sink::COUNTS_ACTIVITY`].
pub(crate) struct Erased<'s, const COUNTS_ACTIVITY: bool>(pub &'s mut dyn AnySink);

impl<const COUNTS: bool> Sink for Erased<'_, COUNTS> {
    type Output = ();
    type Error = Infallible;

    const COUNTS_ACTIVITY: bool = COUNTS;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    #[inline]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<(), Infallible> {
        self.0.finish(definitions, summary);
        Ok(())
    }
}
