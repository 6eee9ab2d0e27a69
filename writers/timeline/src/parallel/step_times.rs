//! Times of the steps of a pass, from which the duration of the pass with other numbers of threads can be computed.

use std::sync::{Mutex, PoisonError};

/// A step of a pass in windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepKind {
    /// A stream was scanned up to these ticks, where a window ends.
    Scan(u64),
    /// The stream was given back; of the last one this finds out what is open at these ticks.
    Found(u64),
    /// A window was interpreted: its number.
    Interpret(usize),
    /// The result of the next window was taken by the thread that joins them.
    Join,
}

/// Steps in the order in which they ended.
#[derive(Debug)]
pub struct StepTimes {
    clock: fn() -> u64,
    steps: Mutex<Vec<(StepKind, u64)>>,
}

impl StepTimes {
    /// Measured with a clock of the thread that asks, in nanoseconds.
    pub fn new(clock: fn() -> u64) -> StepTimes {
        StepTimes { clock, steps: Mutex::default() }
    }

    /// The steps, with what each took in nanoseconds.
    pub fn into_steps(self) -> Vec<(StepKind, u64)> {
        self.steps.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does a step, and adds its duration to `times`, if given.
pub(super) fn timed<T>(times: Option<&StepTimes>, kind: StepKind, step: impl FnOnce() -> T) -> T {
    let Some(StepTimes { clock, steps }) = times else { return step() };
    let before = clock();
    let made = step();
    let took = clock().saturating_sub(before);
    steps.lock().unwrap_or_else(PoisonError::into_inner).push((kind, took));
    made
}
