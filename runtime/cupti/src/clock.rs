//! Pairs of times: CUPTI's clock of activities and the recording's own clock, read at the same instant.
//!
//! CUPTI converts the times of devices to one clock of the host (cuptiGetTimestamp), by measurements of its own.

use crate::library::Library;
use ompttrace_recording::device_records::Entry;

/// Number of attempts to read both clocks; the one that took the shortest time counts.
const TRIES: usize = 8;

/// Entry with the times of both clocks, in ticks and in CUPTI's nanoseconds; `None` if CUPTI's clock cannot be read.
pub(crate) fn pair(library: &Library) -> Option<Entry> {
    let reading = |_| {
        let (before, mut time) = (ompttrace_recorder::ticks(), 0);
        // SAFETY: the pointer is to storage for the answer.
        let answer = unsafe { (library.timestamp)(&raw mut time) };
        let took = ompttrace_recorder::ticks().saturating_sub(before);
        (answer == 0).then_some((took, before + took / 2, time))
    };
    let (_, ticks, time) = (0..TRIES).filter_map(reading).min()?;
    Some(Entry::Clock { ticks, time })
}
