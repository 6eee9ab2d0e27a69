//! In which order threads acquire each lock: a release repeats the number of its acquire.

use ompttrace_timeline::{LockRef, ThreadRef};

/// One lock.
#[derive(Debug, Default)]
struct Lock {
    acquired: u32,
    /// Who has it, and with which number: one, but for stamps of releases that come late.
    holders: Vec<(ThreadRef, u32)>,
}

/// Holders that are kept; a release that never comes must not cost memory for ever.
const MOST_HOLDERS: usize = 64;

/// All locks.
#[derive(Debug, Default)]
pub(crate) struct Locks(Vec<Lock>);

impl Locks {
    /// A thread has the lock; returns the number of this acquisition, from 1.
    pub(crate) fn acquire(&mut self, lock: LockRef, thread: ThreadRef) -> u32 {
        let place = lock as usize;
        if self.0.len() <= place {
            self.0.resize_with(place + 1, Lock::default);
        }
        let Some(lock) = self.0.get_mut(place) else { return 0 };
        lock.acquired = lock.acquired.wrapping_add(1);
        if lock.holders.len() >= MOST_HOLDERS {
            lock.holders.remove(0);
        }
        lock.holders.push((thread, lock.acquired));
        lock.acquired
    }

    /// A thread gives the lock back; the number of its acquisition, if it has one. A task may give
    /// back on another thread what it acquired.
    pub(crate) fn release(&mut self, lock: LockRef, thread: ThreadRef) -> Option<u32> {
        let holders = &mut self.0.get_mut(lock as usize)?.holders;
        let own = holders.iter().position(|(holder, _)| *holder == thread);
        let found = own.or(if holders.len() == 1 { Some(0) } else { None })?;
        Some(holders.remove(found).1)
    }

    /// The acquisition with this number is over; whether it was not before.
    pub(crate) fn end(&mut self, lock: LockRef, order: u32) -> bool {
        let Some(lock) = self.0.get_mut(lock as usize) else { return false };
        let found = lock.holders.iter().position(|(_, number)| *number == order);
        found.map(|found| lock.holders.remove(found)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_that_is_stamped_late_repeats_its_own_number() {
        let mut locks = Locks::default();
        assert_eq!((locks.acquire(3, 0), locks.acquire(3, 1)), (1, 2));
        assert_eq!((locks.release(3, 0), locks.release(3, 1)), (Some(1), Some(2)));
        assert_eq!(locks.release(3, 1), None);
        assert_eq!(locks.acquire(3, 1), 3);
        assert!(locks.end(3, 3) && !locks.end(3, 3));
    }
}
