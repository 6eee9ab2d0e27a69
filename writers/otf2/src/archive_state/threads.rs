//! Locations of OS threads. Each thread has its own while threads are few. In a run with very many, threads that begin
//! when others are over continue on the locations of these, since an archive has two files for each location and
//! readers open all of them.

use crate::ids::TrackRef;

/// Number of threads that get a location at the begin of the run; further locations are for threads that run at the
/// same time.
pub(crate) const MANY: usize = 512;
const NONE: TrackRef = TrackRef::MAX;

/// The threads of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tenants {
    /// The position of the first one among all threads.
    pub first: u32,
    /// Number of threads that used the location after the first one.
    pub others: u32,
}

#[derive(Debug, Default)]
pub(super) struct Threads {
    /// The location of each thread, [`NONE`] before its first event and after its last.
    of_thread: Vec<TrackRef>,
    /// Locations whose threads are over.
    free: Vec<TrackRef>,
    tenants: Vec<Tenants>,
}

impl Threads {
    /// The table for a run of `count` threads.
    pub(super) fn new(count: usize) -> Threads {
        Threads { of_thread: vec![NONE; count], ..Threads::default() }
    }

    /// Number of threads that have a location from the begin of the run.
    pub(super) fn settled(&self) -> u32 {
        self.of_thread.len().min(MANY) as u32
    }

    #[inline]
    pub(super) fn get(&self, thread: u32) -> Option<TrackRef> {
        self.of_thread.get(thread as usize).copied().filter(|track| *track != NONE)
    }

    /// A location for a thread that has none: `new` is the next one that there is not yet. `None`: there is no such
    /// thread.
    pub(super) fn give(&mut self, thread: u32, new: TrackRef) -> Option<TrackRef> {
        let slot = self.of_thread.get_mut(thread as usize)?;
        let track = self.free.pop().unwrap_or(new);
        *slot = track;
        match self.tenants.get_mut(track as usize) {
            Some(tenants) => tenants.others += 1,
            None => self.tenants.push(Tenants { first: thread, others: 0 }),
        }
        Some(track)
    }

    /// A thread is over, and nothing is open at its location.
    pub(super) fn over(&mut self, thread: u32) {
        let Some(slot) = self.of_thread.get_mut(thread as usize) else { return };
        let track = std::mem::replace(slot, NONE);
        if track != NONE {
            self.free.push(track);
        }
    }

    /// The threads of each location.
    pub(super) fn tenants(&self) -> &[Tenants] {
        &self.tenants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_has_the_next_thread_when_one_is_over() {
        let mut threads = Threads::new(4);
        assert_eq!([threads.give(0, 0), threads.give(2, 1)], [Some(0), Some(1)]);
        assert_eq!((threads.get(1), threads.get(2), threads.give(4, 2)), (None, Some(1), None));
        threads.over(2);
        threads.over(1);
        assert_eq!(
            (threads.get(2), threads.give(3, 2), threads.give(1, 2)),
            (None, Some(1), Some(2))
        );
        let tenants = [(0, 0), (2, 1), (1, 0)].map(|(first, others)| Tenants { first, others });
        assert_eq!(threads.tenants(), tenants);
    }
}
