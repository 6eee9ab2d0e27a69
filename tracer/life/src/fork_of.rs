//! The process that a forked child is a copy of: a runtime of it may wait for threads that exist in that process only.

use ompttrace_recording::facts::ForkOf;
use std::sync::atomic::{AtomicU32, Ordering};

/// The last process of this line that forked while it recorded: its number; 0: none.
static PID: AtomicU32 = AtomicU32::new(0);
/// Its other threads that had recorded events and lived.
static THREADS: AtomicU32 = AtomicU32::new(0);

/// The calling thread is about to fork.
pub(crate) fn before_fork() {
    if let Some(threads) = ompttrace_recorder::other_threads() {
        THREADS.store(threads, Ordering::Relaxed);
        PID.store(std::process::id(), Ordering::Relaxed);
    }
}

/// The process that this one is a copy of; `None`: none that recorded.
pub(crate) fn of_this() -> Option<ForkOf> {
    let (pid, threads) = (PID.load(Ordering::Relaxed), THREADS.load(Ordering::Relaxed));
    (pid != 0 && pid != std::process::id()).then_some(ForkOf { pid, threads })
}
