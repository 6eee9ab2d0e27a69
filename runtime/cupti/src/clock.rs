//! Where the clock of activities stands at an instant of ours.
//!
//! CUPTI converts the times of devices to one clock of the host (cuptiGetTimestamp), by measurements of its own.

use crate::library::Library;
use ompttrace_recording::device_records::Entry;

/// Readings of which the closest pair counts.
const TRIES: usize = 8;

/// An entry with both clocks.
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
