//! State of a thread's samples: on the private page of its block, which is empty in a forked child.

use super::region::Region;
use super::ticks::Ticks;
use crate::host::sync::Ordering;
// Words of one thread: what little others do with them needs no model.
use std::sync::atomic::AtomicU64;

/// The state of a thread's sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum State {
    /// Sampling has not begun; also the value of an empty page.
    New = 0,
    On = 1,
    /// No samples are asked for or possible, or the thread has ended.
    Off = 2,
}

/// The state of one thread's samples.
pub(crate) struct Own {
    state: AtomicU64,
    /// Address of the memory for the thread's samples; 0: it has none.
    region: AtomicU64,
    /// The number of its last fragment.
    pub(super) chunk: AtomicU64,
    /// The source of the thread's signals.
    pub(super) ticks: Ticks,
    /// Number of samples of all the block's owners for which there was no room.
    pub(super) lost: AtomicU64,
    /// Nanoseconds from one sample to the next.
    pub(super) period: AtomicU64,
    /// Ticks of the last check that the signal is still the tool's.
    looked: AtomicU64,
}

/// Bytes of a thread's records after which the tool checks that the signal is still its own.
const LOOK_AFTER: u64 = 64 << 10;
/// Least number of ticks between two such checks: they are system calls, and a full buffer comes every few
/// microseconds. A third of a millisecond by a counter of 3 GHz, and milliseconds by slow ones.
const BETWEEN_LOOKS: u64 = 1 << 20;

impl Own {
    /// The state of an empty page.
    #[cfg(test)]
    pub(crate) const fn new() -> Own {
        Own {
            state: AtomicU64::new(0),
            region: AtomicU64::new(0),
            chunk: AtomicU64::new(0),
            ticks: Ticks::new(),
            lost: AtomicU64::new(0),
            period: AtomicU64::new(0),
            looked: AtomicU64::new(0),
        }
    }

    /// Prepares the state for a block's next owner. Returns true if the last owner vanished without an end and was
    /// still sampled.
    pub(crate) fn reset(&self, samples: bool) -> bool {
        let has_vanished = self.state() == State::On;
        self.ticks.close();
        self.set_state(if samples { State::New } else { State::Off });
        self.region.store(0, Ordering::Relaxed);
        self.chunk.store(0, Ordering::Relaxed);
        self.looked.store(0, Ordering::Relaxed);
        has_vanished
    }

    /// Returns true if sampling may have work to do after events.
    #[inline(always)]
    pub(crate) fn may_look(&self) -> bool {
        self.state() != State::Off
    }

    /// Bytes of the owner's records to the next event that looks; `u64::MAX`: none does. Before sampling has begun
    /// the very next event may be the first after which it can begin.
    pub(crate) fn reach(&self) -> u64 {
        match self.state() {
            State::New => 0,
            State::On => LOOK_AFTER,
            State::Off => u64::MAX,
        }
    }

    /// Returns true if it is time to check that the signal is still the tool's, at an event of the owner at `now`.
    pub(super) fn is_due(&self, now: u64) -> bool {
        let is_due = now.saturating_sub(self.looked.load(Ordering::Relaxed)) >= BETWEEN_LOOKS;
        if is_due {
            self.looked.store(now, Ordering::Relaxed);
        }
        is_due
    }

    pub(super) fn state(&self) -> State {
        match self.state.load(Ordering::Relaxed) {
            0 => State::New,
            1 => State::On,
            _ => State::Off,
        }
    }

    pub(super) fn set_state(&self, state: State) {
        self.state.store(state as u64, Ordering::Relaxed);
    }

    pub(super) fn set_region(&self, region: Option<&'static Region>) {
        let address = region.map_or(0, |region| (&raw const *region).expose_provenance());
        self.region.store(address as u64, Ordering::Release);
    }

    pub(super) fn region(&self) -> Option<&'static Region> {
        let address = self.region.load(Ordering::Acquire) as usize;
        // SAFETY: 0, or the address of a region that `set_region` got: it is unmapped only when this was set to none
        // and no handler of its thread runs any more.
        unsafe { std::ptr::with_exposed_provenance::<Region>(address).as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_event_is_looked_at_until_the_thread_has_begun() {
        let own = Own::new();
        assert_eq!(own.reach(), 0);
        own.set_state(State::On);
        assert_eq!(own.reach(), LOOK_AFTER);
        own.set_state(State::Off);
        assert_eq!(own.reach(), u64::MAX);
    }

    #[test]
    fn looks_are_some_time_apart_and_the_first_is_at_once() {
        let own = Own::new();
        let first = 5 * BETWEEN_LOOKS;
        assert!(own.is_due(first) && !own.is_due(first) && !own.is_due(first + BETWEEN_LOOKS - 1));
        assert!(own.is_due(first + BETWEEN_LOOKS) && !own.is_due(first + BETWEEN_LOOKS));
        assert!(!own.reset(true));
        assert!(own.is_due(first), "the next owner");
    }
}
