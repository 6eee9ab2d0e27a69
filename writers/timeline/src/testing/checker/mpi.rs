//! Messages of MPI are within calls of MPI.

use super::Checker;
use ompttrace_model::{Executor, MpiEvent, SliceKind};

impl Checker {
    pub(super) fn mpi(&mut self, at: u64, executor: Executor, event: MpiEvent) {
        self.at(at, executor);
        let open = self.tracks.get(&executor.thread).and_then(|track| track.open.last());
        let is_in_call = matches!(open, Some(SliceKind::Mpi(_)));
        self.check(is_in_call, || format!("{event:?} at {at} is outside of a call of MPI"));
        if !self.forget {
            self.timeline.messages.push((at, executor.thread, event));
        }
    }
}
