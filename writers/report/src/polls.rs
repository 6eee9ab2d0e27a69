//! Locks that a thread polls with `omp_test_lock`: from its first refusal until it has the lock, it is the lock that it lacks,
//! whatever it does between two tests.
//!
//! A refusal is known to be one only when the thread goes on, so what the holders meanwhile are charged with is worked out
//! once the lock is had, from the last holds.

use crate::construct_table::ConstructRef;
use ompttrace_model::{SourceRef, ThreadRef};
use std::collections::VecDeque;

/// Number of holds that are remembered of a lock that is polled. Waiting before them is charged to nobody.
const HOLDS: usize = 16;
/// Locks that one thread polls at a time; a program that tests more takes whichever is free.
const LOCKS: usize = 16;

/// The locks that a thread was refused and has not had since.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusals(Vec<Refused>);

#[derive(Clone, Copy, Debug)]
struct Refused {
    lock: usize,
    /// Time of the first refusal, in nanoseconds.
    since: u64,
}

impl Refusals {
    /// The thread was refused the lock at a position in the list of all, first at this time.
    pub(crate) fn refused(&mut self, lock: usize, first: u64) {
        if self.0.iter().all(|refused| refused.lock != lock) {
            if self.0.len() == LOCKS {
                self.0.remove(0);
            }
            self.0.push(Refused { lock, since: first });
        }
    }

    /// The thread has the lock: returns the time of its first refusal, if it was refused.
    pub(crate) fn had(&mut self, lock: usize) -> Option<u64> {
        let at = self.0.iter().position(|refused| refused.lock == lock)?;
        Some(self.0.swap_remove(at).since)
    }
}

/// A hold, or its part so far; or several by one thread at one source location, if no other thread held the lock in
/// between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PastHold {
    pub thread: ThreadRef,
    pub construct: ConstructRef,
    pub source: SourceRef,
    pub begin: u64,
    pub end: u64,
    /// Part of the time from `begin` to `end` in which the lock was held, in nanoseconds.
    pub held: u64,
}

impl PastHold {
    fn is_continued_by(&self, next: &PastHold) -> bool {
        let by = |hold: &PastHold| (hold.thread, hold.construct, hold.source);
        by(self) == by(next)
    }
}

/// The last hold of a lock; of one that is polled the last ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastHolds {
    holds: VecDeque<PastHold>,
    keeps_several: bool,
    /// The end of the last one that is no longer remembered.
    known_from: u64,
}

impl LastHolds {
    /// The lock is polled.
    pub(crate) fn keep_several(&mut self) {
        self.keeps_several = true;
    }

    /// A hold is over.
    pub(crate) fn add(&mut self, hold: PastHold) {
        if let Some(last) = self.holds.back_mut().filter(|last| last.is_continued_by(&hold)) {
            (last.end, last.held) = (hold.end, last.held + hold.held);
            return;
        }
        if self.holds.len() == if self.keeps_several { HOLDS } else { 1 } {
            let forgotten = self.holds.pop_front();
            self.known_from = forgotten.map_or(self.known_from, |forgotten| forgotten.end);
        }
        self.holds.push_back(hold);
    }

    /// The time from which on all holds are remembered.
    pub(crate) fn known_from(&self) -> u64 {
        self.known_from
    }

    /// The holds, each with the time that it lasted since `time`; of several in one at most that.
    pub(crate) fn since(&self, time: u64) -> impl Iterator<Item = (PastHold, u64)> {
        let held =
            move |hold: &PastHold| hold.held.min(hold.end.saturating_sub(hold.begin.max(time)));
        self.holds.iter().map(move |hold| (*hold, held(hold))).filter(|(_, held)| *held > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_refused_until_it_has_the_lock() {
        let mut refusals = Refusals::default();
        refusals.refused(3, 100);
        refusals.refused(4, 150);
        refusals.refused(3, 200);
        assert_eq!(refusals.had(3), Some(100));
        assert_eq!(refusals.had(3), None);
        assert_eq!(refusals.had(4), Some(150));
    }

    #[test]
    fn holds_are_charged_for_what_lies_within_the_time_of_polling() {
        let mut holds = LastHolds::default();
        holds.keep_several();
        for begin in [100, 200, 300] {
            let (thread, construct, source) = (begin as u32, 2, 3);
            holds.add(PastHold { thread, construct, source, begin, end: begin + 50, held: 50 });
        }
        let held: Vec<_> = holds.since(220).map(|(hold, held)| (hold.begin, held)).collect();
        assert_eq!(held, [(200, 30), (300, 50)]);
        for begin in (1_000..).step_by(10).take(100) {
            let (thread, construct, source) = (begin as u32, 2, 3);
            holds.add(PastHold { thread, construct, source, begin, end: begin + 10, held: 10 });
        }
        assert_eq!((holds.since(0).count(), holds.known_from()), (HOLDS, 1_840));
        holds.add(PastHold { begin: 2_000, end: 2_010, held: 10, ..holds.holds[HOLDS - 1] });
        let last: Vec<_> = holds.since(1_990).map(|(hold, held)| (hold.begin, held)).collect();
        assert_eq!(last, [(1_990, 20)]);
    }
}
