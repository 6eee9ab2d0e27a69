//! Archives of a timeline that is made in windows, several at a time.

use ompttrace_model::{Join, RunInfo, Summary};

use crate::Error;
use crate::archive_state::MANY;
use crate::join::Assembly;
use crate::segment::Segment;
use crate::session::Session;
use crate::written::Written;

/// Assembles archives from the segments of several windows.
#[derive(Debug)]
pub struct Otf2Windows(Assembly);

impl Otf2Windows {
    pub(crate) fn new(assembly: Assembly) -> Otf2Windows {
        Otf2Windows(assembly)
    }
}

impl Join for Otf2Windows {
    type Sink = Session;
    type Output = Written;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    fn allows_windows(&self, run: &RunInfo<'_>) -> bool {
        // Which threads share a location depends on which were over before.
        run.threads.len() <= MANY
    }

    fn sinks(&self) -> impl Fn(bool) -> Session + Sync + use<> {
        let (views, pool) = (self.0.wanted(), self.0.pool.clone());
        move |first| Session::new(&views, &pool, first)
    }

    fn take(&mut self, segment: Segment) -> Result<(), Error> {
        self.0.take(segment);
        self.0.error.take().map_or(Ok(()), Err)
    }

    fn finish(self, summary: &Summary) -> Result<Written, Error> {
        self.0.end(summary)
    }
}
