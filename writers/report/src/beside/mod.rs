//! Reports in parallel with the interpretation: one thread interprets a recording, and the calling thread makes the
//! report.

mod batch;
mod compact;
mod sink;
#[cfg(test)]
mod tests;
mod unpack;

pub use sink::{BatchSink, Batches, Failure};

use batch::Batch;
use ompttrace_model::{Definitions, Join, Pool, RunInfo, Sink, Summary, Windows};

/// Calls a sink with the events of a timeline that another thread makes, in their order, so that its output is the same.
/// Only the fields that reports read of an event are passed on: the sink has to be one of reports.
#[derive(Debug)]
pub struct Beside<S> {
    sink: S,
    definitions: Definitions,
    pool: Pool<Batch>,
}

impl<S: Sink<Error: Into<Failure>>> Beside<S> {
    /// An output for an interpretation in another thread, which calls this sink in the calling thread.
    pub fn windows<'s>(sink: S) -> Windows<'s, S::Output, Failure>
    where
        S: 's,
    {
        let (definitions, pool) = (Definitions::default(), Pool::default());
        Windows::new(Beside { sink, definitions, pool })
    }
}

impl<S: Sink<Error: Into<Failure>>> Join for Beside<S> {
    type Sink = BatchSink;
    type Output = S::Output;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.sink.start(run);
    }

    /// Windows would number definitions anew, and a scan keeps neither what the kernel's sums of cores are compared with nor
    /// failed tests of locks.
    fn allows_windows(&self, _: &RunInfo<'_>) -> bool {
        false
    }

    fn sinks(&self) -> impl Fn(bool) -> BatchSink + Sync + use<S> {
        let pool = self.pool.clone();
        move |_| BatchSink::new(&pool)
    }

    fn take(&mut self, Batches(batches): Batches) -> Result<(), Failure> {
        for mut batch in batches {
            batch.hand_over(&mut self.definitions, &mut self.sink);
            self.pool.give_back([batch]);
        }
        Ok(())
    }

    fn finish(self, summary: &Summary) -> Result<S::Output, Failure> {
        self.sink.finish(&self.definitions, summary).map_err(Into::into)
    }
}
