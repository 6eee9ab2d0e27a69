//! The calling thread's word: the address of what is known of it, readable in any signal handler.
//!
//! A thread-local variable of the usual kind may be made at its first use, with malloc. This one is in
//! the initial-exec model: it exists as long as its thread does. It begins as the address of the thread
//! that nobody knows.

use crate::thread::{STRANGER, Thread};

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the provider runs on x86-64 and aarch64 Linux");

core::arch::global_asm!(
    ".pushsection .tdata.ompttrace_provider,\"awT\",@progbits",
    ".p2align 3",
    ".hidden ompttrace_provider_thread",
    ".globl ompttrace_provider_thread",
    ".type ompttrace_provider_thread,@object",
    ".size ompttrace_provider_thread,8",
    "ompttrace_provider_thread:",
    ".quad {stranger}",
    ".popsection",
    stranger = sym STRANGER,
);

/// Where the word is.
#[inline(always)]
fn place() -> *mut &'static Thread {
    let address: *mut &'static Thread;
    // SAFETY: computes an address from the thread pointer; no memory of others is touched.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "mov {0}, qword ptr [rip + ompttrace_provider_thread@GOTTPOFF]",
            "add {0}, qword ptr fs:[0]",
            out(reg) address,
            options(pure, readonly, nostack)
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "adrp {1}, :gottprel:ompttrace_provider_thread",
            "ldr {1}, [{1}, :gottprel_lo12:ompttrace_provider_thread]",
            "mrs {0}, tpidr_el0",
            "add {0}, {0}, {1}",
            out(reg) address,
            out(reg) _,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    address
}

/// What is known of the calling thread.
#[inline(always)]
pub(crate) fn thread() -> &'static Thread {
    // SAFETY: the thread's own word, which holds the address of a thread that is never freed.
    unsafe { place().read() }
}

/// Says who the calling thread is.
#[inline(always)]
pub(crate) fn set_thread(thread: &'static Thread) {
    // SAFETY: the thread's own word; a signal handler of it sees the old or the new address.
    unsafe { place().write_volatile(thread) };
}
