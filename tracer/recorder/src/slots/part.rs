//! Parts of slots: the committed records that no file has yet, and their discarding.

use crate::blocks::block::{self, Block};
use crate::blocks::ledger::{self, Entry};
use crate::blocks::{growing, record_slot};
use crate::host::sync::{AtomicU64, Ordering};
use crate::registry::losses;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Event, Record, next_record};
use ompttrace_recording::fragment::area_bytes;
use ompttrace_recording::pool::{SLOTS, control};
use ompttrace_recording::short::event_code;

/// Committed bytes of a slot that no file has yet.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) slot: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Part {
    /// Makes a part, which is never larger than the slot, whatever the words have from which it is made.
    fn new(slot: usize, start: u64, end: u64) -> Part {
        Part { slot, start, end: end.min(block::slot_bytes()) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.end - self.start
    }

    /// Bytes of the area that its fragment takes in the file.
    pub(crate) fn area(&self) -> usize {
        area_bytes(self.bytes() as usize)
    }
}

/// The part of each slot that no file has, the older slot first. The caller holds the block's lock.
pub(crate) fn parts(block: &Block) -> [Part; SLOTS] {
    // Read first: an owner that changes slots meanwhile has stored FILLED of the old one before.
    let cursor = block.control.cursor().load(Ordering::SeqCst);
    let active = block.control.slot_of(cursor);
    [1 - active, active].map(|slot| {
        // What is done before FILLED: an owner that takes a flushed slot into use again, which it may
        // do without the lock, sets them to 0 in the other order. So we never see an old FILLED
        // with a new FLUSHED, and would take old bytes for new ones.
        let start = done(block, slot);
        let is_active = slot == active;
        let end = if is_active {
            growing::settled(block, cursor).saturating_sub(block.control.slot_at(slot))
        } else {
            filled(block, slot).load(Ordering::Acquire)
        };
        Part::new(slot, start, end)
    })
}

/// Returns true if an inactive slot has no records that a file lacks.
pub(crate) fn is_flushed(block: &Block, slot: usize) -> bool {
    inactive(block, slot).is_empty()
}

/// The part of an inactive slot that no file has.
pub(crate) fn inactive(block: &Block, slot: usize) -> Part {
    let start = done(block, slot);
    Part::new(slot, start, filled(block, slot).load(Ordering::Acquire))
}

pub(crate) fn filled(block: &Block, slot: usize) -> &AtomicU64 {
    let [first, second] = control::FILLED;
    block.control.word(if slot == 0 { first } else { second })
}

pub(crate) fn flushed(block: &Block, slot: usize) -> &AtomicU64 {
    let [first, second] = &block.control.flushed;
    if slot == 0 { first } else { second }
}

/// Bytes of a slot that are in a file or, where an exit came between the two, only counted as lost.
fn done(block: &Block, slot: usize) -> u64 {
    let flushed = flushed(block, slot).load(Ordering::Acquire);
    if losses::any() { flushed.max(ledger::lost_up_to(&block.control, slot)) } else { flushed }
}

/// Discards the records of a part, except those that `keep` takes: they are counted as lost, and no
/// reader takes them from the pool any more.
pub(crate) fn give_up(block: &Block, part: &Part, mut keep: impl FnMut(&Record<'_>) -> bool) {
    losses::expect();
    let entry = Entry::open(&block.control);
    let mut words = records(block, part.slot, part.start, part.end);
    while let Some(record) = next_record(&mut words, 0) {
        match record.event() {
            // Records of earlier losses must not be lost themselves.
            Event::Lost(lost) => entry.add(EventCode(lost.event as u8), lost.count),
            _ if keep(&record) => {}
            _ => entry.add(event_code(record.code), 1),
        }
    }
    let chunk = block.control.chunk(part.slot).load(Ordering::Relaxed);
    entry.mark(part.slot, chunk, part.end);
    entry.commit();
}

/// Committed words of a slot.
pub(crate) fn records(block: &Block, slot: usize, start: u64, end: u64) -> &[u64] {
    // SAFETY: the bytes are committed records of a mapped slot, 8-byte aligned, and nothing writes
    // them while the caller holds the block's lock: the owner begins a slot anew only after a drain,
    // or (`chunk::switch`) when it is flushed, which this part of it is not yet.
    unsafe { record_slot::words(block.control.slot_at(slot) + start, (end - start) / 8) }
}
