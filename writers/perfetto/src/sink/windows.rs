//! A trace that is made of windows of a run: each is encoded by itself, and all are put together in order.

use std::io::Write;

use ompttrace_model::{Border, Definitions, Event, Join, RunInfo, Sink, Summary};
use ompttrace_tracks::{Part, TrackSink};

use super::trace::{CoreChange, Trace, Written};
use crate::Error;

/// Puts windows together: see [`super::PerfettoSink::in_windows`].
#[derive(Debug)]
pub struct PerfettoWindows<W: Write>(pub(super) TrackSink<Trace<W>>);

impl<W: Write> Join for PerfettoWindows<W> {
    type Sink = PerfettoWindow;
    type Output = Written;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    fn sinks(&self) -> impl Fn(bool) -> PerfettoWindow + Sync + use<W> {
        let (view, exact) = self.0.view();
        move |first| {
            let trace = TrackSink::new(Trace::of_window(Vec::new()), view);
            PerfettoWindow(trace.exact(exact).of_window(first))
        }
    }

    fn take(&mut self, part: PerfettoPart) -> Result<(), Error> {
        let PerfettoPart { bytes, packets, changes, part } = part;
        self.0.join(part);
        let format = self.0.format_mut();
        format.append(packets, &bytes, changes);
        format.check()
    }

    fn finish(self, summary: &Summary) -> Result<Written, Error> {
        self.0.finish(&Definitions::default(), summary)
    }
}

/// Encodes one window.
#[derive(Debug)]
pub struct PerfettoWindow(TrackSink<Trace<Vec<u8>>>);

/// What was made of a window.
#[derive(Debug)]
pub struct PerfettoPart {
    bytes: Vec<u8>,
    packets: u64,
    changes: Vec<CoreChange>,
    part: Part,
}

impl Sink for PerfettoWindow {
    type Output = PerfettoPart;
    type Error = Error;

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

    fn finish(self, definitions: &Definitions, _: &Summary) -> Result<PerfettoPart, Error> {
        let (trace, part) = self.0.into_part(definitions);
        let (bytes, packets, changes) = trace.into_window()?;
        Ok(PerfettoPart { bytes, packets, changes, part })
    }
}
