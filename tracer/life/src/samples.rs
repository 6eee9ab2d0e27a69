//! The part of `recording.json` about samples.

use ompttrace_recorder::samples_summary;
use ompttrace_recording::facts::Samples;

/// Facts that are known so far.
pub(crate) fn facts() -> Samples {
    let summary = samples_summary().unwrap_or_default();
    let asked = summary.asked.map_or_else(String::new, |sampling| {
        format!("{},{}", sampling.rate, sampling.clock.name())
    });
    Samples {
        asked,
        why: summary.taken.map_or_else(String::new, |signal| {
            format!("the program has a handler for signal {signal}")
        }),
        perf: summary.refused.map_or_else(String::new, crate::cores::refused),
        threads: summary.threads,
        threads_by_timer: summary.by_timer,
        threads_without: summary.without,
        lost: summary.lost,
        longest_period_ns: summary.longest_period,
    }
}
