//! A thread's block: its words, and the limits up to which records may begin.
//!
//! A block is the end of a private page (limit, id counter; wiped in a forked child) and the begin of the
//! pool's control page right after it (cursor, chunk numbers; readable after a kill), 4 KiB of each
//! whatever a page is. The distance is constant, so the thread-local pointer serves both.

use crate::blocks::phases::OpenPhases;
use crate::host::primitives::Plain;
use crate::host::sync::{AtomicU32, AtomicU64, Lock, Ordering};
use ompttrace_recording::events::MAX_WORDS;
use ompttrace_recording::{Id, fragment, ledger, pool};

/// First word of a block that belongs to a thread of this process.
pub(crate) const IN_USE: u64 = pool::MAGIC;

/// Bytes that stay free after the limit: room for the largest record of a callback that found
/// the cursor just below it.
const SLACK: u64 = 8 * MAX_WORDS as u64;

/// Bytes after the limit that a full slot has left for the event that found it full, and for those of
/// signal handlers that come while its owner writes.
const RESERVE: u64 = 3 * SLACK;

/// Bytes of a slot that stay empty, so that its fragment fills an area of the slot's size.
const AROUND: u64 = fragment::AROUND as u64;

/// Bytes of the largest record of ours that is put in front of an event: thread_info.
const LARGEST_OF_OURS: u64 = 32;

/// Bytes of a slot; the same for all threads.
static SLOT_BYTES: AtomicU64 = AtomicU64::new(pool::DEFAULT_SLOT as u64);

pub(crate) fn set_slot_bytes(bytes: usize) {
    SLOT_BYTES.store(bytes as u64, Ordering::Relaxed);
}

pub(crate) fn slot_bytes() -> u64 {
    SLOT_BYTES.load(Ordering::Relaxed)
}

/// Words about a thread that only this process needs: the last 4 KiB of the block's private page.
#[repr(C, align(4096))]
pub(crate) struct Private {
    /// Records may begin below this address; 0 sends every event to the slow path.
    pub(crate) end: AtomicU64,
    /// [`ompttrace_recording::Id::thread_part`] of the thread.
    pub(crate) thread_part: AtomicU64,
    /// The last id's counter.
    pub(crate) counter: AtomicU32,
    /// Bytes of records after which the further streams look at the thread again; `u32::MAX`: they do not.
    pub(crate) reach: AtomicU32,
    /// The code address of the last task that was created here, and the part of such a task's id besides its counter.
    pub(crate) task_site: AtomicU64,
    pub(crate) task_part: AtomicU64,
    /// The task that was last seen to create tasks by a construct whose address its runtime does not report, and that
    /// address.
    pub(crate) creator: AtomicU64,
    pub(crate) creates_at: AtomicU64,
    /// Ticks at which the last drain began whose duration is not in the recording yet.
    pub(crate) wait_since: AtomicU64,
    /// Duration of that drain in ticks; 0: there is none.
    pub(crate) wait_ticks: AtomicU64,
    /// Ticks of the last record that came during an event and may be later than it: a handler's, or one at the head
    /// of a chunk. The event's records from then on are not earlier.
    pub(crate) latest: AtomicU64,
    /// Ticks of the event before which the thread is asked for its tasks.
    pub(crate) asked_before: AtomicU64,
    /// 1 while the owner holds the block's lock to make space; otherwise 0.
    pub(crate) makes_space: AtomicU64,
    /// 1 if a signal handler's event was seen to interrupt work for the block, whose fast path then stays disabled;
    /// otherwise 0.
    pub(crate) handled: AtomicU64,
    /// The tenure of its lock in which the thread last changed slots without the lock.
    pub(crate) switched_in: AtomicU64,
    /// [`IN_USE`], or 0 in the dummy and in a forked child.
    pub(crate) magic: AtomicU64,
    /// The block's index in the pool.
    pub(crate) index: AtomicU32,
    /// The next free block's index plus one, while this one is free.
    pub(crate) next_free: AtomicU32,
    /// Nanoseconds that the owner spent writing its slots.
    pub(crate) writing: AtomicU64,
    /// The id that [`crate::keep`] keeps.
    pub(crate) kept: AtomicU64,
    /// The region of the kept id, the size of its team and the thread's number in it, and the task to which they
    /// belong ([`crate::keep_team`]).
    pub(crate) kept_team: [AtomicU64; 3],
    /// The id of the task that [`crate::leave`] keeps.
    pub(crate) left: AtomicU64,
    /// The resume at which the thread was last asked for its tasks ([`crate::registry::resumed`]).
    pub(crate) asked_at: AtomicU64,
    /// Address of the records that may still grow, and the cursor after them: they grow no more once the cursor has
    /// moved on ([`crate::blocks::growing`]).
    pub(crate) grows_at: AtomicU64,
    pub(crate) grows_to: AtomicU64,
    /// The phases of the program that are open on the thread.
    pub(crate) phases: OpenPhases,
    /// Words of the further streams about the thread, in a layout of theirs. Only one thread uses them, apart from
    /// rare uses by others, so the concurrency models leave them out.
    pub(crate) streams: [Plain; STREAM_WORDS],
}

/// Number of words of [`Private::streams`]: the rest of the page.
pub(crate) const STREAM_WORDS: usize = 431;

/// The pool's control page: words by index of [`pool::control`], then words of this process.
#[repr(C, align(4096))]
pub(crate) struct Control {
    words: [AtomicU64; pool::control::WORDS],
    /// The losses of the thread: their numbers, and the bytes that are lost.
    ledger: [LedgerPage; 2],
    /// Guards the positions up to which the slots are flushed.
    pub(crate) lock: Lock,
    /// Bytes of slot 0 and 1 that are in a file.
    pub(crate) flushed: [AtomicU64; 2],
}

/// A page of the ledger: counters and marks. Only the lock's holder reads it, and a reader when the
/// process is dead.
#[repr(transparent)]
pub(crate) struct LedgerPage(pub(crate) [Plain; ledger::WORDS]);

impl LedgerPage {
    pub(crate) const fn new() -> LedgerPage {
        LedgerPage([const { Plain::new(0) }; ledger::WORDS])
    }

    pub(crate) fn word(&self, index: usize) -> &Plain {
        #[allow(clippy::indexing_slicing, reason = "the remainder is below the length")]
        &self.0[index % ledger::WORDS]
    }
}

impl Control {
    /// Offset of the ledger on the control page.
    pub(crate) const LEDGER_AT: usize = std::mem::offset_of!(Control, ledger);
}

/// Private and control page of one thread.
#[repr(C)]
pub(crate) struct Block {
    pub(crate) private: Private,
    pub(crate) control: Control,
}

impl Control {
    /// A word of [`pool::control`].
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "indices are constants of pool::control")]
    pub(crate) fn word(&self, index: usize) -> &AtomicU64 {
        &self.words[index]
    }

    #[inline(always)]
    pub(crate) fn cursor(&self) -> &AtomicU64 {
        self.word(pool::control::CURSOR)
    }

    /// Address of a slot.
    pub(crate) fn slot_at(&self, slot: usize) -> u64 {
        self.word(pool::control::SLOTS_AT).load(Ordering::Relaxed) + slot as u64 * slot_bytes()
    }

    /// The number of the chunk in a slot.
    pub(crate) fn chunk(&self, slot: usize) -> &AtomicU64 {
        let [first, second] = pool::control::CHUNK;
        self.word(if slot == 0 { first } else { second })
    }

    /// The number of the chunk in which the cursor lies.
    pub(crate) fn active_chunk(&self) -> u64 {
        let slot = self.slot_of(self.cursor().load(Ordering::Relaxed));
        self.chunk(slot).load(Ordering::Relaxed)
    }

    /// The ledger's page for this generation.
    pub(crate) fn page(&self, generation: u64) -> &LedgerPage {
        let [even, odd] = &self.ledger;
        if generation & 1 == 0 { even } else { odd }
    }

    /// All words that a reader of the pool uses, as they are.
    #[cfg(test)]
    pub(crate) fn left(&self) -> [u64; pool::control::ALL] {
        let words = self.words.iter().map(|word| word.load(Ordering::Relaxed));
        let pages = self.ledger.iter().flat_map(|page| &page.0);
        let mut all = words.chain(pages.map(|word| word.load(Ordering::Relaxed)));
        std::array::from_fn(|_| all.next().unwrap_or(0))
    }

    /// The slot in which `cursor` lies.
    pub(crate) fn slot_of(&self, cursor: u64) -> usize {
        usize::from(cursor >= self.slot_at(1))
    }
}

impl Block {
    /// A block without space or owner.
    pub(crate) const fn empty() -> Block {
        #[allow(clippy::declare_interior_mutable_const, reason = "a value to repeat, not a static")]
        const ZERO: AtomicU64 = AtomicU64::new(0);
        Block {
            private: Private {
                end: ZERO,
                thread_part: ZERO,
                counter: AtomicU32::new(0),
                reach: AtomicU32::new(0),
                task_site: ZERO,
                task_part: ZERO,
                creator: ZERO,
                creates_at: ZERO,
                wait_since: ZERO,
                wait_ticks: ZERO,
                latest: ZERO,
                asked_before: ZERO,
                makes_space: ZERO,
                handled: ZERO,
                switched_in: ZERO,
                magic: ZERO,
                index: AtomicU32::new(0),
                next_free: AtomicU32::new(0),
                writing: ZERO,
                kept: ZERO,
                kept_team: [ZERO; 3],
                left: ZERO,
                asked_at: ZERO,
                grows_at: ZERO,
                grows_to: ZERO,
                phases: OpenPhases::new(),
                streams: [const { Plain::new(0) }; STREAM_WORDS],
            },
            control: Control {
                words: [ZERO; _],
                ledger: [const { LedgerPage::new() }; 2],
                lock: Lock::new(),
                flushed: [ZERO; 2],
            },
        }
    }

    /// Bytes of a slot in which records may begin.
    pub(crate) fn usable(&self) -> u64 {
        self.limit(0) - self.control.slot_at(0)
    }

    /// Returns true if there is room at `cursor`, also after `records` small records of the tool were put in front.
    pub(crate) fn has_room(&self, cursor: u64, records: u64) -> bool {
        cursor + records * LARGEST_OF_OURS < self.limit(self.control.slot_of(cursor))
    }

    /// Returns true if the event that found no room at `cursor` may use the reserve.
    pub(crate) fn has_reserve(&self, cursor: u64) -> bool {
        cursor < self.limit(self.control.slot_of(cursor)) + SLACK
    }

    /// Returns true if an event of a signal handler that interrupted the owner's writing may use the reserve.
    pub(crate) fn has_reserve_for_handlers(&self, cursor: u64) -> bool {
        cursor < self.limit(self.control.slot_of(cursor)) + RESERVE
    }

    /// Returns true if handlers that interrupt work at `cursor` find as much room there as in a full slot, and leave
    /// the reserve untouched.
    pub(crate) fn has_room_for_handlers(&self, cursor: u64) -> bool {
        cursor + RESERVE < self.limit(self.control.slot_of(cursor))
    }

    /// Returns true if a thread owns the block.
    pub(crate) fn is_owned(&self) -> bool {
        self.control.word(pool::control::MAGIC).load(Ordering::Acquire) == IN_USE
    }

    /// The limit for a cursor in `slot`.
    pub(crate) fn limit(&self, slot: usize) -> u64 {
        self.control.slot_at(slot) + slot_bytes() - SLACK - RESERVE - AROUND
    }

    /// Remembers `address`, whose number is `site`, as that of the last task.
    pub(crate) fn set_task_site(&self, address: u64, site: u64) {
        let thread = self.private.thread_part.load(Ordering::Relaxed);
        self.private.task_part.store(Id::fresh_task(thread, 0, site).0, Ordering::Relaxed);
        self.private.task_site.store(address, Ordering::Relaxed);
    }

    /// Forgets the last task's address if it lies in `start..end`. Another thread than its own may do so: that one
    /// then looks the number up again.
    pub(crate) fn forget_task_site(&self, start: u64, end: u64) {
        let task_site = &self.private.task_site;
        if (start..end).contains(&task_site.load(Ordering::Relaxed)) {
            task_site.store(0, Ordering::Relaxed);
        }
    }

    /// The counter of the next id that is made here.
    pub(crate) fn next_counter(&self) -> u64 {
        self.private.counter.load(Ordering::Relaxed).wrapping_add(1).into()
    }
}
