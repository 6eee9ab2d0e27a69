//! The sink in the thread that interprets: keeps events for the one that makes the accounts.

use super::batch::Batch;
use ompttrace_model::{Definitions, Event, Pool, RunInfo, Sink, Summary};
use std::marker::PhantomData;

/// Events of a batch.
const BATCH: usize = 1 << 12;

/// Keeps events for a sink of type `S`.
#[derive(Debug)]
pub struct BatchSink<S> {
    pool: Pool<Batch>,
    full: Vec<Batch>,
    batch: Batch,
    /// How many definitions there are with the batch: in all, and of each kind.
    count: usize,
    lengths: [usize; 5],
    /// The sink itself is with the thread that makes the accounts.
    of: PhantomData<fn() -> S>,
}

/// Events in their order.
#[derive(Debug)]
pub struct Batches(pub(super) Vec<Batch>);

impl<S> BatchSink<S> {
    pub(super) fn new(pool: &Pool<Batch>) -> BatchSink<S> {
        let (pool, full, batch) = (pool.clone(), Vec::new(), pool.take());
        BatchSink { pool, full, batch, count: 0, lengths: [0; 5], of: PhantomData }
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

impl<S: Sink> Sink for BatchSink<S> {
    type Output = Batches;
    type Error = S::Error;

    const MIN_RESUME_NS: u64 = S::MIN_RESUME_NS;
    const COUNTS_ACTIVITY: bool = S::COUNTS_ACTIVITY;

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

    fn finish(mut self, definitions: &Definitions, _: &Summary) -> Result<Batches, S::Error> {
        self.define(definitions);
        Ok(self.take())
    }
}
