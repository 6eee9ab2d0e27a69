//! The sink of reports: it takes a timeline, and makes the report when that is over.

use crate::finish;
use crate::model::Report;
use crate::sink::ReportSink;
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, Takes};
use std::convert::Infallible;

impl Sink for ReportSink {
    type Output = Report;
    type Error = Infallible;

    /// Everything counts.
    const MIN_RESUME_NS: u64 = 0;

    const TAKES: Takes = Takes { activity: false, ..Takes::ALL };

    fn start(&mut self, run: &RunInfo<'_>) {
        self.take_run(run);
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.take(definitions, at, event);
    }

    fn finish(
        mut self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<Report, Infallible> {
        self.take_end(definitions);
        Ok(finish::report(self, summary))
    }
}
