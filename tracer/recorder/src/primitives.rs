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
