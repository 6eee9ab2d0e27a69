//! What `sync` is made of: the processor's atomics, and how a thread waits for another.
//!
//! tests/model has a module of this name over a model checker's atomics, so that it checks the very
//! files that are shipped.

pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering,
};

/// A word that one thread at a time looks at, and who comes when the process is dead.
pub(crate) use std::sync::atomic::AtomicU64 as Plain;

/// Lets time pass for a thread that tries again and again, the longer the more it tried.
pub(crate) fn wait(tries: &mut u32) {
    match *tries {
        0..100 => std::hint::spin_loop(),
        100..110 => std::thread::yield_now(),
        _ => std::thread::sleep(std::time::Duration::from_micros(50)),
    }
    // Stops short of the largest number, which stands for endless patience.
    *tries = (*tries + 1).min(u32::MAX - 1);
}

/// Where the calling thread's stack is just now. Stacks grow down on all systems that there are here.
#[inline(always)]
pub(crate) fn stack() -> u64 {
    let here = 0u8;
    (&raw const here).addr() as u64
}

/// Whether the function that ran where the stack was at `then` has been left, by a signal handler that jumped out
/// of it: the stack is shorter `now`. A handler's own stack tells nothing of the thread's other one.
#[cold]
pub(crate) fn is_left(then: u64, now: u64) -> bool {
    let mut alternate =
        libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
    // SAFETY: fills the structure on this stack and changes nothing.
    unsafe { libc::sigaltstack(std::ptr::null(), &raw mut alternate) };
    let on_it = alternate.ss_flags & libc::SS_ONSTACK != 0;
    let start = alternate.ss_sp.addr() as u64;
    let was_on_it = alternate.ss_flags & libc::SS_DISABLE == 0
        && (start..start.saturating_add(alternate.ss_size as u64)).contains(&then);
    if on_it == was_on_it { now >= then } else { was_on_it }
}
