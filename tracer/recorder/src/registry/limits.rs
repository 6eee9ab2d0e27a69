//! Limits of the threads' fast paths: the addresses up to which each may record without a check. They are opened by
//! their thread, and taken away by any thread that needs its next event on the slow path.

use crate::blocks::state::{self, State, state};
use crate::blocks::tls;
use crate::host::clock;
use crate::host::sync::Ordering;
use crate::registry::recorder::{self, Recorder};

/// Opens the fast path of a thread that records and has no handlers with events of their own. A pause sets the
/// state first and the limits then, and so does a thread that parks others: whichever of the two sides comes second sees the
/// other (all accesses are sequentially consistent).
pub(crate) fn open() {
    // A forked child has no block, so what there is is its own.
    let Some(recorder) = recorder::current().filter(|_| tls::has_block()) else { return };
    if state() != State::Recording || clock::clock_source() != clock::ClockSource::Counter {
        return;
    }
    let block = tls::block();
    if block.private.handled.load(Ordering::Relaxed) != 0 {
        return;
    }
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    let reach = u64::from(block.private.reach.load(Ordering::Relaxed));
    let end = block.limit(block.control.slot_of(cursor)).min(cursor.saturating_add(reach));
    block.private.end.store(end, Ordering::SeqCst);
    if state() != State::Recording || recorder.parker.parks() {
        block.private.end.store(0, Ordering::SeqCst);
    }
}

/// Sends the next event of every thread of this process to the slow path.
pub(crate) fn take_all() {
    recorder::own().into_iter().for_each(take);
}

/// Sends every thread's next event to the slow path. This includes blocks without an owner: one may just be getting
/// its owner, and to the others a limit means nothing.
pub(crate) fn take(recorder: &Recorder) {
    for block in recorder.all_blocks() {
        block.private.end.store(0, Ordering::SeqCst);
    }
}

/// Ends the recording without touching anything: after an error of ours.
pub(crate) fn disarm() {
    state::set_state(State::Off);
    take_all();
}
