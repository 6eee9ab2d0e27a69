//! The records of a core stream: a small buffer, written as a fragment of its own when it is full or flushed.

use super::counts::Counts;
use super::own::{BUFFER_WORDS, Own};
use crate::blocks::block::Block;
use crate::host::sync::Ordering;
use crate::registry::recorder::Recorder;
use crate::slots::fragments;
use crate::slots::overflow::Policy;
use crate::streams::of_thread::of;
use ompttrace_recording::events::{CoresUnknown, cores as reason};
use ompttrace_recording::fragment::{AREA_UNIT, CORE_STREAM, area_bytes};
use ompttrace_recording::pool::control;
use ompttrace_recording::settings::Overflow;
use ompttrace_recording::{EventCode, Scope, words};
use std::cell::Cell;

/// One area takes all of a buffer.
const _: () = assert!(area_bytes(8 * BUFFER_WORDS) == AREA_UNIT);

/// Largest number of words that are put between two checks of the space in the buffer.
const MOST_AT_ONCE: usize = 16;

/// A thread's core stream, whose block's lock the calling thread holds.
pub(super) struct Stream<'a> {
    recorder: &'a Recorder,
    pub(super) counts: &'a Counts,
    pub(super) block: &'a Block,
    /// True if the stream is written whatever the policy is, as often as need be: in a flush.
    writes: bool,
    /// True once the stream was written.
    written: Cell<bool>,
}

impl<'a> Stream<'a> {
    pub(super) fn of(recorder: &'a Recorder, counts: &'a Counts, block: &'a Block) -> Stream<'a> {
        Stream { recorder, counts, block, writes: false, written: Cell::new(false) }
    }

    pub(super) fn that_writes(
        recorder: &'a Recorder,
        counts: &'a Counts,
        block: &'a Block,
    ) -> Stream<'a> {
        Stream { recorder, counts, block, writes: true, written: Cell::new(false) }
    }

    pub(super) fn own(&self) -> &'a Own {
        &of(self.block).cores
    }

    /// The kernel's number of the thread.
    pub(super) fn os_thread(&self) -> u64 {
        self.block.control.word(control::OS_THREAD).load(Ordering::Relaxed)
    }

    /// Returns true if no more is to be read for now: after an event there is one write, for handlers that interrupt
    /// more writes would find no room in the slot. The rest is read after the next event.
    pub(super) fn is_deferred(&self) -> bool {
        let used = self.own().used.load(Ordering::Relaxed) as usize;
        !self.writes && self.written.get() && used + MOST_AT_ONCE > BUFFER_WORDS
    }

    /// Appends a record, not before the last one.
    pub(super) fn put(&self, ticks: u64, number: u16, payload: &[u64]) {
        let (own, words) = (self.own(), 1 + payload.len());
        if own.used.load(Ordering::Relaxed) as usize + words > BUFFER_WORDS {
            self.make_room();
        }
        let used = own.used.load(Ordering::Relaxed) as usize;
        let code = EventCode::new(number, Scope::None).0;
        let header = words::header(own.not_before_last(ticks), code);
        let record = std::iter::once(header).chain(payload.iter().copied());
        for (slot, word) in own.buffer.iter().skip(used).zip(record) {
            slot.store(word, Ordering::Relaxed);
        }
        // At once: what a handler jumps out of leaves whole records.
        own.used.store((used + words) as u64, Ordering::Relaxed);
    }

    fn make_room(&self) {
        let overflow = self.recorder.overflow;
        match overflow {
            _ if self.writes => self.write(),
            Overflow::Wait => self.write(),
            Overflow::Drop if self.disk_answers() => {
                overflow.timed(self.block, || self.write());
                self.own().written_at.store(self.writing(), Ordering::Relaxed);
            }
            Overflow::Drop | Overflow::Ring => give_up_half(self.own()),
        }
    }

    /// Returns true if the thread has time for the disk, and wrote a slot since it last wrote here: a user who chose
    /// not to wait for the disk must not begin to because of this.
    fn disk_answers(&self) -> bool {
        let before = self.own().written_at.load(Ordering::Relaxed);
        self.recorder.overflow.may_write(self.block) && self.writing() != before
    }

    /// Nanoseconds that the thread has spent writing.
    fn writing(&self) -> u64 {
        self.block.private.writing.load(Ordering::Relaxed)
    }

    /// Writes the records in the buffer; half of them are discarded if no file takes them.
    pub(super) fn write(&self) {
        let own = self.own();
        let used = own.used.load(Ordering::Relaxed) as usize;
        if used == 0 {
            return;
        }
        self.written.set(true);
        let chunk = own.chunk.load(Ordering::Relaxed) + 1;
        own.chunk.store(chunk, Ordering::Relaxed);
        let records = own.buffer.get(..used).unwrap_or_default();
        let number = (CORE_STREAM, chunk);
        if fragments::write(self.recorder, self.block, number, [records, &[]]).unwrap_or(false) {
            own.used.store(0, Ordering::Relaxed);
        } else {
            give_up_half(self.own());
        }
    }
}

/// Discards the older half of the buffer's records: one record says instead that nothing is known.
fn give_up_half(own: &Own) {
    let used = (own.used.load(Ordering::Relaxed) as usize).min(BUFFER_WORDS);
    let word = |at: usize| own.buffer.get(at).map_or(0, |word| word.load(Ordering::Relaxed));
    let mut kept = 0;
    while kept < used / 2 {
        kept += EventCode(words::header_code(word(kept))).words().max(1);
    }
    let code = EventCode::new(CoresUnknown::NUMBER, Scope::None).0;
    let [payload] = CoresUnknown { reason: reason::GIVEN_UP, count: 0 }.words();
    let unknown = [words::header(words::header_ticks(word(0)), code), payload];
    let left = unknown.len() + used.saturating_sub(kept);
    let rest = (kept..used).map(word);
    for (slot, word) in own.buffer.iter().zip(unknown.into_iter().chain(rest)) {
        slot.store(word, Ordering::Relaxed);
    }
    own.used.store(left as u64, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::events::{Event, SwitchIn, next_record};

    #[test]
    fn of_what_is_given_up_the_newer_half_stays() {
        let own = Own::new();
        let code = EventCode::new(SwitchIn::NUMBER, Scope::None).0;
        for n in 0..10 {
            let record = [words::header(100 + n, code), n];
            for (slot, word) in own.buffer.iter().skip(2 * n as usize).zip(record) {
                slot.store(word, Ordering::Relaxed);
            }
        }
        own.used.store(20, Ordering::Relaxed);
        give_up_half(&own);
        let words: Vec<u64> = own.buffer.iter().map(|word| word.load(Ordering::Relaxed)).collect();
        let mut rest = &words[..own.used.load(Ordering::Relaxed) as usize];
        let mut found = Vec::new();
        while let Some(record) = next_record(&mut rest, 0) {
            found.push((record.ticks, record.event()));
        }
        let unknown = CoresUnknown { reason: reason::GIVEN_UP, count: 0 };
        let mut expected = vec![(100, Event::CoresUnknown(unknown))];
        expected.extend((5..10).map(|cpu| (100 + cpu, Event::SwitchIn(SwitchIn { cpu }))));
        assert_eq!((found, rest.len()), (expected, 0));
    }
}
