//! Times of the steps of an export, in a file: `cargo xtask bench schedule` computes from them the time of the export
//! with other numbers of threads.

use crate::arguments::ExportArguments;
use anyhow::{Context, Result};
use ompttrace_timeline::{StepKind, StepTimes};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The passes so far, each a list of steps.
static PASSES: Mutex<Vec<Value>> = Mutex::new(Vec::new());
/// True if the times are requested; below, processor time for writing files, in nanoseconds.
static ARE_WANTED: AtomicBool = AtomicBool::new(false);
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// The object to which a pass adds its steps, if the times are requested.
pub fn of_pass(arguments: &ExportArguments) -> Option<StepTimes> {
    ARE_WANTED.store(arguments.step_times.is_some(), Ordering::Relaxed);
    arguments.step_times.as_ref().map(|_| StepTimes::new(of_thread))
}

/// Writes to a file, and adds the processor time of that if the times are requested.
pub fn written<T>(write: impl FnOnce() -> T) -> T {
    if !ARE_WANTED.load(Ordering::Relaxed) {
        return write();
    }
    let before = of_thread();
    let made = write();
    WRITTEN.fetch_add(of_thread().saturating_sub(before), Ordering::Relaxed);
    made
}

/// Processor time of the calling thread, in nanoseconds.
fn of_thread() -> u64 {
    processor_time(ClockId::ThreadCPUTime)
}

/// Adds the steps of a pass that is over.
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
        "written_ns": WRITTEN.load(Ordering::Relaxed),
        "main_ns": of_thread(),
        "process_ns": processor_time(ClockId::ProcessCPUTime),
    });
    std::fs::write(path, all.to_string()).with_context(|| path.display().to_string())
}

/// Processor time by this clock, in nanoseconds.
fn processor_time(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}
