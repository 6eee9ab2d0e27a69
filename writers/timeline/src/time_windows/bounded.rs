//! A sink of a part of a window of time, of which several threads make one each: at the begin of the first part what is open there is
//! begun, and at the end of the last part it is ended.

use super::{Once, TimeWindows, Window};
use ompttrace_model::{
    AnyOutput, AnySink, Border, Definitions, Event, RunInfo, Sink, Summary, Takes,
};
use std::convert::Infallible;

/// A sink which gets only what lies in a window of time.
pub(crate) struct Bounded<'s> {
    /// `None` once it is finished.
    windows: Option<TimeWindows<Once<Inner<'s>>>>,
    /// The counts of what the sink got.
    summary: Summary,
}

/// The sink itself, behind a pointer.
struct Inner<'s>(&'s mut dyn AnySink);

impl<'s> Bounded<'s> {
    /// A sink that gets what lies in `window`, counted from the begin of the run that is given to [`AnySink::start`].
    pub(crate) fn new(sink: &'s mut dyn AnySink, window: Window) -> Bounded<'s> {
        let windows = Some(TimeWindows::new(window, Once::new(Inner(sink))));
        Bounded { windows, summary: Summary::default() }
    }

    /// The summary of what the sink got, once it is finished.
    pub(crate) fn into_summary(self) -> Summary {
        self.summary
    }
}

impl AnySink for Bounded<'_> {
    /// Everything, because what is open is known by the events.
    fn takes(&self) -> Takes {
        Takes::ALL
    }

    fn start(&mut self, run: &RunInfo<'_>) {
        if let Some(windows) = &mut self.windows {
            windows.start(run);
        }
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if let Some(windows) = &mut self.windows {
            windows.event(definitions, at, event);
        }
    }

    fn begin_window(&mut self, definitions: &Definitions, border: &Border) {
        if let Some(windows) = &mut self.windows {
            windows.begin_window(definitions, border);
        }
    }

    fn end_window(&mut self, definitions: &Definitions, border: &Border) {
        if let Some(windows) = &mut self.windows {
            windows.end_window(definitions, border);
        }
    }

    fn part(&mut self) -> Option<AnyOutput> {
        self.windows.as_mut()?.stage.newest()?.sink.0.part()
    }

    fn finish(&mut self, definitions: &Definitions, summary: &Summary) {
        let finished = self.windows.take().map(|windows| windows.finish(definitions, summary));
        let window = finished.and_then(|finished| finished.ok()?.pop());
        self.summary = window.map_or_else(|| summary.clone(), |window| window.summary);
    }

    /// The output stays with the sink that this one serves.
    fn finished(self: Box<Self>) -> Result<AnyOutput, AnyOutput> {
        Ok(Box::new(()))
    }
}

impl Sink for Inner<'_> {
    type Output = ();
    type Error = Infallible;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn begin_window(&mut self, definitions: &Definitions, border: &Border) {
        self.0.begin_window(definitions, border);
    }

    fn end_window(&mut self, definitions: &Definitions, border: &Border) {
        self.0.end_window(definitions, border);
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<(), Infallible> {
        self.0.finish(definitions, summary);
        Ok(())
    }
}
