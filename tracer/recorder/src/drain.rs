//! Moving committed records from slots into files, by the owner of a full slot or by a flush.
//!
//! The lock of a block guards what is flushed up to where; the cursor stays the owner's alone.

use crate::block::Block;
use crate::clock;
use crate::recorder::Recorder;
use crate::sync::Ordering;
use ompttrace_recording::events::{Event, next_record};
use ompttrace_recording::fragment::{FragmentHeader, HEADER_BYTES};
use ompttrace_recording::pool::{SLOTS, control};

/// Writes everything that is committed in `block` and not yet in a file. The caller holds its lock.
pub(crate) fn drain(recorder: &Recorder, block: &Block) {
    let control = &block.control;
    // Read first: an owner that changes slots meanwhile has stored FILLED of the old one before.
    let cursor = control.cursor().load(Ordering::SeqCst);
    let active = control.slot_of(cursor);
    for slot in (0..SLOTS).filter(|slot| *slot != active) {
        // FLUSHED before FILLED: an owner that takes a flushed slot into use again, which it may
        // do without the lock, sets them to 0 in the other order. So we never see an old FILLED
        // with a new FLUSHED, and would take old bytes for new ones.
        let start = flushed(block, slot).load(Ordering::Acquire);
        flush_slot(recorder, block, slot, start, filled(block, slot));
    }
    let start = flushed(block, active).load(Ordering::Acquire);
    flush_slot(recorder, block, active, start, cursor - control.slot_at(active));
}

/// Whether an inactive slot holds nothing that a file lacks.
pub(crate) fn is_flushed(block: &Block, slot: usize) -> bool {
    flushed(block, slot).load(Ordering::Acquire) >= filled(block, slot)
}

fn filled(block: &Block, slot: usize) -> u64 {
    let index = if slot == 0 { control::FILLED[0] } else { control::FILLED[1] };
    block.control.word(index).load(Ordering::Acquire)
}

fn flushed(block: &Block, slot: usize) -> &crate::sync::AtomicU64 {
    let [first, second] = &block.control.flushed;
    if slot == 0 { first } else { second }
}

/// Writes `start..end` of a slot. Where there is nothing to write, FLUSHED is left alone: its owner
/// may just be setting it to 0.
fn flush_slot(recorder: &Recorder, block: &Block, slot: usize, mut start: u64, end: u64) {
    if start >= end {
        return;
    }
    while start < end {
        match write_fragment(recorder, block, slot, start, end) {
            Some(written) => start = whole_records(block, slot, start, start + written),
            None => {
                count_losses(block, slot, start, end);
                start = end;
            }
        }
    }
    flushed(block, slot).store(start, Ordering::Release);
}

/// Writes bytes `start..end` of a slot; returns how many whole words of them arrived, `None` when
/// the file system refuses.
fn write_fragment(
    recorder: &Recorder,
    block: &Block,
    slot: usize,
    start: u64,
    end: u64,
) -> Option<u64> {
    let word = |index| block.control.word(index).load(Ordering::Relaxed);
    let pair = clock::clock_pair();
    let thread = word(control::THREAD);
    let header = FragmentHeader {
        session: recorder.session,
        thread: thread as u32,
        chunk: word(if slot == 0 { control::CHUNK[0] } else { control::CHUNK[1] }),
        offset: start as u32,
        bytes: (end - start) as u32,
        os_thread: word(control::OS_THREAD) as u32,
        ticks: pair.ticks,
        monotonic: pair.monotonic,
    };
    let mut words = header.to_words();
    let body = (block.control.slot_at(slot) + start) as usize;
    let parts = [
        libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: HEADER_BYTES },
        libc::iovec {
            iov_base: std::ptr::with_exposed_provenance_mut(body),
            iov_len: (end - start) as usize,
        },
    ];
    match recorder.output.append(thread, &parts) {
        // A short write leaves a torn fragment, which readers know; the rest follows in its own.
        Ok(written) => Some(written.saturating_sub(HEADER_BYTES) as u64 & !7),
        Err(error) => {
            recorder.refused(&error);
            None
        }
    }
}

/// The end of the last whole record in `start..end` of a slot, where `start` is the begin of one.
fn whole_records(block: &Block, slot: usize, start: u64, end: u64) -> u64 {
    let mut words = records(block, slot, start, end);
    while next_record(&mut words, 0).is_some() {}
    end - 8 * words.len() as u64
}

/// Counts the records in `start..end` of a slot as lost.
fn count_losses(block: &Block, slot: usize, start: u64, end: u64) {
    let mut words = records(block, slot, start, end);
    while let Some(record) = next_record(&mut words, 0) {
        match record.event() {
            // A refused word of earlier losses must not make them forgotten.
            Event::Lost(lost) => block.private.losses.add(lost.event as u8, lost.count),
            _ => block.private.losses.add(record.code.0, 1),
        }
    }
}

/// Committed words of a slot.
fn records(block: &Block, slot: usize, start: u64, end: u64) -> &[u64] {
    let place = (block.control.slot_at(slot) + start) as usize;
    // SAFETY: the bytes are committed records of a mapped slot, 8-byte aligned, and nobody writes
    // them while the caller holds the block's lock: the owner begins a slot anew only after a drain,
    // or (`chunk::switch`) when it is flushed, which this part of it is not yet.
    unsafe {
        std::slice::from_raw_parts(
            std::ptr::with_exposed_provenance::<u64>(place),
            ((end - start) / 8) as usize,
        )
    }
}
