//! The threads that others' idleness and waiting is charged to: blame shifting as in Rice's tools API, but by the events of all threads
//! instead of counters that the threads share.

use super::Interpreter;
use crate::state::thread::Thread;
use ompttrace_model::ompt::Thread as Kind;
use ompttrace_model::{SampleBlame, State, ThreadRef};

/// The longest chain of mutexes whose owners wait for another one: a longer one is a cycle, and nothing is charged.
const LONGEST_CHAIN: usize = 64;

/// Numbers of threads by their activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    working: u64,
    idle: u64,
    waiting: u64,
    /// Threads that wait for a mutex that the thread in question holds.
    kept_out: u64,
}

impl Interpreter<'_> {
    /// Time, in nanoseconds, that other threads lose in `time` while a thread is in this state. The thread is charged for the threads
    /// that it keeps out of a mutex, and if it works, for its part of those that idle or wait for work.
    pub(super) fn blame(
        &mut self,
        t: ThreadRef,
        at: u64,
        (state, time): (State, u64),
    ) -> SampleBlame {
        let counts = self.counts(t, at);
        let part = |others: u64| match state.is_work() {
            true => time.saturating_mul(others) / counts.working.max(1),
            false => 0,
        };
        SampleBlame {
            idle_ns: part(counts.idle),
            wait_ns: part(counts.waiting),
            mutex_ns: time.saturating_mul(counts.kept_out),
        }
    }

    fn counts(&mut self, t: ThreadRef, at: u64) -> Counts {
        let mut counts = Counts::default();
        for other in 0..self.threads.len() as ThreadRef {
            let thread = &self.threads[other as usize];
            match thread.state(at, self.chunks) {
                Some(state) if state.is_work() => counts.working += 1,
                Some(state) if state.is_starved() => counts.waiting += 1,
                Some(State::Idle) => counts.idle += u64::from(thread.kind == Kind::Worker),
                Some(state) if state.is_mutex() => {
                    counts.kept_out += u64::from(self.blocking_owner(other) == Some(t));
                }
                _ => {}
            }
        }
        counts
    }

    /// The owner of the mutex that a thread waits for; if that one waits for another mutex, the owner of that.
    fn blocking_owner(&mut self, waiter: ThreadRef) -> Option<ThreadRef> {
        let mut last = None;
        for _ in 0..LONGEST_CHAIN {
            let thread = last.unwrap_or(waiter);
            let Some(asked) = self.threads.get(thread as usize).and_then(Thread::awaited_mutex)
            else {
                return last;
            };
            let position = self.locks.find(asked.wait_id, asked.kind);
            let holder = position.and_then(|at| self.locks.at(at)?.holder);
            match holder {
                Some((holder, _)) => last = Some(holder),
                None => return last,
            }
        }
        None
    }
}
