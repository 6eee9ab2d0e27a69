//! Facts about the recording as a whole, known before its first record.

use super::Interpreter;
use crate::matching::OfJob;
use crate::source_ids::SourceIds;
use ompttrace_model::Chunks;

impl<'a> Interpreter<'a> {
    /// Says what is recorded of the chunks of loops.
    pub(crate) fn expect_chunks(&mut self, chunks: Chunks) {
        self.chunks = chunks;
    }

    /// The process is a rank of a job.
    pub(crate) fn expect_job(&mut self, job: Option<OfJob<'a>>) {
        self.job = job;
    }

    /// The recording leaves out which task runs.
    pub(crate) fn expect_no_switches(&mut self) {
        self.has_switches = false;
    }

    /// Some source has numbers of its own; `alone`: all sources of this recording have.
    pub(crate) fn expect_source_ids(&mut self, alone: bool) {
        self.source_ids = Some(Box::new(SourceIds::new(alone)));
        self.translates = true;
    }
}
