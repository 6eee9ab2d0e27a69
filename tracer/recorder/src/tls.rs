//! The thread-local pointer to a thread's block, at the cost of one load.
//!
//! `std`'s `thread_local!` costs 3-6 ns here and may need a destructor; runtimes send events after a
//! thread's destructors have run. So: one word in the initial-exec TLS model, which starts out
//! pointing at a dummy block without room, so that the fast path need not test for null.

use crate::block::Block;
use crate::sync::{AtomicU64, Ordering};
use std::sync::atomic::compiler_fence;

/// The block of a thread for which there is no memory: its events are only counted.
pub(crate) static STARVED: Block = Block::empty();

/// The block of a thread that has none yet: limit and cursor 0, so there is never room.
pub(crate) static DUMMY: Block = Block::empty();

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("ompttrace records on x86-64 and aarch64 Linux");

// The word starts out as the address of DUMMY: the loader relocates the TLS image like any data. Behind it is
// the word of `inside`.
core::arch::global_asm!(
    ".pushsection .tdata.ompttrace_block,\"awT\",@progbits",
    ".p2align 3",
    ".hidden ompttrace_block",
    ".globl ompttrace_block",
    ".type ompttrace_block,@object",
    ".size ompttrace_block,16",
    "ompttrace_block:",
    ".quad {dummy}",
    ".quad 0",
    ".popsection",
    dummy = sym DUMMY,
);

/// The calling thread's block.
#[inline(always)]
pub(crate) fn block() -> &'static Block {
    let block: *const Block;
    // SAFETY: reads the thread's own word, which always holds the address of DUMMY or of a block
    // in the pool; neither is ever unmapped, so the reference is valid for the program's life.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "mov {0}, qword ptr [rip + ompttrace_block@GOTTPOFF]",
            "mov {0}, qword ptr fs:[{0}]",
            out(reg) block,
            options(pure, readonly, nostack, preserves_flags)
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "adrp {1}, :gottprel:ompttrace_block",
            "ldr {1}, [{1}, :gottprel_lo12:ompttrace_block]",
            "mrs {0}, tpidr_el0",
            "ldr {0}, [{0}, {1}]",
            out(reg) block,
            out(reg) _,
            options(pure, readonly, nostack, preserves_flags)
        );
        &*block
    }
}

/// Makes `block` the calling thread's.
pub(crate) fn set_block(block: &'static Block) {
    let block: *const Block = block;
    // SAFETY: writes the thread's own word, which no one else reads or writes; the value is the
    // address of a block that lives as long as the program.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "mov {1}, qword ptr [rip + ompttrace_block@GOTTPOFF]",
            "mov qword ptr fs:[{1}], {0}",
            in(reg) block,
            out(reg) _,
            options(nostack, preserves_flags)
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "adrp {1}, :gottprel:ompttrace_block",
            "ldr {1}, [{1}, :gottprel_lo12:ompttrace_block]",
            "mrs {2}, tpidr_el0",
            "str {0}, [{2}, {1}]",
            in(reg) block,
            out(reg) _,
            out(reg) _,
            options(nostack, preserves_flags)
        );
    }
}

/// The address of the calling thread's own word: different for each thread that is alive.
#[inline]
pub(crate) fn own_address() -> u64 {
    let address: u64;
    // SAFETY: computes the word's address from the thread pointer; no memory of others is touched.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "mov {0}, qword ptr [rip + ompttrace_block@GOTTPOFF]",
            "add {0}, qword ptr fs:[0]",
            out(reg) address,
            options(pure, readonly, nostack)
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "adrp {1}, :gottprel:ompttrace_block",
            "ldr {1}, [{1}, :gottprel_lo12:ompttrace_block]",
            "mrs {0}, tpidr_el0",
            "add {0}, {0}, {1}",
            out(reg) address,
            out(reg) _,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    address
}

/// What `inside` notes of the calling thread.
#[inline]
pub(crate) fn inside() -> u64 {
    inside_word().load(Ordering::Relaxed)
}

/// Notes it. What the thread did before is done when a signal handler finds this, and what it does next is not.
#[inline]
pub(crate) fn set_inside(word: u64) {
    compiler_fence(Ordering::SeqCst);
    inside_word().store(word, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

fn inside_word() -> &'static AtomicU64 {
    let address = own_address() as usize + 8;
    // SAFETY: the second of the thread's own words, aligned like the first, which lives as long as the thread;
    // the reference stays in this module's functions, and no other thread has its address.
    unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(address)) }
}

/// Whether the thread of this block got no memory.
pub(crate) fn is_starved(block: &Block) -> bool {
    std::ptr::eq(block, &raw const STARVED)
}
