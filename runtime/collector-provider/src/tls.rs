//! The calling thread's word: the address of what is known of it, readable in any signal handler. It begins as the
//! address of the thread that nobody knows.

use crate::thread::{Thread, UNKNOWN};
use core::cell::Cell;

ompttrace_tls::thread_static! {
    Word: Cell<&'static Thread> = address_of UNKNOWN, "ompttrace_provider_thread"
}

/// What is known of the calling thread.
#[inline(always)]
pub(crate) fn thread() -> &'static Thread {
    Word::get().get()
}

/// Sets the calling thread's data; a signal handler of it sees the old or the new address.
#[inline(always)]
pub(crate) fn set_thread(thread: &'static Thread) {
    Word::get().set(thread);
}
