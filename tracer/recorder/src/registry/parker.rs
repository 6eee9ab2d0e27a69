//! The thread that parks the others while the process ends.

use crate::host::sync::{self, AtomicU64, Ordering};

/// The thread that parks the others, by its lock id; 0 if none does.
pub(crate) struct Parker(AtomicU64);

impl Parker {
    pub(crate) const fn new() -> Parker {
        Parker(AtomicU64::new(0))
    }

    /// Parks all threads but this one, which [`sync::me`] gave; with 0 none.
    pub(crate) fn set(&self, thread: u64) {
        self.0.store(thread, Ordering::SeqCst);
    }

    /// True if a thread parks others.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    /// True if the calling thread has to wait.
    pub(crate) fn parks(&self) -> bool {
        // Sequentially consistent, as the limits are: see `limits::open`.
        let parker = self.0.load(Ordering::SeqCst);
        parker != 0 && parker != sync::me()
    }

    /// A thread does not wait for a parking thread that has ended without releasing it; this is checked periodically.
    pub(crate) fn end_with_its_thread(&self, tries: u32) {
        let parker = self.0.load(Ordering::SeqCst);
        if sync::is_time_to_ask(tries) && parker != 0 && sync::is_gone(parker) {
            let _ = self.0.compare_exchange(parker, 0, Ordering::SeqCst, Ordering::Relaxed);
        }
    }
}
