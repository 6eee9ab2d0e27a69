//! Knowledge of the streams about a thread, on the private page of its block, which a forked child finds empty.

use crate::blocks::block::{Block, STREAM_WORDS};
use crate::streams::cores::own as cores;
use crate::streams::counters::own as counters;
use crate::streams::samples::own as samples;

/// The words of [`Private::streams`](crate::blocks::block::Private), by stream.
#[repr(C)]
pub(crate) struct OfThread {
    /// The state of the thread's core stream.
    pub(crate) cores: cores::Own,
    /// The state of the thread's counters.
    pub(crate) counters: counters::Own,
    /// The state of the thread's samples.
    pub(crate) samples: samples::Own,
}

/// The buffer of cores has what the others leave.
const _: () = assert!(size_of::<OfThread>() == 8 * STREAM_WORDS);
const _: () = assert!(align_of::<OfThread>() == 8);

/// Knowledge of the streams about the thread of a block.
#[inline(always)]
pub(crate) fn of(block: &Block) -> &OfThread {
    // SAFETY: the two are of the same size and alignment, and have no fields but atomic words, for which any value is valid.
    unsafe { &*(&raw const block.private.streams).cast() }
}
