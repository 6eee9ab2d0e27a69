//! State of a thread's counters: on the private page of its block, which is empty in a forked child.

use crate::host::sync::Ordering;
use ompttrace_recording::settings::MOST_COUNTERS;
// The owner's alone: never what threads meet by.
use std::sync::atomic::AtomicU64;

/// The state of a thread's counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum State {
    /// The thread has read nothing yet; also the value of an empty page.
    New = 0,
    On = 1,
    /// No counters are asked for, or the thread has ended.
    Off = 2,
}

/// The state of one thread's counters.
pub(crate) struct Own {
    state: AtomicU64,
    /// The descriptors of its group of perf events plus one, the first of which is read; 0: none.
    pub(super) descriptors: [AtomicU64; MOST_COUNTERS],
    /// The kernel's number of the first event.
    pub(super) id: AtomicU64,
    /// The values that were recorded last.
    last: [AtomicU64; MOST_COUNTERS],
}

impl Own {
    /// Prepares the state for a block's next owner.
    pub(crate) fn reset(&self, counts: bool) {
        self.set_state(if counts { State::New } else { State::Off });
        self.forget_group();
        self.last.iter().for_each(|last| last.store(0, Ordering::Relaxed));
    }

    /// Returns true if there are counters to read.
    pub(crate) fn are_on(&self) -> bool {
        self.state() != State::Off
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

    pub(super) fn has_group(&self) -> bool {
        let [first, ..] = &self.descriptors;
        first.load(Ordering::Relaxed) != 0
    }

    pub(super) fn forget_group(&self) {
        self.descriptors.iter().for_each(|descriptor| descriptor.store(0, Ordering::Relaxed));
    }

    /// Notes a counter's value; returns true if it changed, and so is a record.
    pub(super) fn becomes(&self, number: usize, value: u64) -> bool {
        self.last.get(number).is_some_and(|last| last.swap(value, Ordering::Relaxed) != value)
    }
}
