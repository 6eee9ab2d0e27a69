//! Replaces `src/blocks/record_slot.rs`: the words of slots as cells that report when two threads touch one
//! without order between them.

use crate::{pool, primitives};
use loom::cell::UnsafeCell;
use ompttrace_recording::EventCode;
use ompttrace_recording::words::{self as shapes, Store};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// A word of a slot, and what it was last, to be read when all threads are dead.
struct Word {
    cell: UnsafeCell<u64>,
    last: Cell<u64>,
}

thread_local! {
    static WORDS: RefCell<HashMap<u64, Rc<Word>>> = RefCell::new(HashMap::new());
}

/// Begins an execution: all slots are there and empty.
pub(crate) fn begin() {
    let word = || Rc::new(Word { cell: UnsafeCell::new(0), last: Cell::new(0) });
    let all = pool::slot_words().map(|address| (address, word())).collect();
    WORDS.set(all);
}

fn at(address: u64) -> Rc<Word> {
    let found = WORDS.with_borrow(|words| words.get(&address).cloned());
    found.unwrap_or_else(|| panic!("{address:#x} is in no slot"))
}

fn set(address: u64, value: u64) {
    let word = at(address);
    // SAFETY: the cell checks that nothing else is at it.
    word.cell.with_mut(|cell| unsafe { *cell = value });
    word.last.set(value);
    primitives::stored();
}

/// As in `src/blocks/record_slot.rs`.
pub(crate) struct RecordSlot(u64);

impl RecordSlot {
    pub(crate) fn at(cursor: u64) -> RecordSlot {
        RecordSlot(cursor)
    }

    pub(crate) fn ticks(&mut self, ticks: u64) {
        set(self.0, ticks);
    }

    pub(crate) fn code(&mut self, code: EventCode) {
        let ticks = at(self.0).last.get();
        set(self.0, shapes::header(ticks, code.0));
    }
}

impl Store for RecordSlot {
    fn word(&mut self, index: usize, value: u64) {
        set(self.0 + 8 * (1 + index as u64), value);
    }

    fn halves(&mut self, index: usize, low: u64, high: u64) {
        self.word(index, shapes::Halves::pack(low, high));
    }

    fn at(&mut self, index: usize, code: u64, kind: u64) {
        self.word(index, shapes::At::pack(code, kind));
    }
}

/// As in `src/blocks/record_slot.rs`.
///
/// # Safety
/// None needed: the cells check.
pub(crate) unsafe fn load(address: u64) -> u64 {
    read(address, 1)[0]
}

/// As in `src/blocks/record_slot.rs`.
///
/// # Safety
/// None needed: the cells check.
pub(crate) unsafe fn change(address: u64, value: u64) {
    set(address, value);
}

/// Reads words as a thread of the model does.
pub(crate) fn read(address: u64, count: u64) -> Vec<u64> {
    // SAFETY: the cell checks that nothing else writes it.
    let one = |n| at(address + 8 * n).cell.with(|cell| unsafe { *cell });
    (0..count).map(one).collect()
}

/// The last values of words, as a kill leaves them.
pub(crate) fn left(address: u64, count: u64) -> Vec<u64> {
    (0..count).map(|n| at(address + 8 * n).last.get()).collect()
}

/// As in `src/blocks/record_slot.rs`.
///
/// # Safety
/// None needed: the words are copied, and stay.
pub(crate) unsafe fn words<'a>(address: u64, count: u64) -> &'a [u64] {
    read(address, count).leak()
}
