//! A check that each thread is in one state after the other, and in none at the end.

use super::Checker;
use ompttrace_model::{State, ThreadRef};

impl Checker {
    pub(super) fn state(&mut self, at: u64, thread: ThreadRef, state: Option<State>) {
        let (last, before) = self.states.insert(thread, (at, state)).unwrap_or_default();
        self.check((thread as usize) < self.threads, || format!("thread {thread} is not known"));
        self.check(last <= at, || format!("thread {thread} is {state:?} at {at}, after {last}"));
        self.check(state != before, || format!("thread {thread} is {state:?} twice, at {at}"));
        if !self.forget {
            self.timeline.states.push((at, thread, state));
        }
    }

    /// Checks, after everything was reported, that no thread is in a state any more.
    pub(super) fn check_states(&mut self) {
        let left = self.states.iter().find(|(_, (_, state))| state.is_some());
        let left = left.map(|(thread, left)| format!("thread {thread} is still in {left:?}"));
        self.check(left.is_none(), || left.unwrap_or_default());
    }
}
