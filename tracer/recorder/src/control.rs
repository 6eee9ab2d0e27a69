//! Commands to the recorder from outside a thread's own events: pause, resume, flush, end, close.

use crate::recorder;
use crate::state::{self, State};
use crate::sync::Ordering;
use crate::{clock, drain, sites};

/// Stops recording until [`resume`]; the threads' limits go to 0, so that no clock is read.
pub fn pause() {
    if state::state() == State::Recording {
        state::set_state(State::Paused);
        take_limits();
    }
}

/// Goes on recording. Each thread finds out by itself at its next event.
pub fn resume() {
    if state::state() == State::Paused {
        state::set_state(State::Recording);
        // Code sites that appeared meanwhile have ids but no record yet.
        sites::tell_all(clock::ticks());
    }
}

/// Writes every record that was committed before the call into the files; returns when they are.
pub fn flush() {
    drain_all();
}

/// Ends the recording for good; what was recorded is flushed.
pub fn end() {
    if matches!(state::state(), State::Recording | State::Paused) {
        state::set_state(State::Ended);
        take_limits();
        drain_all();
    }
}

/// Ends the recording without touching anything: after an error of ours.
pub(crate) fn disarm() {
    state::set_state(State::Off);
    take_limits();
}

fn take_limits() {
    let Some(recorder) = recorder::current() else { return };
    if !recorder.is_ours() {
        return;
    }
    for block in recorder.blocks() {
        block.private.end.store(0, Ordering::SeqCst);
    }
}

/// Empties all threads' blocks into the files as far as their records are committed.
pub fn drain_all() {
    let Some(recorder) = recorder::current() else { return };
    if !recorder.is_ours() {
        return;
    }
    for block in recorder.blocks() {
        let _guard = block.control.lock.lock();
        // Its owner may have ended, and drained it, while we waited for the lock.
        if block.is_owned() {
            drain::drain(recorder, block);
        }
    }
}

/// The last drain: returns what could not be told in any thread's records and, if `everyone_is_done`,
/// removes the pool, which then holds nothing that the files lack.
pub fn close(everyone_is_done: bool) {
    let Some(recorder) = recorder::current() else { return };
    if !recorder.is_ours() {
        return;
    }
    if everyone_is_done {
        state::set_state(State::Ended);
        take_limits();
    }
    drain_all();
    for block in recorder.blocks() {
        let _guard = block.control.lock.lock();
        block.private.losses.move_to(&recorder.losses);
    }
    if everyone_is_done {
        recorder::unlink_pool();
    }
}
