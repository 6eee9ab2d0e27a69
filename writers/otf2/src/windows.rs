//! Archives of a timeline that is made in windows, several at a time.

use ompttrace_model::{Border, Definitions, Event, Join, RunInfo, Sink, Summary};

use crate::Error;
use crate::archive_state::MANY;
use crate::join::Assembly;
use crate::segment::Segment;
use crate::session::Session;
use crate::written::Written;

/// Puts windows together.
#[derive(Debug)]
pub struct Otf2Windows(Assembly);

/// Receives one window.
#[derive(Debug)]
pub struct Otf2Window(Session);

/// What was made of a window, or of a part of it.
#[derive(Debug)]
pub struct Otf2Part(Segment);

impl Otf2Windows {
    pub(crate) fn new(assembly: Assembly) -> Otf2Windows {
        Otf2Windows(assembly)
    }
}

impl Join for Otf2Windows {
    type Sink = Otf2Window;
    type Output = Written;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    fn allows_windows(&self, run: &RunInfo<'_>) -> bool {
        // Which threads share a location depends on which were over before.
        run.threads.len() <= MANY
    }

    fn sinks(&self) -> impl Fn(bool) -> Otf2Window + Sync + use<> {
        let views = self.0.wanted();
        move |first| Otf2Window(Session::new(&views, first))
    }

    fn take(&mut self, part: Otf2Part) -> Result<(), Error> {
        self.0.take(part.0);
        self.0.error.take().map_or(Ok(()), Err)
    }

    fn finish(self, summary: &Summary) -> Result<Written, Error> {
        self.0.end(summary)
    }
}

impl Sink for Otf2Window {
    type Output = Otf2Part;
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

    fn part(&mut self) -> Option<Otf2Part> {
        Some(Otf2Part(self.0.segment(false)))
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Otf2Part, Error> {
        self.0.finish(definitions, summary).map(Otf2Part)
    }
}
