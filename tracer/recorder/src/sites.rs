//! The table of code sites: code addresses that ids carry a 12-bit number of.
//!
//! A site's number is its place in an open hash table, so that the fast path is one multiplication,
//! one load and one compare. A new address gets its place, and its `code_site` record, in the cold.

use crate::state::{State, state};
use crate::sync::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{CodeSite, Scope};
use ompttrace_recording::id::SITES;

/// Addresses that share a hash are looked for in this many places.
const PROBES: usize = 32;

static TABLE: [AtomicU64; SITES] = [const { AtomicU64::new(0) }; SITES];

#[inline(always)]
fn first_place(address: u64) -> usize {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

#[inline(always)]
fn at(place: usize) -> &'static AtomicU64 {
    #[allow(clippy::indexing_slicing, reason = "the remainder is below the length")]
    &TABLE[place % SITES]
}

/// Places in which the fast path looks for an address.
const NEAR: usize = 4;

/// The number of a code address if it stands near its first place; `None`: it gets one, or is found,
/// in the cold. The null address has number 0.
#[inline(always)]
pub fn site_of(address: u64) -> Option<u64> {
    if address == 0 {
        return Some(0);
    }
    let first = first_place(address);
    (0..NEAR)
        .map(|probe| (first + probe) % SITES)
        .find(|place| at(*place).load(Ordering::Relaxed) == address)
        .map(|place| place as u64)
}

/// The number of a code address, which gets one if it has none; 0 when there is no place.
///
/// Writes a `code_site` record of time `ticks` into the calling thread's chunk for a new address.
pub(crate) fn add(address: u64, ticks: u64) -> u64 {
    if address == 0 {
        return 0;
    }
    for probe in 0..PROBES {
        let place = (first_place(address) + probe) % SITES;
        if place == 0 {
            continue;
        }
        match at(place).compare_exchange(0, address, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => {
                if state() == State::Paused {
                    UNTOLD.store(true, Ordering::Relaxed);
                } else {
                    tell(address, place as u64, ticks);
                    announce(address);
                }
                return place as u64;
            }
            Err(other) if other == address => return place as u64,
            Err(_) => {}
        }
    }
    0
}

/// Whether a site appeared while nothing was recorded, or its record had to be given up.
static UNTOLD: AtomicBool = AtomicBool::new(false);

/// Writes the records of all sites again: a forked child's recording starts with an old table.
pub(crate) fn tell_all(ticks: u64) {
    for (place, address) in TABLE.iter().enumerate() {
        let address = address.load(Ordering::Relaxed);
        if address != 0 {
            tell(address, place as u64, ticks);
        }
    }
}

/// A record of a site is no more.
pub(crate) fn set_untold() {
    UNTOLD.store(true, Ordering::Relaxed);
}

/// Writes the records of all sites again if some are not told.
pub(crate) fn tell_untold(ticks: u64) {
    if UNTOLD.swap(false, Ordering::Relaxed) {
        tell_all(ticks);
    }
}

/// What else wants to know of a new code address: called in a callback, so without allocation.
static NEW_SITE: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Says who is told of each code address that gets a number.
pub fn set_new_site_hook(hook: fn(u64)) {
    NEW_SITE.store(hook as *mut (), Ordering::Release);
}

pub(crate) fn announce(address: u64) {
    let hook = NEW_SITE.load(Ordering::Acquire);
    if !hook.is_null() {
        // SAFETY: the only value ever stored is a `fn(u64)`, by `set_new_site_hook`.
        let hook: fn(u64) = unsafe { std::mem::transmute(hook) };
        hook(address);
    }
}

fn tell(address: u64, site: u64, ticks: u64) {
    let record = CodeSite { code: address, kind: 0, site };
    let code = EventCode::new(CodeSite::NUMBER, Scope::None);
    if !crate::slow::put_at(ticks, code, record.words()) {
        set_untold();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_number_and_null_has_none() {
        assert_eq!(add(0, 1), 0);
        let numbers: Vec<_> = (1..500u64).map(|n| add(0x40_0000 + 16 * n, 1)).collect();
        assert!(numbers.iter().all(|n| *n != 0 && *n < SITES as u64));
        for (n, number) in (1..500u64).zip(&numbers) {
            assert_eq!(add(0x40_0000 + 16 * n, 1), *number);
        }
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), numbers.len());
    }
}
