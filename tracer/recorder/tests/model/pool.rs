//! Replaces `src/registry/pool.rs`: two blocks, whose slots are the words of `record_slot`.

use crate::block::Block;
use crate::sync::{AtomicU64, Ordering};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Flush, Scope};
use ompttrace_recording::ledger::counter_index;
use ompttrace_recording::pool::{PAGE, SLOTS, control, header};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize as Plain;

const BLOCKS: usize = 2;

/// Size of a slot in bytes: the space and the reserve that are kept free, and two small records.
pub(crate) const SLOT: usize = 4 * 8 * 12 + 72 + 32;

/// Bytes of a slot that has room for the first records of a chunk and four small ones.
pub(crate) const LARGEST: usize = SLOT + 96;

/// A block and after it, by address only, its slots.
#[repr(C)]
struct PoolPart {
    block: Block,
    slots: [u8; PAGE],
}

static PARTS: [PoolPart; BLOCKS] =
    [const { PoolPart { block: Block::empty(), slots: [0; PAGE] } }; BLOCKS];
static TOKEN: AtomicU64 = AtomicU64::new(0);
static HEADER: AtomicU64 = AtomicU64::new(0);
static LOST: AtomicU64 = AtomicU64::new(0);
static ATTENTION: AtomicU64 = AtomicU64::new(0);
static REQUEST: AtomicU64 = AtomicU64::new(0);
static TAKEN: AtomicU64 = AtomicU64::new(0);
static ANSWER: AtomicU64 = AtomicU64::new(0);
static NAMED: AtomicU64 = AtomicU64::new(0);
/// Bytes of a slot in this execution.
static BYTES: Plain = Plain::new(SLOT);

/// As in `src/registry/pool.rs`; these slots need no run folder.
pub(crate) struct PoolPlan {
    pub(crate) slot_bytes: usize,
}

pub(crate) struct Pool {
    pub(crate) path: PathBuf,
}

impl Pool {
    pub(crate) fn create(path: &Path, plan: &PoolPlan) -> io::Result<Pool> {
        let slot = plan.slot_bytes;
        crate::block::set_slot_bytes(slot);
        BYTES.store(slot, Ordering::Relaxed);
        // The ledger's words are no atomics of the model's: what an execution left must go.
        for page in blocks().flat_map(|block| [0, 1].map(|page| block.control.page(page))) {
            page.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
        TOKEN.store(1, Ordering::Relaxed);
        NAMED.store(1, Ordering::Relaxed);
        HEADER.touch();
        LOST.touch();
        for word in [&ATTENTION, &REQUEST, &TAKEN, &ANSWER] {
            word.touch();
        }
        blocks().for_each(touch);
        Ok(Pool { path: path.to_owned() })
    }

    pub(crate) fn token(&self) -> &AtomicU64 {
        &TOKEN
    }

    /// One word serves for all but the flushes that were lost one by one.
    pub(crate) fn header(&self, index: usize) -> &AtomicU64 {
        const FLUSHES: usize =
            header::LOST + counter_index(EventCode::new(Flush::NUMBER, Scope::None));
        static NONE: AtomicU64 = AtomicU64::new(0);
        match index {
            FLUSHES => &LOST,
            header::ATTENTION => &ATTENTION,
            header::REQUEST => &REQUEST,
            header::TAKEN => &TAKEN,
            header::ANSWER => &ANSWER,
            _ if index >= header::LOST => &NONE,
            _ => &HEADER,
        }
    }

    pub(crate) fn map_block(&self, index: usize) -> io::Result<&'static Block> {
        if index < BLOCKS { Ok(self.block(index)) } else { Err(io::ErrorKind::OutOfMemory.into()) }
    }

    pub(crate) fn block(&self, index: usize) -> &'static Block {
        &PARTS[index].block
    }

    pub(crate) fn slots_at(&self, block: &Block) -> usize {
        (&raw const block.control).addr() + PAGE
    }

    pub(crate) fn is_in_reach(&self) -> bool {
        true
    }

    pub(crate) fn unlink(&self) {
        NAMED.store(0, Ordering::Relaxed);
    }
}

/// Bytes of a slot in this execution.
pub(crate) fn slot_bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// Flushes that were lost one by one.
pub(crate) fn lost_one_by_one() -> u64 {
    LOST.left()
}

/// Returns true if the pool's file still has its name.
pub(crate) fn is_named() -> bool {
    NAMED.left() == 1
}

/// All blocks, claimed or not.
pub(crate) fn blocks() -> impl Iterator<Item = &'static Block> {
    PARTS.iter().map(|part| &part.block)
}

/// Makes all atomics of a block, before there are other threads.
pub(crate) fn touch(block: &'static Block) {
    let private = &block.private;
    for word in [&private.end, &private.thread_part, &private.wait_since, &private.wait_ticks] {
        word.touch();
    }
    private.switched_in.touch();
    private.latest.touch();
    private.asked_before.touch();
    private.makes_space.touch();
    private.handled.touch();
    private.grows_at.touch();
    private.grows_to.touch();
    private.magic.touch();
    for word in [&private.counter, &private.reach, &private.index, &private.next_free] {
        word.touch();
    }
    block.set_task_site(0, 0);
    private.writing.touch();
    (0..control::WORDS).for_each(|index| {
        block.control.word(index).touch();
    });
    let owned = [[control::CURSOR, control::SLOTS_AT], control::CHUNK, control::FILLED];
    owned.as_flattened().iter().for_each(|index| block.control.word(*index).touch_owned());
    block.control.flushed.iter().for_each(|word| {
        word.touch();
    });
    drop(block.control.lock.try_lock());
}

/// The addresses of the words of all slots.
pub(crate) fn slot_words() -> impl Iterator<Item = u64> {
    let first = blocks().map(|block| (&raw const block.control).addr() + PAGE);
    first.flat_map(|start| (start..start + SLOTS * LARGEST).step_by(8)).map(|at| at as u64)
}
