//! One id that an adapter keeps for the calling thread, where the runtime's own word may not hold it.

use crate::block::IN_USE;
use crate::sync::Ordering;
use crate::tls;
use ompttrace_recording::Id;

/// Keeps an id until [`take_kept`]; of two, the second. A thread without a block has none to keep.
#[inline(always)]
pub fn keep(id: Id) {
    let private = &tls::block().private;
    // The blocks of threads that have none are shared.
    if private.magic.load(Ordering::Relaxed) == IN_USE {
        private.kept.store(id.0, Ordering::Relaxed);
    }
}

/// The id that the calling thread kept, [`Id::NONE`] if it kept none or has taken it already.
#[inline(always)]
pub fn take_kept() -> Id {
    let private = &tls::block().private;
    let kept = private.kept.load(Ordering::Relaxed);
    if kept != 0 {
        private.kept.store(0, Ordering::Relaxed);
    }
    Id(kept)
}
