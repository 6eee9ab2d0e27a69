//! Caches of walks: each walk that is under way has one of its own, taken without a lock.

use crate::known::Policy;
use crate::memo::Memos;
use framehop::CacheNative;
use ompttrace_recorder::caught;
use std::sync::atomic::{AtomicPtr, Ordering};

/// framehop's cache of the rules by which frames are unwound from code addresses.
pub(crate) type Rules = CacheNative<Policy>;

/// Memory of walks: rules of unwinding, and earlier walks.
pub(crate) struct Cache {
    pub(crate) rules: Rules,
    pub(crate) memos: Memos,
}

/// Maximum number of caches that are kept; further threads that walk at the same time create their own each time.
const SLOTS: usize = 128;
static FREE: [AtomicPtr<Cache>; SLOTS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; SLOTS];

/// Calls `work` with a cache, which for the same `near` is most often the one of the last call. The creation of a new
/// one takes 4 KiB of stack.
pub(crate) fn with<T>(near: u64, work: impl FnOnce(&mut Cache) -> T) -> Option<T> {
    let first = near as usize % SLOTS;
    let new = || Box::new(Cache { rules: Rules::new_in(), memos: Memos::new() });
    let mut cache = take(first).or_else(|| caught(new))?;
    let result = work(&mut cache);
    give_back(first, cache);
    Some(result)
}

/// Calls `work` with a cache that exists already and is not in use, if there is one: for callers that must not
/// allocate.
pub(crate) fn with_a_free_one<T>(near: u64, work: impl FnOnce(&mut Cache) -> T) -> Option<T> {
    let first = near as usize % SLOTS;
    let mut cache = take(first)?;
    let result = work(&mut cache);
    keep(first, cache);
    Some(result)
}

fn slots(first: usize) -> impl Iterator<Item = &'static AtomicPtr<Cache>> {
    FREE.iter().cycle().skip(first).take(SLOTS)
}

fn take(first: usize) -> Option<Box<Cache>> {
    let taken = slots(first).find_map(|slot| {
        if slot.load(Ordering::Relaxed).is_null() {
            return None;
        }
        let taken = slot.swap(std::ptr::null_mut(), Ordering::Acquire);
        (!taken.is_null()).then_some(taken)
    })?;
    // SAFETY: the pointer came from `Box::into_raw`, and the exchange made it ours alone.
    Some(unsafe { Box::from_raw(taken) })
}

fn give_back(first: usize, cache: Box<Cache>) {
    if let Some(cache) = put_back(first, cache) {
        drop(cache);
    }
}

/// Puts a cache back into the slot from which it was taken; if all slots are in use by now, it stays unused rather
/// than being freed.
fn keep(first: usize, cache: Box<Cache>) {
    std::mem::forget(put_back(first, cache));
}

/// Puts a cache into a free slot; returns it if there is none.
fn put_back(first: usize, cache: Box<Cache>) -> Option<Box<Cache>> {
    let cache = Box::into_raw(cache);
    let kept = slots(first).any(|slot| {
        let null = std::ptr::null_mut();
        slot.compare_exchange(null, cache, Ordering::Release, Ordering::Relaxed).is_ok()
    });
    // SAFETY: made above, and no slot has it.
    (!kept).then(|| unsafe { Box::from_raw(cache) })
}
