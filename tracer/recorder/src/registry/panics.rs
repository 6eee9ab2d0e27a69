//! The border to C code that waits for us: neither a panic of ours nor a cancellation of the host thread passes it.
//!
//! A panic, should there be one, ends the recording, one line says so, and the program runs on. A cancellation waits
//! until our work is over ([`untouched`]).

use crate::host::message::say;
use crate::host::own_stack::{Signals, on_own_stack};
use crate::host::untouched;
use crate::registry::limits;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// True while the calling thread is in the tool's work.
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// Does work of ours that C code waits for, on a stack of our own: every way in from there that may write, wait or take a lock
/// leads through here or through `caught_here`. The host thread is not cancelled meanwhile, and finds its errno as it was. A
/// panic in it ends here and ends the recording, for good: what was recorded until then stays as it is. `None` then.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    caught_here(|| on_own_stack(Signals::Kept, || catch(work))).flatten()
}

/// [`caught`] on the host thread's stack, for what comes often and takes little of it.
pub(crate) fn caught_here<T>(work: impl FnOnce() -> T) -> Option<T> {
    let untouched = untouched::shut();
    let outcome = catch(work);
    untouched.open();
    outcome
}

/// C's function, which cannot unwind, so that its caller has nothing to tidy up either ([`untouched`]).
#[inline(never)]
#[allow(improper_ctypes_definitions, reason = "only Rust calls it")]
extern "C" fn catch<T, W: FnOnce() -> T>(work: W) -> Option<T> {
    let outer = OURS.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    OURS.set(outer);
    if outcome.is_err() {
        limits::disarm();
    }
    outcome.ok()
}

/// Has panics of ours reported in a line of our kind. A Rust program that links the tool in shares its
/// standard library, and so the hook: its own panics go on to where they went.
pub fn report_panics() {
    static ONCE: Once = Once::new();
    // A hook cannot be changed during a panic.
    if !std::thread::panicking() {
        ONCE.call_once(|| {
            let others = take_hook();
            set_hook(Box::new(move |panic| if OURS.get() { report(panic) } else { others(panic) }));
        });
    }
}

fn report(panic: &PanicHookInfo<'_>) {
    match panic.location() {
        Some(at) => say(format_args!(
            "internal error at {}:{}; recording ended, the program runs on",
            at.file(),
            at.line()
        )),
        None => say(format_args!("internal error; recording ended, the program runs on")),
    }
}
