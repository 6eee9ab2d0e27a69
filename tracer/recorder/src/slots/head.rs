//! The first records of a chunk: those of a discarded chunk that later records need, and the losses.
//!
//! They are committed with the chunk itself, by the store of the cursor that begins it.

use crate::blocks::block::Block;
use crate::blocks::ledger;
use crate::blocks::record_slot::RecordSlot;
use crate::registry::losses;
use crate::registry::recorder::Recorder;
use crate::slots::overflow::Policy;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Group, Lost, Record, Scope, ThreadInfo};
use ompttrace_recording::words::{Payload, Store};
use std::sync::atomic::{AtomicBool, Ordering};

/// Words of the largest payload that is kept.
const WORDS: usize = ThreadInfo::WORDS - 1;
/// Records that are kept at most: a quarter of the smallest slot.
const RECORDS: usize = 32;

/// Records of a discarded chunk without which later ones cannot be read: the thread's name, and the code that is
/// meant by the numbers of sites and frames.
pub(crate) struct Kept {
    records: [(EventCode, [u64; WORDS]); RECORDS],
    count: usize,
}

impl Kept {
    pub(crate) fn new() -> Kept {
        Kept { records: [(EventCode(0), [0; WORDS]); RECORDS], count: 0 }
    }

    /// Keeps a record of a chunk that is discarded if it is a definition and there is room. Otherwise returns false: the record is lost;
    /// where room was missing, [`gave_up`] says so.
    pub(crate) fn take(&mut self, record: &Record<'_>) -> bool {
        if record.code.group() != Some(Group::Definition) {
            return false;
        }
        let Some((code, words)) = self.records.get_mut(self.count) else {
            GIVEN_UP.store(true, Ordering::Relaxed);
            return false;
        };
        *code = record.code;
        words.iter_mut().zip(record.words).for_each(|(word, value)| *word = *value);
        self.count += 1;
        true
    }
}

/// True if records that later ones need were given up. A hint of threads to themselves, by which they do not synchronise.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// Returns true if records of sites or frames were discarded since the last call: they have to be made again.
pub(crate) fn gave_up() -> bool {
    GIVEN_UP.swap(false, Ordering::Relaxed)
}

/// Stores the first records of `chunk` in `slot`, which is not the active one; returns the address of their end.
/// Losses whose records do not fit into three quarters of the slot are reported later.
pub(crate) fn write(
    recorder: &Recorder,
    block: &Block,
    (slot, chunk): (usize, u64),
    ticks: u64,
    kept: Option<&Kept>,
) -> u64 {
    let start = block.control.slot_at(slot);
    let mut cursor = start;
    for (code, words) in kept.into_iter().flat_map(|kept| kept.records.iter().take(kept.count)) {
        let count = code.words() - 1;
        cursor = store(cursor, ticks, *code, |slot| {
            words.iter().take(count).enumerate().for_each(|(at, word)| slot.word(at, *word));
        });
    }
    let lost = if losses::any() { ledger::unreported(&block.control).count() } else { 0 };
    let bytes = (8 * Lost::WORDS * lost) as u64;
    if lost > 0 && cursor + bytes <= start + block.usable() / 4 * 3 {
        ledger::report_with(&block.control, chunk);
        cursor = report(recorder, block, ticks, cursor);
    }
    cursor
}

fn report(recorder: &Recorder, block: &Block, ticks: u64, mut cursor: u64) -> u64 {
    let code = EventCode::new(Lost::NUMBER, Scope::None);
    for (event, count) in ledger::unreported(&block.control) {
        let lost = Lost { event: event.0.into(), reason: recorder.overflow.reason(), count };
        cursor = store(cursor, ticks, code, |slot| lost.words().store(slot));
    }
    cursor
}

fn store(cursor: u64, ticks: u64, code: EventCode, payload: impl FnOnce(&mut RecordSlot)) -> u64 {
    let mut slot = RecordSlot::at(cursor);
    slot.ticks(ticks);
    slot.code(code);
    payload(&mut slot);
    cursor + 8 * code.words() as u64
}
