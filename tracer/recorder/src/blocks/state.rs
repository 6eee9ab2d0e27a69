//! The state of the recorder, for the whole process.

use crate::host::sync::{AtomicU32, Ordering};

/// The states of ARCHITECTURE.md, "End of life".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum State {
    /// Not armed: before the start, after a failed start.
    Off = 0,
    /// Events are recorded.
    Recording = 1,
    /// Events are ignored, ids are still made.
    Paused = 2,
    /// The program ended the recording; nothing more comes.
    Ended = 3,
    /// A forked child that has nothing to record yet.
    Child = 4,
    /// A forked child is making its own recording; its other threads wait.
    Arming = 5,
}

static STATE: AtomicU32 = AtomicU32::new(State::Off as u32);

/// The current state of the recorder.
#[inline]
pub fn state() -> State {
    match STATE.load(Ordering::SeqCst) {
        1 => State::Recording,
        2 => State::Paused,
        3 => State::Ended,
        4 => State::Child,
        5 => State::Arming,
        _ => State::Off,
    }
}

pub(crate) fn set_state(state: State) {
    STATE.store(state as u32, Ordering::SeqCst);
}

/// Changes from one state to another, unless another thread changed it first.
pub(crate) fn change(from: State, to: State) -> bool {
    STATE.compare_exchange(from as u32, to as u32, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}
