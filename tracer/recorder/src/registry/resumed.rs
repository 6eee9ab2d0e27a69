//! Tasks in which threads are when recording resumes after a pause, or begins with a start command: a thread's source
//! is asked before the thread's next event, and the answer is recorded with the time of the command.
//!
//! The thread had no event in between, so what is true at its next event was true at the command. The
//! thread that gives the command answers at once.

use crate::blocks::block::Block;
use crate::blocks::state::{State, state};
use crate::host::sync::{AtomicPtr, AtomicU64, Ordering};

/// A function that finds out if the calling thread is one of the source's, and if so calls [`crate::put_ongoing`] and
/// returns true.
type Source = fn() -> bool;
static SOURCES: [AtomicPtr<()>; 4] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 4];

/// Ticks at which recording last resumed; 0: it has not been paused.
static RESUMED_AT: AtomicU64 = AtomicU64::new(0);
/// The value of `asked_at` for a thread that has not been asked since any pause.
const NEVER: u64 = u64::MAX;

/// Adds a source that can be asked, once.
pub fn add_source(source: Source) {
    let source = source as *mut ();
    for slot in &SOURCES {
        let known = slot.load(Ordering::Acquire);
        let free = known.is_null()
            && slot.compare_exchange(known, source, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if free || known == source {
            return;
        }
    }
}

/// Ticks at which recording last resumed; 0: it has not been paused.
pub(crate) fn time() -> u64 {
    RESUMED_AT.load(Ordering::Relaxed)
}

/// Notes that recording resumes at `ticks`.
pub(crate) fn set_time(ticks: u64) {
    RESUMED_AT.store(ticks, Ordering::SeqCst);
}

/// [`Private::asked_at`](crate::blocks::block::Private::asked_at) of a thread that has its first event now.
pub(crate) fn at_claim() -> u64 {
    match state() {
        State::Recording => RESUMED_AT.load(Ordering::SeqCst),
        _ => NEVER,
    }
}

/// Has the tasks of the calling thread, whose block this is, recorded unless that was done since the last resume; returns true if it
/// was to be done. `ticks`: the time of the event in progress, which they must precede.
#[inline]
pub(crate) fn ask_once(block: &Block, ticks: u64) -> bool {
    let resumed_at = RESUMED_AT.load(Ordering::SeqCst);
    if block.private.asked_at.load(Ordering::Relaxed) == resumed_at {
        return false;
    }
    block.private.asked_at.store(resumed_at, Ordering::Relaxed);
    if resumed_at != 0 {
        block.private.asked_before.store(ticks, Ordering::Relaxed);
        ask();
    }
    resumed_at != 0
}

#[cold]
fn ask() {
    for source in &SOURCES {
        let source = source.load(Ordering::Acquire);
        if source.is_null() {
            return;
        }
        // SAFETY: the only values ever stored are `Source`s, by `add_source`.
        let source: Source = unsafe { std::mem::transmute(source) };
        if source() {
            return;
        }
    }
}
