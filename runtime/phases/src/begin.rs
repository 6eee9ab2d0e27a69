//! The start of recording with the first phase, in a program whose OpenMP runtime has not begun it.

use core::sync::atomic::{AtomicU8, Ordering};
use ompttrace_recorder::caught;
use ompttrace_recording::facts::{PHASES, Runtime};

/// Nothing was tried yet; recording has begun; the settings do not allow it.
const NEW: u8 = 0;
const BEGUN: u8 = 1;
const REFUSED: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(NEW);

/// True if phases are recorded; begins to record with the first one.
#[inline]
pub(crate) fn has_begun() -> bool {
    match STATE.load(Ordering::Relaxed) {
        BEGUN => true,
        NEW => tries(),
        _ => false,
    }
}

#[cold]
#[inline(never)]
fn tries() -> bool {
    let is_first =
        STATE.compare_exchange(NEW, REFUSED, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    let runtime = Runtime { interface: PHASES.to_owned(), ..Runtime::default() };
    let has_begun =
        is_first && caught(|| ompttrace_life::begin(|_| runtime).is_some()).unwrap_or(false);
    if has_begun {
        // Phases may be marked up to the end of the process, and nobody says when the last one was.
        ompttrace_life::at_last(ompttrace_life::finalized);
        STATE.store(BEGUN, Ordering::Relaxed);
    }
    has_begun
}
