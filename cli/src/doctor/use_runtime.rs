//! Uses an OpenMP runtime in a process of its own: a parallel region of two threads, or one step for each construct.
//!
//! All runtimes have the functions that GCC's compiler calls, which can be called without a compiler. Functions of ours
//! with the same names, where they wrap libgomp's, come first.

mod runtime;
mod steps;

use crate::arguments::UseRuntimeArguments;
use crate::{confined, say};
use runtime::Runtime;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Begin of the lines on stdout that name the step that is taken; below, the events that follow from it.
pub const STEP: &str = "step ";
pub const DONE: &str = "done ";

/// Seconds after which a runtime that hangs is ended.
const SECONDS: u32 = 20;

/// 0: the region, or every step, was carried out.
pub fn run(arguments: &UseRuntimeArguments) -> ExitCode {
    // SAFETY: no handler is there for the signal, which ends the process.
    unsafe { libc::alarm(SECONDS) };
    let loaded = confined::confine().and_then(|()| Ok(Runtime::load(&arguments.library)?));
    let runtime = match loaded {
        Ok(runtime) => runtime,
        Err(error) => {
            say::remark(&format!("{error:#}"));
            return ExitCode::FAILURE;
        }
    };
    let is_well = match arguments.all {
        true => every_step(&runtime),
        false => {
            let threads = AtomicUsize::new(0);
            let count = || _ = threads.fetch_add(1, Ordering::Relaxed);
            runtime.team(&count);
            threads.load(Ordering::Relaxed) > 0
        }
    };
    ExitCode::from(u8::from(!is_well))
}

/// Takes one step after the other, and prints a line before and after each.
fn every_step(runtime: &Runtime) -> bool {
    steps::ALL.iter().all(|step| {
        let written = say::out(&format!("{STEP}{}", step.name));
        let is_there = (step.take)(runtime).is_some();
        let done = || say::out(&format!("{DONE}{}", step.events.join(" ")));
        written.is_ok() && (!is_there || done().is_ok())
    })
}
