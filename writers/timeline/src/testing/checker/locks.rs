//! Mutexes in front of the checker: asked for in the order of time, reported before they are had.

use super::Checker;
use crate::testing::seen::SeenHold;
use ompttrace_model::{Executor, LockEvent, LockRef, Mark, Slice};

impl Checker {
    /// Asking is reported at once, whichever thread asks.
    pub(super) fn asked(&mut self, at: u64, executor: Executor, wait_id: u64) {
        let before = std::mem::replace(&mut self.asked_at, at);
        self.check(before <= at, || format!("a mutex is asked for at {at}, after {before}"));
        self.say(at, executor, || format!("asks for {wait_id:#x}"));
    }

    pub(super) fn lock_event(&mut self, at: u64, executor: Executor, event: LockEvent, what: &str) {
        self.at(at, executor);
        self.source(event.source);
        self.known_lock(event.lock);
        self.say(at, executor, || format!("lock {} {what}", event.lock));
    }

    pub(super) fn known_lock(&mut self, lock: LockRef) {
        let known = (lock as usize) < self.timeline.locks.len();
        self.check(known, || format!("lock {lock} was never reported"));
    }

    /// A hold that begins.
    pub(super) fn hold(
        &mut self,
        begin: u64,
        lock: LockRef,
        executor: Executor,
        slice: &Slice<'_>,
    ) -> SeenHold {
        SeenHold {
            lock,
            thread: executor.thread,
            name: self.name_of(slice.name),
            begin,
            end: 0,
            flows: slice.flows.to_vec(),
            flow_ends: slice.flow_ends.to_vec(),
            args: slice.args.to_vec(),
            end_mark: Mark::Observed,
        }
    }
}
