//! The word by which a thread on the slow path learns that something besides its event is to be done: the process ends and parks its
//! threads, or somebody outside of it has given a command.
//!
//! It lies in the pool's header, which other processes of the same user can write. Every event without room reads it, also while
//! the recording is paused, and looks at nothing else as long as it is 0.

use crate::host::sync::{AtomicPtr, AtomicU64, Ordering};

static WORD: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());

/// Makes this the word of the process; `None`: it has none.
pub(crate) fn set(word: Option<&'static AtomicU64>) {
    let word = word.map_or(std::ptr::null(), std::ptr::from_ref);
    WORD.store(word.cast_mut(), Ordering::Release);
}

fn word() -> Option<&'static AtomicU64> {
    // SAFETY: null, or a reference that lives as long as the program, by `set`.
    unsafe { WORD.load(Ordering::Acquire).as_ref() }
}

/// True if there is something to do. In a forked child the word may still be that of its parent.
#[inline(always)]
pub(crate) fn is_wanted() -> bool {
    // Sequentially consistent, as the limits are: see `limits::open`.
    word().is_some_and(|word| word.load(Ordering::SeqCst) != 0)
}

/// Asks every thread on the slow path to look.
pub(crate) fn ask() {
    word().into_iter().for_each(|word| word.store(1, Ordering::SeqCst));
}

/// Notes that there is nothing to do. The caller then looks again, for somebody may have asked just before.
pub(crate) fn clear() {
    word().into_iter().for_each(|word| word.store(0, Ordering::SeqCst));
}
