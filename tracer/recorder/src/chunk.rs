//! Chunks: what the owner of a full slot does.

use crate::block::Block;
use crate::recorder::Recorder;
use crate::sync::Ordering;
use crate::{clock, drain};
use ompttrace_recording::pool::control;

/// Goes on in the other slot; when both are full they are written first, in one piece, which costs
/// much less than two.
///
/// While a flush is at work the other slot is begun without the lock, and so once per tenure of it
/// at most: a flush has read where the cursor was, and may rely on that slot not being begun anew
/// under its hands.
///
/// Returns whether there is space: not in a signal handler that interrupted a drain of this thread.
pub(crate) fn make_space(recorder: &Recorder, block: &Block, ticks: u64) -> bool {
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    let slot = block.control.slot_of(cursor);
    let mut drained = false;
    let guard = match block.control.lock.try_lock() {
        Some(guard) => Some(guard),
        None if switch(block, slot, cursor) => return true,
        None => block.control.lock.lock(),
    };
    if guard.is_none() {
        return false;
    }
    if !drain::is_flushed(block, 1 - slot) {
        drain::drain(recorder, block);
        drained = true;
    }
    go_on(block, slot, cursor);
    drop(guard);
    if drained {
        let spent = clock::ticks().wrapping_sub(ticks);
        recorder.waits.add(spent);
        block.private.wait_since.store(ticks, Ordering::Relaxed);
        block.private.wait_ticks.store(spent.max(1), Ordering::Relaxed);
    }
    true
}

/// Leaves `slot` full up to `cursor` and begins a chunk in the other one.
fn go_on(block: &Block, slot: usize, cursor: u64) {
    set_filled(block, slot, cursor - block.control.slot_at(slot));
    start_chunk(block, 1 - slot);
}

/// Goes on in the other slot if it is empty and this was not done before in the same tenure.
fn switch(block: &Block, slot: usize, cursor: u64) -> bool {
    let (lock, other) = (&block.control.lock, 1 - slot);
    let before = block.private.switched_in.load(Ordering::Relaxed);
    if lock.tenure() == Some(before) || !drain::is_flushed(block, other) {
        return false;
    }
    go_on(block, slot, cursor);
    // Read behind the change: a tenure that began meanwhile may have seen the old cursor.
    block.private.switched_in.store(lock.tenure().unwrap_or(0), Ordering::Relaxed);
    true
}

fn set_filled(block: &Block, slot: usize, bytes: u64) {
    let index = if slot == 0 { control::FILLED[0] } else { control::FILLED[1] };
    block.control.word(index).store(bytes, Ordering::Release);
}

/// Begins a new chunk in `slot`, which is not the active one. At every step the control page tells a reader of a killed run the
/// truth: the slot is empty before it has a new number, and the cursor moves last.
fn start_chunk(block: &Block, slot: usize) {
    let control = &block.control;
    let chunks = control::CHUNK.map(|index| control.word(index).load(Ordering::Relaxed));
    let next = chunks.into_iter().max().unwrap_or(0) + 1;
    set_filled(block, slot, 0);
    let [first, second] = &control.flushed;
    (if slot == 0 { first } else { second }).store(0, Ordering::Release);
    let index = if slot == 0 { control::CHUNK[0] } else { control::CHUNK[1] };
    control.word(index).store(next, Ordering::Release);
    control.cursor().store(control.slot_at(slot), Ordering::SeqCst);
}
