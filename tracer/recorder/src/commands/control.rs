//! Commands to the recorder from outside a thread's own events: pause, resume, flush, end, close. The thread that gives them
//! where C code waits does so within [`crate::caught`].

use crate::blocks::state::{self, State};
use crate::events::{definitions, slow};
use crate::host::clock;
use crate::registry::recorder::{self, Recorder};
use crate::registry::{hung_disk, limits, losses, resumed};
use crate::slots::drain;
use ompttrace_recording::EventCode;
use ompttrace_recording::facts::{ClockPair, Drains};

/// Stops recording until [`resume`]; the threads' limits go to 0, so that no clock is read.
pub fn pause() {
    if state::change(State::Recording, State::Paused) {
        limits::take_all();
    }
}

/// Continues recording. Each thread finds out by itself at its next event.
pub fn resume() {
    if state::state() != State::Paused {
        return;
    }
    // Before the state: a thread that sees that recording continues also sees since when.
    resumed::set_time(clock::ticks());
    if state::change(State::Paused, State::Recording) {
        slow::ask_for_tasks();
        definitions::report_sites_from_here();
    }
}

/// Writes every record that was committed before the call into the files; returns when they are.
pub fn flush() {
    let Some(recorder) = recorder::own().filter(|_| !hung_disk::hangs()) else { return };
    definitions::report_sites();
    for block in recorder.blocks() {
        let Some(_guard) = block.control.lock.lock() else { continue };
        // Its owner may have ended, and drained it, while we waited for the lock.
        if block.is_owned() {
            drain::drain(recorder, block);
            recorder.streams.flush(recorder, block);
        }
    }
}

/// Ends the recording for good; what was recorded is flushed.
pub fn end() {
    if state::change(State::Recording, State::Ended) || state::change(State::Paused, State::Ended) {
        limits::take_all();
        flush();
    }
}

/// Gives up a recording that could not be begun: nothing of it stays.
pub fn abandon() {
    limits::disarm();
    if let Some(recorder) = recorder::own() {
        recorder.pool.unlink();
    }
}

/// [`flush`] in an exit handler, which may run in a signal handler in the midst of a drain: the drain is then
/// repeated. Returns true if all threads were reached; records of the others are still in the pool. Nothing more is
/// written once the disk hangs.
pub fn flush_at_exit() -> bool {
    hung_disk::unless_it_hangs(flush_for_the_last_time).unwrap_or(false)
}

fn flush_for_the_last_time() -> bool {
    let Some(recorder) = recorder::own() else { return true };
    let mut reached = true;
    for block in recorder.blocks() {
        let guard = block.control.lock.inherit_at_exit(hung_disk::exiting());
        reached &= guard.is_some();
        if guard.is_some() && block.is_owned() {
            drain::drain(recorder, block);
            recorder.streams.flush(recorder, block);
        }
    }
    reached
}

/// Makes ready for a program that will lose the right or the way to its files.
pub fn open_early() {
    if let Some(recorder) = recorder::own() {
        recorder.output.open_early();
    }
}

/// Number of event files that were removed while the program ran: their contents are lost with the process.
pub fn removed_files() -> usize {
    recorder::own().map_or(0, |recorder| recorder.output.removed())
}

/// Numbers of the event files that have any bytes, each with the bytes written to it so far; none without a recording of this process.
pub fn written_bytes() -> Vec<(usize, u64)> {
    recorder::own().map_or_else(Vec::new, |recorder| recorder.output.written().collect())
}

/// Threads that got buffers of their own; 0 where records, or numbers of chunks, may have been left out.
pub fn gapless_threads() -> u64 {
    recorder::own().filter(|_| !losses::any()).map_or(0, Recorder::threads)
}

/// The time that the drains of this process cost its threads until now, by the clock of `pairs`.
pub fn drains(pairs: &[ClockPair]) -> Drains {
    let rate = match pairs {
        [first, .., last] => {
            let ticks = last.ticks.wrapping_sub(first.ticks).max(1);
            last.monotonic.wrapping_sub(first.monotonic) as f64 / ticks as f64
        }
        _ => 1.0,
    };
    recorder::own().map_or_else(Drains::default, |recorder| recorder.waits.drains(rate))
}

/// Records that were lost and are reported in no thread's records until now, by code byte.
pub fn lost_outside_threads() -> Vec<(EventCode, u64)> {
    recorder::current().map_or_else(Vec::new, Recorder::lost_outside_threads)
}

/// The last drain. If `everyone_is_done` nothing is recorded any more. Returns true if the pool then has no record
/// that the files lack: once its counts of losses are stored elsewhere, it can be removed ([`remove_pool`]).
pub fn close(everyone_is_done: bool) -> bool {
    let Some(recorder) = recorder::own() else { return false };
    if everyone_is_done {
        state::set_state(State::Ended);
        limits::take_all();
    }
    let reached = flush_at_exit();
    let closed = everyone_is_done && reached;
    if closed {
        recorder.output.finish();
    }
    closed
}

/// Removes the pool of a recording that is closed.
pub fn remove_pool() {
    if let Some(recorder) = recorder::own() {
        recorder.pool.unlink();
    }
}

/// True where [`remove_pool`] can do its work.
pub fn pool_in_reach() -> bool {
    recorder::own().is_some_and(|recorder| recorder.pool.is_in_reach())
}
