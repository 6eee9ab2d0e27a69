//! The calling thread's word: the address of its state, readable in any signal handler. Its initial value is the
//! address of [`UNKNOWN`].

use crate::thread::{Thread, UNKNOWN};
use core::cell::Cell;

ompttrace_tls::thread_static! {
    Word: Cell<&'static Thread> = address_of UNKNOWN, "ompttrace_provider_thread"
}

/// State of the calling thread; [`UNKNOWN`] if it has none of its own.
#[inline(always)]
pub(crate) fn thread() -> &'static Thread {
    Word::get().get()
}

/// Sets the calling thread's data; a signal handler of it sees the old or the new address.
#[inline(always)]
pub(crate) fn set_thread(thread: &'static Thread) {
    Word::get().set(thread);
}
