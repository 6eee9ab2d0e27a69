//! What each step of an export takes, in a file: `cargo xtask bench schedule` computes from it how long the export would take
//! with other numbers of threads.

use crate::arguments::ExportArguments;
use anyhow::{Context, Result};
use ompttrace_timeline::{StepKind, StepTimes};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};

/// The passes so far, each a list of steps.
static PASSES: Mutex<Vec<Value>> = Mutex::new(Vec::new());

/// For a pass to note its steps in, if that is wanted.
pub fn of_pass(arguments: &ExportArguments) -> Option<StepTimes> {
    arguments.step_times.as_ref().map(|_| StepTimes::new(of_thread))
}

/// The calling thread's processor time.
fn of_thread() -> u64 {
    processor_time(ClockId::ThreadCPUTime)
}

/// A pass is over.
pub fn note(times: Option<StepTimes>) {
    let Some(times) = times else { return };
    let step = |(kind, took): (StepKind, u64)| match kind {
        StepKind::Scan(until) => json!(["scan", until, took]),
        StepKind::Found(until) => json!(["found", until, took]),
        StepKind::Interpret(window) => json!(["interpret", window, took]),
        StepKind::Join => json!(["join", 0, took]),
    };
    let steps: Vec<_> = times.into_steps().into_iter().map(step).collect();
    PASSES.lock().unwrap_or_else(PoisonError::into_inner).push(steps.into());
}

/// Writes the file, if it is wanted: the passes, and the processor time of the calling thread, which joins, and of all.
pub fn write(arguments: &ExportArguments) -> Result<()> {
    let Some(path) = &arguments.step_times else { return Ok(()) };
    let passes = std::mem::take(&mut *PASSES.lock().unwrap_or_else(PoisonError::into_inner));
    let all = json!({
        "passes": passes,
        "main_ns": of_thread(),
        "process_ns": processor_time(ClockId::ProcessCPUTime),
    });
    std::fs::write(path, all.to_string()).with_context(|| path.display().to_string())
}

/// Nanoseconds.
fn processor_time(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}
