//! Records that grow: those of a run of equal events, in which the thread's next one is counted in place, as long as no
//! other record has come after them. They are the thread's last, so a killed process has all of the run in the pool.
//!
//! A flush by another thread leaves them out until something follows them, so that what it writes does not change any more
//! ([`settled`]). One by the thread itself, or at the end of the recording, ends their growth and takes them.

use crate::blocks::block::Block;
use crate::blocks::{record_slot, tls};
use crate::host::clock;
use crate::host::sync::Ordering;

/// The calling thread's last records.
pub struct Growing {
    at: u64,
}

/// The calling thread's last records, if they may grow: nothing follows them, and the recording goes on.
#[inline(always)]
pub fn growing() -> Option<Growing> {
    let block = tls::block();
    let private = &block.private;
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    // The limit is 0 for a thread without records, and where the recording has paused or ended.
    let may_grow = cursor == private.grows_to.load(Ordering::Relaxed)
        && cursor < private.end.load(Ordering::Relaxed);
    may_grow.then(|| Growing { at: private.grows_at.load(Ordering::Relaxed) })
}

impl Growing {
    /// The time. Where records grow, the clock is the processor's counter: it is what the fast path reads.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        clock::counter()
    }

    /// A word of them; the first one is a header.
    #[inline(always)]
    pub fn word(&self, index: usize) -> u64 {
        // SAFETY: the thread's own committed words, as the caller has stored them.
        unsafe { record_slot::load(self.at + 8 * index as u64) }
    }

    /// Changes a word.
    #[inline(always)]
    pub fn change(&self, index: usize, word: u64) {
        // SAFETY: the thread's own committed words; a flush by another thread leaves them out. At the end of the recording
        // the kernel may read them for a file meanwhile, and a drain whose write was refused to count them: both find the old
        // or the new word.
        unsafe { record_slot::change(self.at + 8 * index as u64, word) };
    }
}

/// The records of a block from `at` to `to`, which are about to be committed, may grow.
#[inline(always)]
pub(crate) fn begin(block: &Block, at: u64, to: u64) {
    // What was changed in those before comes first: see `settled`.
    block.private.grows_at.store(at, Ordering::Release);
    block.private.grows_to.store(to, Ordering::Release);
}

/// Ends the growth of all records.
pub(crate) fn end(block: &Block) {
    block.private.grows_to.store(0, Ordering::Release);
}

/// The end of the records below `cursor`, which was read before, that do not change any more.
pub(crate) fn settled(block: &Block, cursor: u64) -> u64 {
    if block.private.grows_to.load(Ordering::Acquire) != cursor {
        return cursor;
    }
    // The owner may just begin others: then this is where those begin, and the ones before them have grown for the last time.
    block.private.grows_at.load(Ordering::Acquire).min(cursor)
}
