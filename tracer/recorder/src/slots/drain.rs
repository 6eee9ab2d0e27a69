//! Moving committed records from slots into files, by the owner of a full slot or by a flush.
//!
//! The lock of a block guards the positions up to which its slots are flushed; the cursor stays the owner's alone.

use crate::blocks::block::Block;
use crate::blocks::state::{State, state};
use crate::blocks::{growing, tls};
use crate::host::clock;
use crate::host::sync::Ordering;
use crate::registry::hung_disk;
use crate::registry::recorder::Recorder;
use crate::slots::part::{self, Part, records};
use ompttrace_recording::events::next_record;
use ompttrace_recording::fragment::AREA_UNIT;
use ompttrace_recording::fragment::{AROUND, FragmentHeader, HEADER_BYTES};
use ompttrace_recording::pool::{SLOTS, control};

const HEADER_WORDS: usize = HEADER_BYTES / 8;

/// Writes everything that is committed in `block` and not yet in a file. The caller holds its lock.
pub(crate) fn drain(recorder: &Recorder, block: &Block) {
    // A thread's own drain, and the last one of all, take also what could grow.
    if std::ptr::eq(block, tls::block()) || state() == State::Ended {
        growing::end(block);
    }
    let parts = part::parts(block);
    let mut rest = parts;
    while rest.iter().any(|part| !part.is_empty()) {
        let written = write_fragments(recorder, block, &rest);
        if !written.is_some_and(|written| advance(block, &mut rest, written)) {
            for part in rest.iter_mut().filter(|part| !part.is_empty()) {
                part::give_up(block, part, |_| false);
                part.start = part.end;
            }
        }
    }
    // Where there was nothing to write, FLUSHED is left alone: its owner may just be setting it to 0.
    for part in parts.iter().filter(|part| !part.is_empty()) {
        part::flushed(block, part.slot).store(part.end, Ordering::Release);
    }
}

/// Writes a fragment for each part in one write; returns how many bytes of their areas arrived,
/// `None` when the file system refuses.
fn write_fragments(recorder: &Recorder, block: &Block, parts: &[Part; SLOTS]) -> Option<u64> {
    let word = |index| block.control.word(index).load(Ordering::Relaxed);
    let (thread, pair) = (word(control::THREAD), clock::clock_pair());
    recorder.sign_of_life(pair.monotonic);
    let heads = parts.map(|part| {
        let header = FragmentHeader {
            session: recorder.session,
            thread: thread as u32,
            chunk: block.control.chunk(part.slot).load(Ordering::Relaxed),
            offset: part.start as u32,
            bytes: part.end.saturating_sub(part.start) as u32,
            os_thread: word(control::OS_THREAD) as u32,
            ticks: pair.ticks,
            monotonic: pair.monotonic,
        };
        if part.is_empty() { [0; HEADER_WORDS] } else { header.to_words_in(part.area() as u32) }
    });
    let mut vectors = [EMPTY; 4 * SLOTS];
    for ((vectors, part), head) in vectors.chunks_exact_mut(4).zip(parts).zip(&heads) {
        if part.is_empty() {
            continue;
        }
        let body = (block.control.slot_at(part.slot) + part.start) as usize;
        let gap = part.area() - AROUND - part.bytes() as usize;
        vectors.copy_from_slice(&[
            libc::iovec { iov_base: head.as_ptr().cast_mut().cast(), iov_len: HEADER_BYTES },
            libc::iovec {
                iov_base: std::ptr::with_exposed_provenance_mut(body),
                iov_len: part.bytes() as usize,
            },
            // The word after the records is the header's last one.
            libc::iovec {
                iov_base: (&raw const head[HEADER_WORDS - 1]).cast_mut().cast(),
                iov_len: 8,
            },
            libc::iovec { iov_base: (&raw const GAP).cast_mut().cast(), iov_len: gap },
        ]);
    }
    let written = recorder.output.write(thread, &vectors);
    hung_disk::came_back();
    match written {
        Ok(written) => Some(written as u64),
        Err(error) => {
            recorder.refused(&error);
            None
        }
    }
}

const EMPTY: libc::iovec = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };

/// The bytes with which an area is filled up: less than a page of zeros.
static GAP: [u8; AREA_UNIT] = [0; AREA_UNIT];

/// Moves the parts' starts past the records whose bytes arrived in their areas; returns true if there were any.
///
/// After a short write, which readers know as a torn fragment, the rest follows in a fragment of its
/// own, or is lost: what counts as arrived is exactly what a reader will find.
fn advance(block: &Block, parts: &mut [Part; SLOTS], mut written: u64) -> bool {
    let mut progress = false;
    for part in parts.iter_mut().filter(|part| !part.is_empty()) {
        let (before, area) = (part.start, part.area() as u64);
        let records = written.saturating_sub(HEADER_BYTES as u64);
        part.start =
            if records >= part.bytes() + 8 { part.end } else { found(block, part, records) };
        progress |= part.start > before;
        written = written.saturating_sub(area);
    }
    progress
}

/// The end of the last record that a reader finds in the first `bytes` of a part. It takes zeros at
/// the end for missing, and the word before them for one that may not be whole.
fn found(block: &Block, part: &Part, bytes: u64) -> u64 {
    let whole = part.end.min(part.start + (bytes & !7));
    let mut words = records(block, part.slot, part.start, whole);
    if !begins_another_word(block, part, whole, bytes & 7) {
        while let [all_but_last @ .., 0] = words {
            words = all_but_last;
        }
        words = words.split_last().map_or(&[], |(_, others)| others);
    }
    let end = part.start + 8 * words.len() as u64;
    while next_record(&mut words, 0).is_some() {}
    end - 8 * words.len() as u64
}

/// Returns true if any of the first `bytes` bytes of the word at `at`, fewer than eight, is not 0.
fn begins_another_word(block: &Block, part: &Part, at: u64, bytes: u64) -> bool {
    let next = records(block, part.slot, at, part.end.min(at + 8));
    let begun = next.iter().flat_map(|word| word.to_ne_bytes()).take(bytes as usize);
    begun.into_iter().any(|byte| byte != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::EventCode;
    use ompttrace_recording::events::{Flush, Scope};
    use ompttrace_recording::words;

    /// A block whose slot 0 holds `count` records of 16 bytes, the second of which ends in 0.
    fn block(count: u64) -> Block {
        let code = EventCode::new(Flush::NUMBER, Scope::None).0;
        let record = |n| [words::header(n, code), u64::from(n != 11)];
        let slot: Vec<u64> = (0..count).flat_map(record).collect();
        let address = slot.leak().as_ptr().expose_provenance();
        let block = Block::empty();
        block.control.word(control::SLOTS_AT).store(address as u64, Ordering::Relaxed);
        block
    }

    #[test]
    fn a_short_write_goes_on_where_a_reader_will_stop() {
        let block = block(100);
        let parts = [Part { slot: 1, start: 8, end: 8 }, Part { slot: 0, start: 160, end: 1600 }];
        for (written, start) in [
            (64, 160),
            (64 + 16, 160),
            (64 + 17, 176),
            (64 + 32, 176),
            (64 + 47, 192),
            (64 + 48, 192),
            (1511, 1584),
        ] {
            let mut rest = parts;
            assert_eq!(advance(&block, &mut rest, written), start > 160, "{written} written");
            assert_eq!((rest[0].start, rest[1].start), (8, start), "{written} written");
        }
    }

    #[test]
    fn of_two_areas_the_second_begins_behind_the_first() {
        let block = block(100);
        let mut rest =
            [Part { slot: 0, start: 0, end: 1600 }, Part { slot: 1, start: 0, end: 800 }];
        assert!(advance(&block, &mut rest, 4096));
        assert_eq!((rest[0].start, rest[1].start), (1600, 0));
        assert!(advance(&block, &mut rest, 4096));
        assert!(rest.iter().all(Part::is_empty));
    }
}
