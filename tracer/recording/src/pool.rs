//! The pool's file: control pages and slots of all threads, laid out for a reader of a killed run.
//!
//! The traced process maps each thread's part by itself (`recorder::block`); only the offsets and the
//! control page's words are used by both sides and defined here.

use crate::fragment::FragmentHeader;
use crate::ledger::{self, Ledger};

/// The smallest page of a machine that writes, and the part of a larger one that is used. The pool's header is a
/// page, and each thread's control page; a reader takes their size from the header: [`PAGE_SIZES`].
pub const PAGE: usize = 4096;
/// The possible sizes of a pool's pages, in bytes.
pub const PAGE_SIZES: [usize; 3] = [4096, 16 << 10, 64 << 10];
/// Bytes of one slot, and so of the largest chunk, unless the user asks for another size.
pub const DEFAULT_SLOT: usize = 16 * 1024;
/// Largest size of a slot.
pub const MAX_SLOT: usize = 64 << 20;
/// Slots of a thread.
pub const SLOTS: usize = 2;
/// Blocks of a pool that a reader looks at: more than there are threads alive at the same time.
pub const MAX_BLOCKS: usize = 1 << 16;
/// First word of the pool and of a block in use.
pub const MAGIC: u64 = u64::from_le_bytes(*b"OMPTPOOL");

/// Indices of the words of the pool's header page; each comment describes the word's content.
pub mod header {
    /// [`super::MAGIC`].
    pub const MAGIC: usize = 0;
    /// [`crate::FORMAT_VERSION`].
    pub const VERSION: usize = 1;
    /// The session whose threads these are.
    pub const SESSION: usize = 2;
    /// Blocks that were ever claimed; later ones are holes.
    pub const CLAIMED: usize = 3;
    /// The traced process.
    pub const PID: usize = 4;
    /// Its start time (field 22 of /proc/pid/stat), to know it from a later process with that number.
    pub const PID_START: usize = 5;
    /// Bytes of a slot, a multiple of a page.
    pub const SLOT: usize = 6;
    /// Inode of the process's namespace of process ids (/proc/self/ns/pid), in which its number means
    /// something; 0 is unknown.
    pub const PID_NAMESPACE: usize = 7;
    /// Bytes of a page of the machine that wrote the pool: one of [`super::PAGE_SIZES`].
    pub const PAGE: usize = 8;
    /// CLOCK_MONOTONIC at the latest time at which the process was at work on this pool, off its fast path;
    /// 0 is unknown.
    pub const SEEN: usize = 9;
    /// Inode of the process's time namespace (/proc/self/ns/time), whose offset its start time has; 0 where
    /// the kernel has none, or is unknown.
    pub const TIME_NAMESPACE: usize = 10;
    /// Not 0 if threads on the slow path have something to look for: a request, or the process's end. Whoever gives
    /// a command writes 1.
    pub const ATTENTION: usize = 11;
    /// [`crate::outside::PROTOCOL`] if the process takes commands from outside; 0 in pools of older tools.
    pub const COMMANDS: usize = 12;
    /// The latest command from outside ([`crate::outside::Request`]); 0: there was none.
    pub const REQUEST: usize = 13;
    /// The request that the process has taken last.
    pub const TAKEN: usize = 14;
    /// The process's answer to it ([`crate::outside::Answer`]), once there is one.
    pub const ANSWER: usize = 15;
    /// CLOCK_MONOTONIC when the answered request was taken.
    pub const TAKEN_AT: usize = 16;
    /// CLOCK_MONOTONIC when the answered request had taken effect.
    pub const ANSWERED_AT: usize = 17;
    /// Records that were lost one by one and are in no thread's ledger: as many words as
    /// [`crate::ledger::CODES`], by [`crate::ledger::counter_index`].
    pub const LOST: usize = 32;
    /// Bytes of the run folder's path, 0 if it is too long to be stored here.
    pub const RUN_BYTES: usize = LOST + crate::ledger::CODES;
    /// The run folder's absolute path, so that a leftover pool names its run.
    pub const RUN: usize = RUN_BYTES + 1;
    /// Words of the header: all of the smallest page.
    pub const WORDS: usize = 4096 / 8;
}

/// Indices of the words of a control page; each comment describes the word's content.
pub mod control {
    /// [`super::MAGIC`] while a thread owns the block.
    pub const MAGIC: usize = 0;
    /// Our number of the thread.
    pub const THREAD: usize = 1;
    /// The kernel's id of the thread.
    pub const OS_THREAD: usize = 2;
    /// Address of slot 0 in the traced process.
    pub const SLOTS_AT: usize = 3;
    /// Address after the last committed record; it lies in the active slot.
    pub const CURSOR: usize = 4;
    /// Chunk number of slot 0 and 1; 0: the slot was never used.
    pub const CHUNK: [usize; 2] = [5, 6];
    /// Bytes of records in slot 0 and 1 when it is not the active one.
    pub const FILLED: [usize; 2] = [7, 8];
    /// A clock pair made when the block was claimed.
    pub const TICKS: usize = 9;
    /// CLOCK_MONOTONIC of that pair.
    pub const MONOTONIC: usize = 10;
    /// Number of times that the ledger was written; its lowest bit is the number of the valid page. The words before
    /// this one were the process's own in earlier versions of the tool.
    pub const LEDGER: usize = 16;
    /// The chunk with which the losses on page 0 and 1 are reported in the thread's own records, once
    /// the cursor has reached it.
    pub const REPORTED_WITH: [usize; 2] = [17, 18];
    /// The words above.
    pub const WORDS: usize = 19;
    /// The words above and, after them, the two pages of the ledger.
    pub const ALL: usize = WORDS + 2 * crate::ledger::WORDS;
}

/// The layout of a pool's file: a header page, then for each block a control page and its slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// Bytes of a page.
    pub page: usize,
    /// Bytes of a slot.
    pub slot: usize,
}

impl Division {
    /// Bytes of a thread's part of the pool: control page and slots.
    pub const fn block_bytes(self) -> usize {
        self.page + SLOTS * self.slot
    }

    /// Offset in the file at which block `index` begins with its control page.
    pub const fn block_offset(self, index: usize) -> usize {
        self.page + index * self.block_bytes()
    }

    /// Offset in the file at which the slots of block `index` begin.
    pub const fn slots_offset(self, index: usize) -> usize {
        self.block_offset(index) + self.page
    }
}

/// The committed bytes of a block's slots as fragments: (header, offset of the bytes in the slots).
///
/// `words` are the control page's. A block that no thread owns, or whose words contradict each
/// other, gives none for the slots concerned; nor does what the ledger counts as lost.
pub fn fragments_of(
    words: &[u64; control::ALL],
    session: u32,
    slot_bytes: usize,
) -> [Option<(FragmentHeader, usize)>; 2] {
    let [
        magic,
        thread,
        os_thread,
        slots_at,
        cursor,
        chunk0,
        chunk1,
        filled0,
        filled1,
        ticks,
        monotonic,
        ..,
    ] = *words;
    if magic != MAGIC {
        return [None, None];
    }
    let ledger = Ledger::of(words);
    let in_slots = cursor.wrapping_sub(slots_at);
    let one = |slot: u64, chunk: u64, filled: u64| {
        let start = slot * slot_bytes as u64;
        let active = in_slots >= start && in_slots < start + slot_bytes as u64;
        let end = if active { in_slots - start } else { filled };
        if chunk == 0 || end > slot_bytes as u64 || end % 8 != 0 {
            return None;
        }
        let offset = ledger.lost_up_to(slot as usize, chunk).min(end) & !7;
        let bytes = end.checked_sub(offset).filter(|bytes| *bytes > 0)?;
        let header = FragmentHeader {
            session,
            thread: thread as u32,
            chunk,
            offset: offset as u32,
            bytes: bytes as u32,
            os_thread: os_thread as u32,
            ticks,
            monotonic,
        };
        Some((header, slot as usize * slot_bytes + offset as usize))
    };
    [one(0, chunk0, filled0), one(1, chunk1, filled1)]
}

/// The number of the chunk in which the cursor lies.
pub(crate) fn active_chunk(words: &[u64; control::ALL], slot_bytes: usize) -> u64 {
    let [_, _, _, slots_at, cursor, chunk0, chunk1, ..] = *words;
    if cursor.wrapping_sub(slots_at) < slot_bytes as u64 { chunk0 } else { chunk1 }
}

const _: () = assert!(control::ALL <= header::WORDS && header::RUN < header::WORDS);
const _: () = assert!(control::ALL == control::WORDS + 2 * ledger::WORDS);

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: usize = DEFAULT_SLOT;

    fn page() -> [u64; control::ALL] {
        let mut words = [0; control::ALL];
        words[control::MAGIC] = MAGIC;
        words[control::THREAD] = 3;
        words[control::SLOTS_AT] = 0x7000_0000;
        words[control::CURSOR] = 0x7000_0000 + SLOT as u64 + 48;
        words[control::CHUNK[0]] = 8;
        words[control::CHUNK[1]] = 9;
        words[control::FILLED[0]] = 16_000;
        words
    }

    #[test]
    fn the_cursor_reports_the_active_slot() {
        let [first, second] = fragments_of(&page(), 1, SLOT);
        let (first, second) = (first.expect("slot 0"), second.expect("slot 1"));
        assert_eq!((first.0.chunk, first.0.bytes, first.1), (8, 16_000, 0));
        assert_eq!((second.0.chunk, second.0.bytes, second.1), (9, 48, SLOT));
    }

    #[test]
    fn nonsense_gives_nothing() {
        let mut words = page();
        words[control::FILLED[0]] = SLOT as u64 + 8;
        words[control::CURSOR] = 0x7000_0000 + SLOT as u64 + 3;
        assert_eq!(fragments_of(&words, 1, SLOT), [None, None]);
        words = page();
        words[control::MAGIC] = 0;
        assert_eq!(fragments_of(&words, 1, SLOT), [None, None]);
    }
}
