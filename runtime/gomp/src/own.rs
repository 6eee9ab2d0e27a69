//! What is kept of a thread besides its tasks, in its page: what calls without an end, or with one by another call, began.

use crate::entries::League;
use crate::region::Region;
use crate::thread::Thread;
use core::cell::Cell;
use ompttrace_recorder::Zeroed;

/// Old regions, begun by one call and ended by another, that a thread can have open.
const OLD_REGIONS: usize = 4;

/// A thread's own.
#[repr(C)]
pub(crate) struct Own {
    /// The innermost `target` that it runs on the host; null: none.
    pub(crate) league: Cell<*const League>,
    /// See [`OLD_REGIONS`].
    pub(crate) old: [Region; OLD_REGIONS],
}

// SAFETY: numbers, flags, null pointers, and functions that are not there.
unsafe impl Zeroed for Own {}

/// What `thread` has; `None` where it found no memory.
pub(crate) fn of(thread: &'static Thread) -> Option<&'static Own> {
    // SAFETY: it is asked for here alone.
    unsafe { thread.of_adapter() }
}
