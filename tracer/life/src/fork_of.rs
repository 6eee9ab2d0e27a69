//! The process from which a forked child was copied: the child's runtime may wait for threads that exist in that
//! process only.

use ompttrace_recording::facts::ForkOf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Id of the last ancestor process that forked while it recorded; 0 if there is none.
static PID: AtomicU32 = AtomicU32::new(0);
/// Number of that process's other live threads that had recorded events.
static THREADS: AtomicU32 = AtomicU32::new(0);

/// Remembers this process before it forks.
pub(crate) fn before_fork() {
    if let Some(threads) = ompttrace_recorder::other_threads() {
        THREADS.store(threads, Ordering::Relaxed);
        PID.store(std::process::id(), Ordering::Relaxed);
    }
}

/// The process from which this one was forked; `None` if no ancestor recorded.
pub(crate) fn of_this() -> Option<ForkOf> {
    let (pid, threads) = (PID.load(Ordering::Relaxed), THREADS.load(Ordering::Relaxed));
    (pid != 0 && pid != std::process::id()).then_some(ForkOf { pid, threads })
}
