//! Call stacks of regions and tasks in `info`.

use crate::cost::{share, time};
use ompttrace_recording::Recording;
use ompttrace_timeline::{Clock, Counts, StackCounts};
use serde_json::{Value, json};

pub fn value(recording: &Recording, counts: &Counts) -> Value {
    let StackCounts { contexts, frames, cut, broken, not_kept, took, longest } = counts.stacks;
    let clock = Clock::of(recording);
    json!({
        "contexts": contexts,
        "frames": frames,
        "cut": cut,
        "not_found": broken,
        "not_kept": not_kept,
        "took_ns": clock.distance(took),
        "longest_ns": clock.distance(longest),
    })
}

/// Lines about call stacks; none if no call stacks were recorded.
pub fn lines(recording: &Recording, counts: &Counts) -> Vec<String> {
    let StackCounts { contexts, frames, cut, broken, not_kept, took, longest } = counts.stacks;
    if contexts == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "stacks    {contexts} of regions and tasks, {frames} different frames; {cut} truncated, {broken} not \
         unwound to their end, {not_kept} not kept"
    )];
    // Recordings of older versions do not say.
    if took > 0 {
        let clock = Clock::of(recording);
        let nanoseconds = |ticks| clock.distance(ticks) as f64;
        let lasted = counts.threads.iter().map(|thread| nanoseconds(thread.ticks)).sum();
        lines.push(format!(
            "          unwound in {} each, at most {}, {} in all: {} of the threads' time",
            time(nanoseconds(took) / contexts as f64),
            time(nanoseconds(longest)),
            time(nanoseconds(took)),
            share(nanoseconds(took), lasted)
        ));
    }
    lines
}
