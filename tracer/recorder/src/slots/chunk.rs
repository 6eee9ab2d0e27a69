//! Chunks: the actions of the owner of a full slot.

use crate::blocks::block::Block;
use crate::blocks::room::put_cold;
use crate::blocks::{growing, ledger, tls};
use crate::host::clock;
use crate::host::sync::Ordering;
use crate::registry::inside::{self, Work};
use crate::registry::recorder::Recorder;
use crate::slots::overflow::Policy;
use crate::slots::part::{Part, filled, flushed, inactive, is_flushed};
use crate::slots::{drain, head, part};
use ompttrace_recording::events::Wait;
use ompttrace_recording::settings::Overflow;

/// Continues in the other slot; when both are full they are written first, in one write, which costs
/// much less than two, or the older one is discarded, depending on the policy.
///
/// During a flush the other slot is begun without the lock, at most once per tenure of it: a flush has
/// read where the cursor was, and may rely on that slot not being reused meanwhile.
///
/// The caller's work is flagged ([`inside`]): no other thread changes slots meanwhile, and while this writes or waits,
/// events of signal handlers are stored in the reserve of `slot`.
///
/// Returns true if there is space: not in a signal handler that interrupted a flush of this thread, nor when the
/// policy forbids to wait for a flush.
pub(crate) fn make_space(recorder: &Recorder, block: &Block) -> bool {
    // Where a handler jumps out of this, the lock is free again; not so that of a flush that was interrupted.
    let lock_is_free_to_take = u64::from(!block.control.lock.is_mine());
    block.private.makes_space.store(lock_is_free_to_take, Ordering::Relaxed);
    let made = change_slots(recorder, block);
    block.private.makes_space.store(0, Ordering::Relaxed);
    made
}

/// Makes space after an event of the calling thread, if its slot is full.
pub(crate) fn empty_full_slot(recorder: &Recorder, block: &Block) {
    if !block.has_room(block.control.cursor().load(Ordering::Relaxed), 0) {
        make_space(recorder, block);
    }
}

/// Puts the tool's own time into the recording, after the event that had to wait; not amid a handler's, which are later.
pub(crate) fn report_wait() {
    let block = tls::block();
    let spent = block.private.wait_ticks.load(Ordering::Relaxed);
    if spent == 0 || inside::work() != Work::Event {
        return;
    }
    block.private.wait_ticks.store(0, Ordering::Relaxed);
    let since = block.private.wait_since.load(Ordering::Relaxed);
    let record = Wait { ticks: spent, reason: 0 };
    put_cold(block, since, Wait::NUMBER, record.words());
}

fn change_slots(recorder: &Recorder, block: &Block) -> bool {
    let began = clock::ticks();
    block.private.latest.store(began, Ordering::Relaxed);
    let slot = block.control.slot_of(block.control.cursor().load(Ordering::Relaxed));
    let guard = match block.control.lock.try_lock() {
        Some(guard) => Some(guard),
        None if switch(block, slot) => return true,
        None => inside::writing(|| recorder.overflow.wait(block)),
    };
    let Some(guard) = guard else { return false };
    let older = inactive(block, 1 - slot);
    let drained = !older.is_empty() && inside::writing(|| is_written(recorder, block));
    let latest = if older.is_empty() || drained {
        go_on(recorder, block, slot, None)
    } else {
        give_up_and_go_on(recorder, block, slot, &older)
    };
    drop(guard);
    if drained {
        let now = clock::ticks();
        recorder.waits.add(now.wrapping_sub(began));
        block.private.wait_since.store(latest, Ordering::Relaxed);
        block.private.wait_ticks.store(now.wrapping_sub(latest).max(1), Ordering::Relaxed);
    }
    true
}

/// Writes the records that no file has, if the policy allows it; returns true if it does.
fn is_written(recorder: &Recorder, block: &Block) -> bool {
    let may_write = recorder.overflow.may_write(block);
    if may_write {
        recorder.overflow.timed(block, || drain::drain(recorder, block));
    }
    may_write
}

/// Discards the records of the inactive slot and begins it anew. The records that are kept of them take a KiB of the
/// program's stack; nothing is written to a file here.
#[inline(never)]
fn give_up_and_go_on(recorder: &Recorder, block: &Block, slot: usize, older: &Part) -> u64 {
    if recorder.overflow == Overflow::Drop {
        recorder.dropped();
    }
    let mut kept = head::Kept::new();
    inside::writing(|| part::give_up(block, older, |record| kept.take(record)));
    go_on(recorder, block, slot, Some(&kept))
}

/// Leaves `slot` full and begins the other one; returns the time from which on this goes.
fn go_on(recorder: &Recorder, block: &Block, slot: usize, kept: Option<&head::Kept>) -> u64 {
    // After what handlers recorded meanwhile.
    let latest = block.private.latest.load(Ordering::Relaxed);
    fill_up(block, slot);
    begin(block, 1 - slot, |chunk| head::write(recorder, block, (1 - slot, chunk), latest, kept));
    latest
}

/// Leaves `slot` full, including what a signal handler stored there during a drain.
fn fill_up(block: &Block, slot: usize) {
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    filled(block, slot).store(cursor - block.control.slot_at(slot), Ordering::Release);
}

/// Continues in the other slot if it is empty and this was not done before in the same tenure.
fn switch(block: &Block, slot: usize) -> bool {
    let (lock, other) = (&block.control.lock, 1 - slot);
    let before = block.private.switched_in.load(Ordering::Relaxed);
    if lock.tenure() == Some(before) || !is_flushed(block, other) {
        return false;
    }
    fill_up(block, slot);
    begin(block, other, |_| block.control.slot_at(other));
    // Read after the change: a tenure that began meanwhile may have seen the old cursor.
    block.private.switched_in.store(lock.tenure().unwrap_or(0), Ordering::Relaxed);
    true
}

/// Begins a new chunk in `slot`, which is not the active one, with the records that `head` stores
/// there. At every step the control page is consistent for a reader of a killed run: the slot is empty
/// before it has a new number, and the cursor moves last, to the end of the head.
fn begin(block: &Block, slot: usize, head: impl FnOnce(u64) -> u64) {
    let control = &block.control;
    let chunks = [0, 1].map(|slot| control.chunk(slot).load(Ordering::Relaxed));
    let next = chunks.into_iter().max().unwrap_or(0) + 1;
    // The cursor will come by the same addresses again.
    growing::end(block);
    filled(block, slot).store(0, Ordering::Release);
    flushed(block, slot).store(0, Ordering::Release);
    ledger::retract_report(control);
    let cursor = head(next);
    control.chunk(slot).store(next, Ordering::Release);
    control.cursor().store(cursor, Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::EventCode;
    use ompttrace_recording::events::{Flush, Scope};

    /// A chunk that was begun and never reached, as when an exit or an event in a signal handler came between the two.
    #[test]
    fn what_a_chunk_that_was_never_reached_would_have_reported_stays_unreported() {
        let (block, code) = (Block::empty(), EventCode::new(Flush::NUMBER, Scope::None));
        let control = &block.control;
        control.chunk(0).store(1, Ordering::Relaxed);
        let entry = ledger::Entry::open(control);
        entry.add(code, 3);
        entry.commit();
        ledger::report_with(control, 2);
        begin(&block, 1, |_| control.slot_at(1));
        assert_eq!(
            (control.active_chunk(), ledger::unreported(control).collect()),
            (2, vec![(code, 3)])
        );
    }
}
