//! The order in which threads acquire each lock: a release repeats the number of its acquisition.

use ompttrace_model::{LockRef, ThreadRef};

use crate::ids::TrackRef;
use crate::segment::LockState;

/// Acquisitions of one lock.
#[derive(Debug, Default)]
struct LockHolders {
    acquired: u32,
    /// Threads that hold the lock: one, except when the time stamp of a release comes late.
    holders: Vec<Holder>,
}

#[derive(Debug)]
struct Holder {
    thread: ThreadRef,
    order: u32,
    /// Track of the acquisition, if no region was entered that releases the lock when it is left.
    alone_on: Option<TrackRef>,
}

/// Holders that are kept; a release that never comes must not cost memory for ever.
const MOST_HOLDERS: usize = 64;

/// All locks.
#[derive(Debug, Default)]
pub(crate) struct Locks(Vec<LockHolders>);

impl Locks {
    /// A thread has the lock; returns the number of this acquisition, from 1. `alone_on` is its track, unless a
    /// frame gives the lock back when it is left.
    #[inline]
    pub(crate) fn acquire(
        &mut self,
        lock: LockRef,
        thread: ThreadRef,
        alone_on: Option<TrackRef>,
    ) -> u32 {
        let index = lock as usize;
        if self.0.len() <= index {
            self.0.resize_with(index + 1, LockHolders::default);
        }
        let Some(lock) = self.0.get_mut(index) else { return 0 };
        lock.acquired = lock.acquired.wrapping_add(1);
        if lock.holders.len() >= MOST_HOLDERS {
            lock.holders.remove(0);
        }
        let order = lock.acquired;
        lock.holders.push(Holder { thread, order, alone_on });
        order
    }

    /// Releases the lock; returns the number of the thread's acquisition, if there is one. A task may release on
    /// another thread what it acquired.
    pub(crate) fn release(&mut self, lock: LockRef, thread: ThreadRef) -> Option<u32> {
        let holders = &mut self.0.get_mut(lock as usize)?.holders;
        if holders.len() == 1 {
            return holders.pop().map(|one| one.order);
        }
        let own = holders.iter().position(|holder| holder.thread == thread);
        Some(holders.remove(own?).order)
    }

    /// Ends the acquisition with this number; returns true unless it had ended before.
    pub(crate) fn end(&mut self, lock: LockRef, order: u32) -> bool {
        let Some(lock) = self.0.get_mut(lock as usize) else { return false };
        let found = lock.holders.iter().position(|holder| holder.order == order);
        found.map(|found| lock.holders.remove(found)).is_some()
    }

    /// States of all locks that were acquired, with the threads that hold them.
    pub(crate) fn states(&self) -> Vec<LockState> {
        let state =
            |(lock, LockHolders { acquired, holders }): (LockRef, &LockHolders)| LockState {
                lock,
                acquired: *acquired,
                holders: holders.iter().map(|holder| (holder.thread, holder.order)).collect(),
            };
        (0..).zip(&self.0).filter(|(_, lock)| lock.acquired > 0).map(state).collect()
    }

    /// Ends the acquisitions that nothing else will end; returns their tracks, locks and numbers.
    pub(crate) fn end_alone(&mut self) -> Vec<(TrackRef, LockRef, u32)> {
        let mut ended = Vec::new();
        for (number, lock) in (0..).zip(&mut self.0) {
            lock.holders.retain(|holder| match holder.alone_on {
                Some(track) => {
                    ended.push((track, number, holder.order));
                    false
                }
                None => true,
            });
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_that_is_stamped_late_repeats_its_own_number() {
        let mut locks = Locks::default();
        let mut acquire = |thread| locks.acquire(3, thread, None);
        assert_eq!((acquire(0), acquire(1)), (1, 2));
        assert_eq!((locks.release(3, 0), locks.release(3, 1)), (Some(1), Some(2)));
        assert_eq!(locks.release(3, 1), None);
        assert_eq!(locks.acquire(3, 1, None), 3);
        assert!(locks.end(3, 3) && !locks.end(3, 3));
    }
}
