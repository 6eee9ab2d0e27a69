//! Table of the mutexes that are owned now and their owners, because OMPT does not report whether a thread has to wait
//! for one. The table has no locks and a fixed size, and a signal handler may interrupt its use anywhere.
//!
//! A free mutex is claimed by the thread that requests it, has its owner from its acquisition until it is
//! given back, and is in one of the slots of its bucket meanwhile. Claim and hold are reported by callbacks a
//! little before or after what happens to the mutex itself. In between a thread that waits may be taken
//! for one that does not, or the other way round; a thread is never taken for the owner for longer than that.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

/// Mutexes that can be held at a time, if they are spread evenly over their buckets.
const BUCKETS: usize = 256;
/// Slots of a bucket: two cache lines.
const SLOTS: usize = 16;

/// Each slot is 0, or the number of the owning thread shifted left by 48 bits, combined with 48 bits of the mutex.
static TABLE: [[AtomicU64; SLOTS]; BUCKETS] =
    [const { [const { AtomicU64::new(0) }; SLOTS] }; BUCKETS];

/// Number of requests for a mutex that found no free slot in the table; a wait was reported for each of them.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the symbol's name")]
pub static ompttrace_collector_overflows: AtomicU64 = AtomicU64::new(0);

/// The owner of a requested mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// No thread owns it: the caller is about to.
    Nobody,
    /// The calling thread owns it already.
    Caller,
    /// Another thread owns it.
    Another,
    /// The owner is unknown, because the table has no slot for the mutex.
    Unknown,
}

const HOLDER: u32 = 48;
const MUTEX: u64 = (1 << HOLDER) - 1;

/// The entry of a mutex and its owner, and the slots where it can be. What does not fit into 48 bits is no
/// address, and may meet another that looks alike.
fn entry(wait_id: u64, thread: u16) -> (u64, &'static [AtomicU64]) {
    let mutex = (wait_id ^ wait_id >> HOLDER) & MUTEX;
    let hash = mutex.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    let slots = TABLE.get(hash as usize % BUCKETS).map_or(&[][..], |bucket| &bucket[..]);
    (u64::from(thread) << HOLDER | mutex, slots)
}

fn is_same_mutex(one: u64, other: u64) -> bool {
    one & MUTEX == other & MUTEX && one != 0
}

/// `thread` asks for a mutex.
pub(crate) fn claim(wait_id: u64, thread: u16) -> Holder {
    let (mine, slots) = entry(wait_id, thread);
    if let Some(now) =
        slots.iter().map(|slot| slot.load(Relaxed)).find(|now| is_same_mutex(*now, mine))
    {
        return if now == mine { Holder::Caller } else { Holder::Another };
    }
    for slot in slots {
        match slot.compare_exchange(0, mine, Relaxed, Relaxed) {
            Ok(_) => return Holder::Nobody,
            // Somebody was quicker.
            Err(now) if is_same_mutex(now, mine) => return Holder::Another,
            Err(_) => {}
        }
    }
    ompttrace_collector_overflows.fetch_add(1, Relaxed);
    Holder::Unknown
}

/// `thread` has a mutex, whichever thread had it before: that one's release may be reported later.
pub(crate) fn take(wait_id: u64, thread: u16) {
    let (mine, slots) = entry(wait_id, thread);
    for slot in slots {
        let now = slot.load(Relaxed);
        if is_same_mutex(now, mine)
            && (now == mine || slot.compare_exchange(now, mine, Relaxed, Relaxed).is_ok())
        {
            return;
        }
    }
    let _ = slots.iter().find(|slot| slot.compare_exchange(0, mine, Relaxed, Relaxed).is_ok());
}

/// `thread` has given a mutex back.
pub(crate) fn release(wait_id: u64, thread: u16) {
    let (mine, slots) = entry(wait_id, thread);
    for slot in slots {
        if slot.load(Relaxed) == mine {
            let _ = slot.compare_exchange(mine, 0, Relaxed, Relaxed);
        }
    }
}

/// Only `thread` is left, in a forked child: what others held is nobody's.
pub(crate) fn keep_only(thread: u16) {
    for slot in TABLE.iter().flatten() {
        if slot.load(Relaxed) >> HOLDER != u64::from(thread) {
            slot.store(0, Relaxed);
        }
    }
}
