//! The table of code sites: code addresses, each with a 12-bit number that ids carry.
//!
//! A site's number is its index in an open hash table, so that the fast path is one multiplication,
//! one load and one compare. A new address gets its slot, and its `code_site` record, in cold code.

use crate::blocks::block::IN_USE;
use crate::blocks::state::{State, state};
use crate::blocks::tls;
use crate::host::sync::{AtomicBool, AtomicU64, Ordering};
use crate::registry::recorder::{self, Recorder};
use crate::tables::modules::module_of;
use crate::tables::unmapped;
use ompttrace_recording::events::CodeSite;
use ompttrace_recording::id::SITES;

/// Addresses that share a hash are searched in this many slots.
const PROBES: usize = 32;

static TABLE: [AtomicU64; SITES] = [const { AtomicU64::new(0) }; SITES];

#[inline(always)]
fn first_slot(address: u64) -> usize {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

#[inline(always)]
fn at(slot: usize) -> &'static AtomicU64 {
    #[allow(clippy::indexing_slicing, reason = "the remainder is below the length")]
    &TABLE[slot % SITES]
}

/// Slots in which the fast path searches for an address.
const NEAR: usize = 4;

/// The number of a code address if it is near its first slot; `None`: it gets one, or is found, in cold code. The
/// null address has number 0.
#[inline(always)]
pub fn site_of(address: u64) -> Option<u64> {
    if address == 0 {
        return Some(0);
    }
    let first = first_slot(address);
    (0..NEAR)
        .map(|probe| (first + probe) % SITES)
        .find(|slot| at(*slot).load(Ordering::Relaxed) == address)
        .map(|slot| slot as u64)
}

/// The number of a code address, which gets one if it has none; 0 if there is no free slot.
///
/// A new address gets a record, which `put` stores if it can.
pub(crate) fn add(address: u64, put: impl FnOnce(CodeSite) -> bool) -> u64 {
    if address == 0 {
        return 0;
    }
    if let Some(slot) = slots(address).find(|slot| at(*slot).load(Ordering::Relaxed) == address) {
        return slot as u64;
    }
    let module = if state() == State::Ended { 0 } else { module_of(address) };
    let found = slots(address)
        .find(|slot| is_again(*slot, address, module))
        .or_else(|| slots(address).find(|slot| claims(*slot, address, module)));
    let Some(slot) = found else { return 0 };
    if state() == State::Paused {
        UNREPORTED.store(true, Ordering::Relaxed);
    } else {
        report(address, slot as u64, put);
    }
    slot as u64
}

/// The code address that has a number; 0: none, or its module is gone.
pub fn address_of(site: usize) -> u64 {
    let address = at(site).load(Ordering::Relaxed);
    if site == 0 || address & RETIRED != 0 { 0 } else { address }
}

/// All slots in which an address may be.
fn slots(address: u64) -> impl Iterator<Item = usize> {
    let first = first_slot(address);
    (first..first + PROBES).map(|slot| slot % SITES).filter(|slot| *slot != 0)
}

/// Set in the address of code that was unmapped: its number stays its own, because ids have it, and nobody finds
/// it any more before the same module is mapped there again.
const RETIRED: u64 = 1 << 63;

/// The module's number that [`module_of`] returned for each address.
static MODULES: [AtomicU64; SITES] = [const { AtomicU64::new(0) }; SITES];

/// Returns true if a slot has an address, or had it while the same module was mapped there: then it has it again.
fn is_again(slot: usize, address: u64, module: u64) -> bool {
    let word = at(slot);
    let is_same = || owner(slot).load(Ordering::Relaxed) == module;
    match word.load(Ordering::Relaxed) {
        known if known == address => true,
        left if left == address | RETIRED && is_same() => {
            let again = word.compare_exchange(left, address, Ordering::Relaxed, Ordering::Relaxed);
            again.is_ok() || again == Err(address)
        }
        _ => false,
    }
}

/// Returns true if a free slot was claimed for the address, or another thread claimed it for the same address.
fn claims(slot: usize, address: u64, module: u64) -> bool {
    match at(slot).compare_exchange(0, address, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => {
            owner(slot).store(module, Ordering::Relaxed);
            true
        }
        Err(other) => other == address,
    }
}

fn owner(slot: usize) -> &'static AtomicU64 {
    #[allow(clippy::indexing_slicing, reason = "the remainder is below the length")]
    &MODULES[slot % SITES]
}

/// Notes that the code in `start..end`, whose number from `module_of` is `module`, is unmapped, or about to be:
/// code that comes to its addresses later is other code, with other numbers, until the same module is mapped there
/// again.
pub fn code_left(start: u64, end: u64, module: u64) {
    for (slot, word) in TABLE.iter().enumerate() {
        let address = word.load(Ordering::Relaxed);
        if (start..end).contains(&address) {
            owner(slot).store(module, Ordering::Relaxed);
            let retired = address | RETIRED;
            let _ = word.compare_exchange(address, retired, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
    for block in recorder::own().into_iter().flat_map(Recorder::all_blocks) {
        block.forget_task_site(start, end);
    }
    unmapped::left(start, end, module);
}

/// True if a site appeared while nothing was recorded, or its record had to be discarded.
static UNREPORTED: AtomicBool = AtomicBool::new(false);

/// Writes the records of all sites again: a forked child's recording starts with an old table. Readers go by the
/// time of a record, so those of code that is gone are left out.
pub(crate) fn report_all(put: impl Fn(CodeSite) -> bool) {
    for (slot, address) in TABLE.iter().enumerate() {
        let address = address.load(Ordering::Relaxed);
        if address != 0 && address & RETIRED == 0 {
            // A child's first code came when it had no list of modules yet.
            if owner(slot).load(Ordering::Relaxed) == 0 {
                owner(slot).store(module_of(address), Ordering::Relaxed);
            }
            report(address, slot as u64, &put);
        }
    }
}

/// Notes that a record of a site was discarded.
pub(crate) fn set_unreported() {
    UNREPORTED.store(true, Ordering::Relaxed);
}

/// Writes the records of all sites again if some are not reported.
pub(crate) fn report_unreported(put: impl Fn(CodeSite) -> bool) {
    if UNREPORTED.swap(false, Ordering::Relaxed) {
        report_all(put);
    }
}

/// Remembers the site of `address` as the calling thread's task site, for [`crate::room_for_task`]. Returns false if the address
/// has no number yet or the thread no block: continue in a cold function.
#[inline]
pub fn is_task_site(address: u64) -> bool {
    let block = tls::block();
    let Some(site) = site_of(address) else { return false };
    let known = block.private.magic.load(Ordering::Relaxed) == IN_USE;
    if known {
        block.set_task_site(address, site);
    }
    known
}

fn report(address: u64, site: u64, put: impl FnOnce(CodeSite) -> bool) {
    if !put(CodeSite { code: address, kind: 0, site }) {
        set_unreported();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::modules::set_module_hook;

    #[test]
    fn an_address_keeps_its_number_and_null_has_none() {
        assert_eq!(add(0, |_| true), 0);
        let numbers: Vec<_> = (1..500u64).map(|n| add(0x40_0000 + 16 * n, |_| true)).collect();
        assert!(numbers.iter().all(|n| *n != 0 && *n < SITES as u64));
        for (n, number) in (1..500u64).zip(&numbers) {
            assert_eq!(add(0x40_0000 + 16 * n, |_| true), *number);
        }
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), numbers.len());
    }

    #[test]
    fn code_that_left_keeps_its_number_and_what_comes_after_it_has_another() {
        static MAPPED: AtomicU64 = AtomicU64::new(1);
        set_module_hook(|_| MAPPED.load(Ordering::Relaxed));
        let (start, end) = (0x7f00_0000, 0x7f00_1000);
        let first = add(start + 8, |_| true);
        let (mut second, mut others) = (0, Vec::new());
        for round in 0..3000 {
            code_left(start, end, 1 + round % 2);
            MAPPED.store(2 - round % 2, Ordering::Relaxed);
            assert_eq!(site_of(start + 8), None);
            let number = add(start + 8, |_| true);
            if round == 0 {
                second = number;
            }
            assert_eq!(number, if round % 2 == 0 { second } else { first });
            others.push(add(0x7f10_0000, |_| true));
        }
        others.dedup();
        assert!(second != 0 && second != first && others.len() == 1);
    }
}
