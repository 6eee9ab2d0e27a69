//! The ledger: the losses of a thread that it has not reported in its own records, on its control page, where a kill
//! leaves them.
//!
//! It has two pages, of which one is valid. A thread that counts a loss copies the valid page to the other one,
//! adds to it, and makes it valid by one store: so a loss is counted, with the position of its records, or
//! the records are still there. What was reported by the first records of a chunk counts no more when the
//! cursor has reached that chunk, which is one store as well.

use crate::EventCode;
use crate::pool::{SLOTS, active_chunk, control};

/// Counters of a page: one for each code below; others count as code 0.
pub const CODES: usize = 224;
/// Words of a page: the counters, then for each slot the chunk whose first records are lost, and the number of bytes
/// of these records.
pub const WORDS: usize = CODES + 2 * SLOTS;

/// The index of a code's counter.
pub const fn counter_index(code: EventCode) -> usize {
    if (code.0 as usize) < CODES { code.0 as usize } else { 0 }
}

/// The code whose counter is at `index`.
pub const fn code_at(index: usize) -> EventCode {
    EventCode(index as u8)
}

/// Index of the first word of page `page` among the words of the control page.
pub const fn page_at(page: usize) -> usize {
    control::WORDS + page * WORDS
}

/// Index of the word, on a ledger's page, that has the number of the chunk in `slot` whose first records are lost;
/// the next word has the number of bytes of these records.
pub const fn mark_of(slot: usize) -> usize {
    CODES + 2 * slot
}

/// The valid page of a ledger.
pub(crate) struct Ledger<'a> {
    page: &'a [u64],
    reported_with: u64,
}

impl Ledger<'_> {
    /// The ledger on a control page.
    pub(crate) fn of(words: &[u64; control::ALL]) -> Ledger<'_> {
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        let page = (word(control::LEDGER) & 1) as usize;
        let reported_with =
            word(if page == 0 { control::REPORTED_WITH[0] } else { control::REPORTED_WITH[1] });
        let at = page_at(page);
        Ledger { page: words.get(at..at + WORDS).unwrap_or(&[]), reported_with }
    }

    /// Bytes of the chunk in a slot whose records are lost.
    pub(crate) fn lost_up_to(&self, slot: usize, chunk: u64) -> u64 {
        match self.page.get(mark_of(slot)..mark_of(slot) + 2) {
            Some([lost, bytes]) if *lost == chunk => *bytes,
            _ => 0,
        }
    }
}

/// The losses of a thread that it did not report: code and count. `words` are those of its control page.
pub fn unreported(words: &[u64; control::ALL], slot_bytes: usize) -> Vec<(EventCode, u64)> {
    let Ledger { page, reported_with } = Ledger::of(words);
    if reported_with != 0 && active_chunk(words, slot_bytes) >= reported_with {
        return Vec::new();
    }
    counted(page.get(..CODES).unwrap_or(&[]))
}

/// Counters that are not 0, with their codes.
pub fn counted(counters: &[u64]) -> Vec<(EventCode, u64)> {
    let all = counters.iter().take(CODES).enumerate();
    all.filter(|(_, count)| **count > 0).map(|(index, count)| (code_at(index), *count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{MutexAcquire, Scope, Work};
    use crate::pool::{DEFAULT_SLOT, fragments_of};

    const SLOT: u64 = DEFAULT_SLOT as u64;

    /// A thread in chunk 8, in slot 1, that has lost things on both pages.
    fn page() -> [u64; control::ALL] {
        let mut words = [0; control::ALL];
        words[control::MAGIC] = crate::pool::MAGIC;
        words[control::CURSOR] = SLOT + 64;
        words[control::CHUNK[0]] = 7;
        words[control::CHUNK[1]] = 8;
        words[control::FILLED[0]] = 160;
        words[page_at(0) + counter_index(EventCode::new(Work::NUMBER, Scope::Begin))] = 3;
        words[page_at(1) + counter_index(EventCode::new(MutexAcquire::NUMBER, Scope::None))] = 5;
        words
    }

    #[test]
    fn every_code_that_is_written_has_a_counter_of_its_own() {
        assert!(EventCode::all().all(|code| code_at(counter_index(code)) == code));
        assert!(EventCode::all().all(|code| counter_index(code) < CODES));
        assert_eq!(counter_index(EventCode(255)), 0);
    }

    #[test]
    fn the_valid_page_counts_until_its_chunk_is_reached() {
        let mut words = page();
        let reported = |words: &_| unreported(words, DEFAULT_SLOT);
        assert_eq!(reported(&words), [(EventCode::new(Work::NUMBER, Scope::Begin), 3)]);
        words[control::LEDGER] = 7;
        assert_eq!(reported(&words), [(EventCode::new(MutexAcquire::NUMBER, Scope::None), 5)]);
        words[control::REPORTED_WITH[1]] = 9;
        assert_eq!(reported(&words).len(), 1);
        words[control::REPORTED_WITH[1]] = 8;
        assert_eq!(reported(&words), []);
    }

    #[test]
    fn records_that_are_counted_as_lost_are_not_read() {
        let mut words = page();
        words[page_at(0) + mark_of(0)] = 7;
        words[page_at(0) + mark_of(0) + 1] = 48;
        let [first, _] = fragments_of(&words, 1, DEFAULT_SLOT);
        let (header, at) = first.expect("the rest of the chunk");
        assert_eq!((header.offset, header.bytes, at), (48, 112, 48));
        words[page_at(0) + mark_of(0) + 1] = 160;
        let [first, second] = fragments_of(&words, 1, DEFAULT_SLOT);
        assert!(first.is_none() && second.is_some());
        words[page_at(0) + mark_of(0)] = 6;
        let [first, _] = fragments_of(&words, 1, DEFAULT_SLOT);
        assert_eq!(first.map(|(header, _)| header.bytes), Some(160));
    }
}
