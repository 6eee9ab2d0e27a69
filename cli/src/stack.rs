//! The stack of the command's main work, which must not depend on the user's limit for stacks.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread::Builder;

/// Usual size of a main thread's stack, in bytes.
const BYTES: usize = 8 << 20;

/// Has a thread with a stack of the usual size do the work: a main thread's grows to `ulimit -s` only, and more is a
/// SIGSEGV. The calling thread does the work if there can be no second thread.
pub fn of_usual_size(work: fn() -> ExitCode) -> ExitCode {
    match Builder::new().name("main".into()).stack_size(BYTES).spawn(work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) => work(),
    }
}
