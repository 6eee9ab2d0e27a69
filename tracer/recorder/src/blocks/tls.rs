//! The thread-local pointer to a thread's block, at the cost of one load: it starts out pointing at a dummy block
//! without room, so that the fast path need not test for null.

use crate::blocks::block::{Block, IN_USE};
use crate::host::sync::{AtomicU64, Ordering};
use ompttrace_recording::pool::control;
use std::cell::Cell;
use std::sync::atomic::compiler_fence;

/// The block of a thread for which there is no memory: its events are only counted.
pub(crate) static STARVED: Block = Block::empty();

/// The block of a thread that has none yet: limit and cursor 0, so there is never room.
pub(crate) static DUMMY: Block = Block::empty();

/// The calling thread's words.
#[repr(C)]
struct Words {
    block: Cell<&'static Block>,
    /// The word of `inside`.
    inside: AtomicU64,
}

ompttrace_tls::thread_static! { Own: Words = address_of DUMMY, "ompttrace_block" }

/// The calling thread's block; [`DUMMY`] if it has none yet, and [`STARVED`] if there is no memory for one. These two are shared and never
/// have room.
#[inline(always)]
pub(crate) fn block() -> &'static Block {
    // SAFETY: the thread's own first word always holds the address of DUMMY or of a block in the pool; neither is
    // ever unmapped, so the reference is valid for the program's life.
    unsafe { &*Own::first().cast() }
}

/// True if the calling thread has a block of its own.
pub(crate) fn has_block() -> bool {
    block().private.magic.load(Ordering::Relaxed) == IN_USE
}

/// Makes `block` the calling thread's.
pub(crate) fn set_block(block: &'static Block) {
    Own::get().block.set(block);
}

/// The kernel's number of the calling thread, if its block knows it; 0: it does not. A forked child finds the block's page empty.
pub(crate) fn os_thread() -> u64 {
    if has_block() { block().control.word(control::OS_THREAD).load(Ordering::Relaxed) } else { 0 }
}

/// The word in which `inside` notes the calling thread's work.
#[inline]
pub(crate) fn inside() -> u64 {
    Own::get().inside.load(Ordering::Relaxed)
}

/// Sets the word of [`inside`]. A signal handler that finds it finds the thread's earlier work complete, and its
/// later work not begun.
#[inline]
pub(crate) fn set_inside(word: u64) {
    compiler_fence(Ordering::SeqCst);
    Own::get().inside.store(word, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

/// Returns true if the thread of this block got no memory.
pub(crate) fn is_starved(block: &Block) -> bool {
    std::ptr::eq(block, &raw const STARVED)
}
