//! The sink in the thread that interprets: it keeps events for the thread that makes the report.

use super::batch::Batch;
use crate::sink::ReportSink;
use ompttrace_model::{Definitions, Event, Pool, RunInfo, Sink, Summary, Takes};
use std::error::Error;

/// An error of any sink: the interpretation is compiled once for all of them.
pub type Failure = Box<dyn Error + Send + Sync>;

/// Events of a batch.
const BATCH: usize = 1 << 12;

/// Sink that keeps events for a sink of reports in another thread.
#[derive(Debug)]
pub struct BatchSink {
    pool: Pool<Batch>,
    full: Vec<Batch>,
    batch: Batch,
    /// Number of definitions up to the batch's last event: of all kinds, and of each.
    count: usize,
    lengths: [usize; 7],
}

/// Events in their order.
#[derive(Debug)]
pub struct Batches(pub(super) Vec<Batch>);

impl BatchSink {
    pub(super) fn new(pool: &Pool<Batch>) -> BatchSink {
        let (pool, full, batch) = (pool.clone(), Vec::new(), pool.take());
        BatchSink { pool, full, batch, count: 0, lengths: [0; 7] }
    }

    #[cold]
    #[inline(never)]
    fn define(&mut self, definitions: &Definitions) {
        self.batch.define(definitions.since(self.lengths));
        (self.count, self.lengths) = (definitions.count(), definitions.lengths());
    }

    #[cold]
    #[inline(never)]
    fn next_batch(&mut self) {
        self.full.push(std::mem::replace(&mut self.batch, self.pool.take()));
    }

    fn take(&mut self) -> Batches {
        self.next_batch();
        Batches(std::mem::take(&mut self.full))
    }
}

impl Sink for BatchSink {
    type Output = Batches;
    type Error = Failure;

    const MIN_RESUME_NS: u64 = ReportSink::MIN_RESUME_NS;
    const TAKES: Takes = ReportSink::TAKES;

    fn start(&mut self, _: &RunInfo<'_>) {}

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.count != definitions.count() {
            self.define(definitions);
        }
        self.batch.push(at, event);
        if self.batch.len() >= BATCH {
            self.next_batch();
        }
    }

    fn part(&mut self) -> Option<Batches> {
        Some(self.take())
    }

    fn finish(mut self, definitions: &Definitions, _: &Summary) -> Result<Batches, Failure> {
        self.define(definitions);
        Ok(self.take())
    }
}
