//! Names of phases: each is recorded once, and kept for recordings that begin later.
//!
//! A name's number is a hash of its bytes, so the table only says which names are recorded. A name that finds no room in it is
//! recorded each time that it is used.

use crate::host::own_page::OnceNeeded;
use crate::host::sync::{AtomicBool, AtomicU64, Ordering};
use ompttrace_recording::events::PhaseName;
use ompttrace_recording::phases::LONGEST_NAME;

/// Names that are kept, and in how many slots one is searched.
const NAMES: usize = 512;
const PROBES: usize = 8;
/// Words of a slot: the number, 0 while it is free; the state and the length; the bytes.
const TEXT: usize = 2;
const WORDS: usize = TEXT + LONGEST_NAME / 8;

/// Bits of a slot's state: its bytes are there; its name is recorded. The length is above them.
const IS_THERE: u64 = 1;
const IS_RECORDED: u64 = 2;
const LENGTH_SHIFT: u32 = 8;

/// 136 KiB, where phases are marked.
static TABLE: OnceNeeded<[AtomicU64; WORDS * NAMES]> = OnceNeeded::new();

/// The slots in which the name of a number may be.
fn slots(table: &[AtomicU64], number: u64) -> impl Iterator<Item = &[AtomicU64]> {
    let first = number as usize;
    let slots = (first..first.wrapping_add(PROBES)).map(|slot| slot % NAMES);
    slots.filter_map(move |slot| table.get(WORDS * slot..WORDS * (slot + 1)))
}

/// Number and state of a slot.
fn head(slot: &[AtomicU64]) -> Option<(&AtomicU64, &AtomicU64)> {
    Some((slot.first()?, slot.get(1)?))
}

/// True if the name of this number is recorded.
#[inline]
pub(crate) fn is_recorded(number: u64) -> bool {
    let Some(table) = TABLE.taken() else { return false };
    let found = slots(table, number).filter_map(head);
    found
        .take_while(|(known, _)| known.load(Ordering::Relaxed) != 0)
        .find(|(known, _)| known.load(Ordering::Relaxed) == number)
        .is_some_and(|(_, state)| state.load(Ordering::Relaxed) & IS_RECORDED != 0)
}

/// Keeps a name, if there is room for it.
pub(crate) fn keep(number: u64, name: &[u8]) {
    let Some(table) = TABLE.get() else { return };
    for slot in slots(table, number) {
        let Some((known, state)) = head(slot) else { return };
        match known.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => {
                let words = slot.iter().skip(TEXT).zip(name.chunks(8));
                for (word, bytes) in words {
                    let text =
                        bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                    word.store(text, Ordering::Relaxed);
                }
                let length = (name.len().min(LONGEST_NAME) as u64) << LENGTH_SHIFT;
                return state.store(length | IS_THERE, Ordering::Release);
            }
            Err(other) if other == number => return,
            Err(_) => {}
        }
    }
}

/// Records a name, by `put`, which stores a record if it can.
pub(crate) fn record(number: u64, name: &[u8], put: impl Fn(PhaseName) -> bool) {
    if PhaseName::parts(number, name).all(put) {
        set_recorded(number);
    } else {
        set_unreported();
    }
}

fn set_recorded(number: u64) {
    let Some(table) = TABLE.taken() else { return };
    let found = slots(table, number).filter_map(head);
    for (_, state) in found.filter(|(known, _)| known.load(Ordering::Relaxed) == number) {
        // Not before the bytes are there: the thread that stores them would undo it.
        if state.load(Ordering::Acquire) & IS_THERE != 0 {
            state.fetch_or(IS_RECORDED, Ordering::Relaxed);
        }
    }
}

/// True if the record of a name had to be discarded.
static UNREPORTED: AtomicBool = AtomicBool::new(false);

/// Notes that records of names are no more.
pub(crate) fn set_unreported() {
    UNREPORTED.store(true, Ordering::Relaxed);
}

/// Records all names again: a forked child's recording starts with an old table.
pub(crate) fn report_all(put: impl Fn(PhaseName) -> bool) {
    report(0, put);
}

/// Records the names that were only kept, because nothing was recorded.
pub(crate) fn report_kept(put: impl Fn(PhaseName) -> bool) {
    report(IS_RECORDED, put);
}

/// Records names without these bits of their state.
fn report(without: u64, put: impl Fn(PhaseName) -> bool) {
    let slots = TABLE.taken().into_iter().flat_map(|table| table.chunks_exact(WORDS));
    for slot in slots {
        let Some((number, state)) = head(slot) else { return };
        let state = state.load(Ordering::Acquire);
        if state & IS_THERE == 0 || state & without != 0 {
            continue;
        }
        let mut name = [0; LONGEST_NAME];
        for (bytes, word) in name.chunks_mut(8).zip(slot.iter().skip(TEXT)) {
            bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        let length = (state >> LENGTH_SHIFT) as usize;
        record(number.load(Ordering::Relaxed), name.get(..length).unwrap_or_default(), &put);
    }
}

/// Records all names again if some are not reported.
pub(crate) fn report_unreported(put: impl Fn(PhaseName) -> bool) {
    if UNREPORTED.swap(false, Ordering::Relaxed) {
        report_all(put);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::phases::number;
    use std::cell::RefCell;

    #[test]
    fn a_name_is_recorded_once_and_again_in_a_new_recording() {
        let put = RefCell::new(Vec::new());
        let take = |part: PhaseName| {
            put.borrow_mut().push(part);
            true
        };
        for at in 0..600 {
            let name = format!("a phase with number {at}");
            let number = number(name.as_bytes());
            keep(number, name.as_bytes());
            record(number, name.as_bytes(), |_| false);
            assert!(!is_recorded(number));
            record(number, name.as_bytes(), take);
            record(number, name.as_bytes(), take);
        }
        let kept = (0..600).map(|at| number(format!("a phase with number {at}").as_bytes()));
        let kept = kept.filter(|number| is_recorded(*number)).count();
        assert!(kept > 400 && kept <= NAMES, "{kept}");
        put.borrow_mut().clear();
        report_unreported(take);
        report_unreported(take);
        let texts = put.take();
        let first = texts.iter().filter(|part| part.at == 0).count();
        assert_eq!(first, kept);
        assert!(texts.iter().any(|part| part.text().eq(*b"a phase ")));
    }
}
