//! In the place of `src/pool.rs`: two blocks, whose slots are the words of `place`.

use crate::block::Block;
use crate::sync::{AtomicU64, Ordering};
use ompttrace_recording::pool::{PAGE, SLOTS, control};
use std::io;
use std::path::{Path, PathBuf};

const BLOCKS: usize = 2;

/// Bytes of a slot: besides the space that is kept free, what two small records take.
pub(crate) const SLOT: usize = 8 * 12 + 72 + 32;

/// A block and behind it, by address only, its slots.
#[repr(C)]
struct Stretch {
    block: Block,
    slots: [u8; PAGE],
}

static STRETCHES: [Stretch; BLOCKS] =
    [const { Stretch { block: Block::empty(), slots: [0; PAGE] } }; BLOCKS];
static TOKEN: AtomicU64 = AtomicU64::new(0);
static HEADER: AtomicU64 = AtomicU64::new(0);
static NAMED: AtomicU64 = AtomicU64::new(0);

pub(crate) struct Pool {
    pub(crate) capacity: usize,
    pub(crate) path: PathBuf,
}

impl Pool {
    pub(crate) fn create(path: &Path, _session: u32, slot: usize) -> io::Result<Pool> {
        crate::block::set_slot_bytes(slot);
        TOKEN.store(1, Ordering::Relaxed);
        NAMED.store(1, Ordering::Relaxed);
        HEADER.touch();
        blocks().for_each(touch);
        Ok(Pool { capacity: BLOCKS, path: path.to_owned() })
    }

    pub(crate) fn token(&self) -> &AtomicU64 {
        &TOKEN
    }

    pub(crate) fn header(&self, _index: usize) -> &AtomicU64 {
        &HEADER
    }

    pub(crate) fn map_block(&self, index: usize) -> io::Result<&'static Block> {
        Ok(self.block(index))
    }

    pub(crate) fn block(&self, index: usize) -> &'static Block {
        &STRETCHES[index].block
    }

    pub(crate) fn unlink(&self) {
        NAMED.store(0, Ordering::Relaxed);
    }
}

/// Whether the pool's file still has its name.
pub(crate) fn is_named() -> bool {
    NAMED.left() == 1
}

/// All blocks, claimed or not.
pub(crate) fn blocks() -> impl Iterator<Item = &'static Block> {
    STRETCHES.iter().map(|stretch| &stretch.block)
}

/// Makes all atomics of a block, before there are other threads.
pub(crate) fn touch(block: &'static Block) {
    let private = &block.private;
    for word in [&private.end, &private.thread_part, &private.wait_since, &private.wait_ticks] {
        word.touch();
    }
    private.switched_in.touch();
    private.magic.touch();
    for word in [&private.counter, &private.index, &private.next_free] {
        word.touch();
    }
    block.set_task_site(0, 0);
    (0..control::WORDS).for_each(|index| {
        block.control.word(index).touch();
    });
    block.control.flushed.iter().for_each(|word| {
        word.touch();
    });
    drop(block.control.lock.try_lock());
}

/// The addresses of the words of all slots.
pub(crate) fn slot_words() -> impl Iterator<Item = u64> {
    let first = blocks().map(|block| (&raw const block.control).addr() + PAGE);
    first.flat_map(|start| (start..start + SLOTS * SLOT).step_by(8)).map(|at| at as u64)
}
