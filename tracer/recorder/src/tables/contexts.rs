//! Call stacks as a tree that is recorded once: each frame with its caller has a number.
//!
//! The number is the frame's index in an open hash table, by a hash of its address and of all its
//! callers'. A stack that was seen before costs a look for each of its frames; a new frame gets its
//! index, and its `call_frame` record, in cold code. Code of another module at the same address is another frame
//! ([`unmapped`]).

use crate::host::own_page::OnceNeeded;
use crate::host::sync::{AtomicBool, AtomicU64, Ordering};
use crate::tables::modules::module_of;
use crate::tables::unmapped;
use ompttrace_recording::events::CallFrame;

/// Slots, of which number 0 stays free.
const FRAMES: usize = 1 << 15;
/// Frames that share a hash are searched in this many slots.
const PROBES: usize = 64;

/// A frame: its hash, 0 while the slot is free; its address, which of several codes at it, and its caller, stored
/// just after the hash.
struct Slot<'t> {
    hash: &'t AtomicU64,
    address: &'t AtomicU64,
    variant: &'t AtomicU64,
    caller: &'t AtomicU64,
}

/// Words of a slot.
const WORDS: usize = 4;

/// A frame to look for.
#[derive(Clone, Copy)]
struct WantedFrame {
    hash: u64,
    address: u64,
    variant: u64,
    caller: u64,
}

/// A megabyte, where call stacks are recorded.
static TABLE: OnceNeeded<[AtomicU64; WORDS * FRAMES]> = OnceNeeded::new();

impl<'t> Slot<'t> {
    fn of(words: &'t [AtomicU64]) -> Option<Slot<'t>> {
        match words {
            [hash, address, variant, caller] => Some(Slot { hash, address, variant, caller }),
            _ => None,
        }
    }
}

/// True if a frame appeared while nothing was recorded, or its record had to be discarded.
static UNREPORTED: AtomicBool = AtomicBool::new(false);

/// The number of the innermost of `frames`; `None` if there is no slot for one of them.
/// A frame that is new gets a record, which `put` stores if it can.
pub(crate) fn number(frames: &[u64], put: impl Fn(CallFrame) -> bool) -> Option<u64> {
    let (mut caller, mut hash) = (0, 0);
    for &address in frames {
        let variant = unmapped::variant(address);
        hash = mix(hash ^ address ^ variant);
        caller = find(&WantedFrame { hash, address, variant, caller }, &put)?;
    }
    Some(caller)
}

/// Different inputs give different outputs, none of them 0.
fn mix(value: u64) -> u64 {
    let product = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product ^ (product >> 29)).max(1)
}

fn find(frame: &WantedFrame, put: impl Fn(CallFrame) -> bool) -> Option<u64> {
    let WantedFrame { hash, address, variant, caller } = *frame;
    let table = TABLE.get()?;
    let first = (hash >> 40) as usize;
    for number in (first..first + PROBES).map(|slot| slot % FRAMES).filter(|slot| *slot != 0) {
        let slot = Slot::of(table.get(WORDS * number..WORDS * (number + 1))?)?;
        let found = match slot.hash.load(Ordering::Relaxed) {
            0 => slot.hash.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed),
            other => Err(other),
        };
        match found {
            Ok(_) => {
                slot.caller.store(caller, Ordering::Relaxed);
                slot.variant.store(variant, Ordering::Relaxed);
                slot.address.store(address, Ordering::Release);
                // Its module is looked at before its record is written, which has the time that counts.
                module_of(address);
                report(number as u64, &slot, put);
                return Some(number as u64);
            }
            Err(other) if other == hash => return Some(number as u64),
            Err(_) => {}
        }
    }
    None
}

/// Writes the records of all frames again: a forked child's recording starts with an old table. Readers go by the
/// time of a record, so those of code that is gone are left out.
pub(crate) fn report_all(put: impl Fn(CallFrame) -> bool) {
    let slots = TABLE.taken().into_iter().flat_map(|table| table.chunks_exact(WORDS));
    for (number, slot) in (0..).zip(slots.filter_map(Slot::of)) {
        let address = slot.address.load(Ordering::Acquire);
        if address != 0 && slot.variant.load(Ordering::Relaxed) == unmapped::variant(address) {
            report(number, &slot, &put);
        }
    }
}

/// A record of a frame is no more.
pub(crate) fn set_unreported() {
    UNREPORTED.store(true, Ordering::Relaxed);
}

/// Writes the records of all frames again if some are not reported.
pub(crate) fn report_unreported(put: impl Fn(CallFrame) -> bool) {
    if UNREPORTED.swap(false, Ordering::Relaxed) {
        report_all(put);
    }
}

fn report(node: u64, slot: &Slot<'_>, put: impl FnOnce(CallFrame) -> bool) {
    let code = slot.address.load(Ordering::Acquire);
    let caller = slot.caller.load(Ordering::Relaxed);
    if !put(CallFrame { code, kind: 0, node, caller }) {
        set_unreported();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table is one for the process: it is filled where nobody else needs it any more.
    #[test]
    fn a_stack_keeps_its_number_until_there_are_no_more() {
        a_stack_keeps_its_number_and_another_has_another();
        a_full_table_gives_no_number();
    }

    fn a_stack_keeps_its_number_and_another_has_another() {
        let one = number(&[0x1000, 0x2000, 0x3000], |_| true).expect("a number");
        assert_eq!(number(&[0x1000, 0x2000, 0x3000], |_| true), Some(one));
        let others = [&[0x1000, 0x2000][..], &[0x2000, 0x1000, 0x3000], &[0x3000], &[]];
        let mut numbers: Vec<_> =
            others.iter().filter_map(|stack| number(stack, |_| true)).collect();
        numbers.push(one);
        let reported = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!((reported, numbers.len(), numbers.first()), (5, 5, Some(&0)));
    }

    fn a_full_table_gives_no_number() {
        let found = (0..).take(4 * FRAMES).map(|n| number(&[0x70_0000 + 16 * n], |_| true));
        assert!(found.filter(Option::is_some).count() < FRAMES);
    }
}
