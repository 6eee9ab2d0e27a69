//! Counting of a thread's losses on its control page, where a kill leaves them; the layout and its meaning are
//! `ompttrace_recording::ledger`'s.
//!
//! All of this is done by the holder of the block's lock. Of the words only those by which a reader
//! reports what is valid are atomics of [`crate::host::sync`], which the models look at.

use crate::blocks::block::{Control, LedgerPage};
use crate::host::sync::{AtomicU64, Ordering};
use ompttrace_recording::EventCode;
use ompttrace_recording::ledger::{CODES, WORDS, code_at, counter_index, mark_of};
use ompttrace_recording::pool::control;

/// Losses on their way into the ledger: all of them are counted by [`Entry::commit`], or none.
pub(crate) struct Entry<'a> {
    control: &'a Control,
    generation: u64,
}

impl<'a> Entry<'a> {
    /// Begins an entry on the page that is not valid, with the losses that are not reported yet.
    pub(crate) fn open(control: &'a Control) -> Entry<'a> {
        let generation = control.word(control::LEDGER).load(Ordering::Relaxed);
        let entry = Entry { control, generation: generation.wrapping_add(1) };
        let (old, new, reported) = (control.page(generation), entry.page(), is_reported(control));
        for index in 0..WORDS {
            let keep = index >= CODES || !reported;
            let value = if keep { old.word(index).load(Ordering::Relaxed) } else { 0 };
            new.word(index).store(value, Ordering::Relaxed);
        }
        reported_with(control, entry.generation).store(0, Ordering::Relaxed);
        entry
    }

    fn page(&self) -> &'a LedgerPage {
        self.control.page(self.generation)
    }

    /// Adds `count` records of this code.
    pub(crate) fn add(&self, code: EventCode, count: u64) {
        let counter = self.page().word(counter_index(code));
        let sum = counter.load(Ordering::Relaxed).wrapping_add(count);
        counter.store(sum, Ordering::Relaxed);
    }

    /// The first `bytes` of the chunk in `slot` are among the losses, as far as no file has them.
    pub(crate) fn mark(&self, slot: usize, chunk: u64, bytes: u64) {
        self.page().word(mark_of(slot)).store(chunk, Ordering::Relaxed);
        self.page().word(mark_of(slot) + 1).store(bytes, Ordering::Relaxed);
    }

    /// Makes it valid.
    pub(crate) fn commit(self) {
        self.control.word(control::LEDGER).store(self.generation, Ordering::Release);
    }
}

fn reported_with(control: &Control, generation: u64) -> &AtomicU64 {
    let [first, second] = control::REPORTED_WITH;
    control.word(if generation & 1 == 0 { first } else { second })
}

fn valid(control: &Control) -> u64 {
    control.word(control::LEDGER).load(Ordering::Relaxed)
}

/// Returns true if the counted losses were reported by the first records of a chunk that has been reached.
fn is_reported(control: &Control) -> bool {
    let chunk = reported_with(control, valid(control)).load(Ordering::Relaxed);
    chunk != 0 && control.active_chunk() >= chunk
}

/// Bytes of the chunk in `slot` that are counted as lost.
pub(crate) fn lost_up_to(control: &Control, slot: usize) -> u64 {
    let page = control.page(valid(control));
    let chunk = page.word(mark_of(slot)).load(Ordering::Relaxed);
    let bytes = page.word(mark_of(slot) + 1).load(Ordering::Relaxed);
    if chunk == control.chunk(slot).load(Ordering::Relaxed) { bytes } else { 0 }
}

/// The losses that are counted and not reported.
pub(crate) fn unreported(control: &Control) -> impl Iterator<Item = (EventCode, u64)> {
    let codes = if is_reported(control) { 0 } else { CODES };
    let page = control.page(valid(control));
    let count = |index: usize| (code_at(index), page.word(index).load(Ordering::Relaxed));
    (0..codes).map(count).filter(|(_, count)| *count > 0)
}

/// Notes that the first records of `chunk` will report the counted losses, which no longer count once the cursor has
/// reached it. With 0: no chunk reports them.
pub(crate) fn report_with(control: &Control, chunk: u64) {
    reported_with(control, valid(control)).store(chunk, Ordering::Release);
}

/// Notes that no chunk reports the counted losses, if the one that was begun for it was never reached.
pub(crate) fn retract_report(control: &Control) {
    if reported_with(control, valid(control)).load(Ordering::Relaxed) != 0 && !is_reported(control)
    {
        report_with(control, 0);
    }
}

/// Prepares the ledger for another owner's chunks: losses that are not reported stay, marks are cleared.
pub(crate) fn settle(control: &Control) {
    let entry = Entry::open(control);
    entry.mark(0, 0, 0);
    entry.mark(1, 0, 0);
    entry.commit();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::block::Block;
    use ompttrace_recording::events::{Flush, Scope, ThreadEnd};
    use ompttrace_recording::{ledger, pool};

    const FLUSH: EventCode = EventCode::new(Flush::NUMBER, Scope::None);
    const END: EventCode = EventCode::new(ThreadEnd::NUMBER, Scope::None);

    fn commit(block: &Block, code: EventCode, count: u64, bytes: u64) {
        let entry = Entry::open(&block.control);
        entry.add(code, count);
        entry.mark(0, 1, bytes);
        entry.commit();
    }

    /// The losses that a reader of the dead process finds on the page.
    fn read(block: &Block) -> Vec<(EventCode, u64)> {
        ledger::unreported(&block.control.left(), pool::DEFAULT_SLOT)
    }

    fn ours(block: &Block) -> Vec<(EventCode, u64)> {
        unreported(&block.control).collect()
    }

    #[test]
    fn losses_add_up_until_they_are_reported() {
        let block = Block::empty();
        let control = &block.control;
        control.chunk(0).store(1, Ordering::Relaxed);
        commit(&block, FLUSH, 3, 48);
        commit(&block, END, 1, 64);
        assert_eq!(ours(&block), [(END, 1), (FLUSH, 3)]);
        assert_eq!((ours(&block), lost_up_to(control, 0)), (read(&block), 64));
        report_with(control, 2);
        assert_eq!((ours(&block).len(), ours(&block)), (2, read(&block)));
        control.chunk(0).store(2, Ordering::Relaxed);
        assert!(ours(&block).is_empty() && read(&block).is_empty());
        assert_eq!(lost_up_to(control, 0), 0, "a mark of an older chunk");
        commit(&block, FLUSH, 1, 8);
        assert_eq!((ours(&block), read(&block)), (vec![(FLUSH, 1)], vec![(FLUSH, 1)]));
        report_with(control, 3);
        control.chunk(0).store(3, Ordering::Relaxed);
        commit(&block, END, 1, 8);
        let again = vec![(END, 1)];
        assert_eq!(
            (ours(&block), read(&block)),
            (again.clone(), again),
            "reported as two times before"
        );
    }

    #[test]
    fn a_chunk_that_was_never_reached_reports_nothing() {
        let block = Block::empty();
        block.control.chunk(0).store(1, Ordering::Relaxed);
        commit(&block, FLUSH, 3, 48);
        report_with(&block.control, 2);
        retract_report(&block.control);
        block.control.chunk(0).store(3, Ordering::Relaxed);
        assert_eq!((ours(&block), read(&block)), (vec![(FLUSH, 3)], vec![(FLUSH, 3)]));
    }

    #[test]
    fn the_next_owner_has_the_losses_and_not_the_marks() {
        let block = Block::empty();
        block.control.chunk(0).store(1, Ordering::Relaxed);
        commit(&block, FLUSH, 3, 48);
        settle(&block.control);
        assert_eq!((lost_up_to(&block.control, 0), ours(&block)), (0, vec![(FLUSH, 3)]));
        assert_eq!(ours(&block), read(&block));
    }

    #[test]
    fn what_is_not_committed_is_not_lost() {
        let block = Block::empty();
        commit(&block, FLUSH, 3, 48);
        let entry = Entry::open(&block.control);
        entry.add(END, 9);
        assert_eq!((ours(&block), read(&block)), (vec![(FLUSH, 3)], vec![(FLUSH, 3)]));
        commit(&block, FLUSH, 1, 48);
        assert_eq!(ours(&block), [(FLUSH, 4)]);
    }
}
