//! A panic of ours, should there be one: the recording ends, one line says so, the program runs on.

use crate::control;
use crate::message::say;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether the calling thread is in work of ours.
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// Does work of ours that C code waits for. A panic in it ends here and ends the recording, for good:
/// what was recorded until then stays as it is. `None` then.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let outer = OURS.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    OURS.set(outer);
    if outcome.is_err() {
        control::disarm();
    }
    outcome.ok()
}

/// Has panics of ours told in a line of our kind. A Rust program that links the tool in shares its
/// standard library, and so the hook: its own panics go on to where they went.
pub fn tell_panics() {
    static ONCE: Once = Once::new();
    // A hook cannot be changed amid a panic.
    if !std::thread::panicking() {
        ONCE.call_once(|| {
            let others = take_hook();
            set_hook(Box::new(move |panic| if OURS.get() { tell(panic) } else { others(panic) }));
        });
    }
}

fn tell(panic: &PanicHookInfo<'_>) {
    match panic.location() {
        Some(at) => say(format_args!(
            "internal error at {}:{}; recording ended, the program runs on",
            at.file(),
            at.line()
        )),
        None => say(format_args!("internal error; recording ended, the program runs on")),
    }
}
