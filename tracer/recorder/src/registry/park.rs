//! Parks the program's other threads while the process ends. By then the destructors of its libraries have run:
//! LLVM's runtime crashes if a thread begins a nested region with tasks after its destructor, so threads that
//! would have had only microseconds must not get the time that closing and exporting take.

use crate::commands::control;
use crate::host::primitives;
use crate::host::sync::{self, AtomicU64, Ordering};
use crate::registry::panics::caught_here;
use crate::registry::recorder::{self, Recorder};

/// The thread that parks the others, by its lock id; 0 if none does.
pub(crate) struct Parker(AtomicU64);

impl Parker {
    pub(crate) const fn new() -> Parker {
        Parker(AtomicU64::new(0))
    }

    /// Whether the calling thread has to wait.
    pub(crate) fn parks(&self) -> bool {
        // Sequentially consistent, as the limits are: see `slow::open`.
        let parker = self.0.load(Ordering::SeqCst);
        parker != 0 && parker != sync::me()
    }
}

impl Parker {
    /// A thread does not wait for a parking thread that has ended without releasing it; this is checked periodically.
    fn end_with_its_thread(&self, tries: u32) {
        let parker = self.0.load(Ordering::SeqCst);
        if sync::is_time_to_ask(tries) && parker != 0 && sync::is_gone(parker) {
            let _ = self.0.compare_exchange(parker, 0, Ordering::SeqCst, Ordering::Relaxed);
        }
    }
}

/// While it lives the other threads are parked.
#[must_use]
#[derive(Debug)]
pub struct Parked(());

/// From now on every other thread waits in its next event, before it takes any lock of ours, until the
/// value is dropped; then it continues normally. The process must not wait for one meanwhile.
pub fn park_others() -> Parked {
    if let Some(recorder) = recorder::own() {
        recorder.parker.0.store(sync::me(), Ordering::SeqCst);
        control::take_limits(recorder);
    }
    Parked(())
}

impl Drop for Parked {
    fn drop(&mut self) {
        // A forked child has a recorder of its own, or none.
        if let Some(recorder) = recorder::own() {
            recorder.parker.0.store(0, Ordering::SeqCst);
        }
    }
}

/// Waits while another thread parks this one.
#[inline]
pub(crate) fn wait() {
    let parks = |recorder: &&Recorder| recorder.parker.parks() && recorder.is_ours();
    let Some(recorder) = recorder::current().filter(parks) else { return };
    let _ = caught_here(|| wait_until_released(recorder));
}

#[cold]
fn wait_until_released(recorder: &Recorder) {
    let mut tries = 0;
    while recorder.parker.parks() {
        primitives::wait(&mut tries);
        recorder.parker.end_with_its_thread(tries);
    }
}
