//! Descriptors that are ours for a moment: only one thread at a time has any.
//!
//! To open a file of ours takes its folder's descriptor as well, to read a file of /proc takes one. A process with few left
//! would lose a thread's records because others of its threads are about the same just then. So it is with the memory of perf
//! events' buffers, which the kernel may pin.

use crate::host::sync::Lock;

static OPENING: Lock = Lock::new();

/// Does `what`, which has descriptors that it closes, while no other thread does such a thing. It does so without the lock in
/// a signal handler that interrupted such a thing, which at worst leaves a descriptor more, and after a second on the way
/// out of the process, where a file server may have stopped the other thread.
pub(crate) fn one_at_a_time<T>(what: impl FnOnce() -> T) -> T {
    let _guard = OPENING.lock_at_exit();
    what()
}
