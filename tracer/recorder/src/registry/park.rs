//! Parks the program's other threads while the process ends. By then the destructors of its libraries have run:
//! LLVM's runtime crashes if a thread begins a nested region with tasks after its destructor, so threads that
//! would have had only microseconds must not get the time that closing and exporting take.

use crate::host::primitives;
use crate::host::sync;
use crate::registry::attention;
use crate::registry::limits;
use crate::registry::outside;
use crate::registry::panics::caught_here;
use crate::registry::recorder::{self, Recorder};

/// While it lives the other threads are parked.
#[must_use]
#[derive(Debug)]
pub struct Parked(());

/// From now on every other thread waits in its next event, before it takes any lock of ours, until the
/// value is dropped; then it continues normally. The process must not wait for one meanwhile.
pub fn park_others() -> Parked {
    if let Some(recorder) = recorder::own() {
        recorder.parker.set(sync::me());
        attention::ask();
        limits::take(recorder);
    }
    Parked(())
}

impl Drop for Parked {
    fn drop(&mut self) {
        // A forked child has a recorder of its own, or none.
        if let Some(recorder) = recorder::own() {
            recorder.parker.set(0);
            outside::settle(recorder);
        }
    }
}

/// Waits while another thread parks this one.
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
