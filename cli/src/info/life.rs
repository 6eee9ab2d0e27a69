//! Duration of the process of a recording, and certainty of its begin and its end.

use crate::cost::time;
use crate::say::harmless;
use ompttrace_model::end_in_words;
use ompttrace_recording::Recording;
use ompttrace_timeline::span_of;
use serde_json::{Value, json};

pub fn value(recording: &Recording) -> Value {
    let life = &recording.facts.life;
    let (begin, end) = span_of(recording);
    json!({
        "begin_monotonic_ns": begin,
        "end_monotonic_ns": end,
        "begins_with_process": begins_with_process(recording),
        "ended": life.ended,
        "silent_since_monotonic_ns": life.silent,
    })
}

pub fn line(recording: &Recording) -> String {
    let (begin, end) = span_of(recording);
    let from = match begins_with_process(recording) {
        true => "the start of the process",
        false => "the first record",
    };
    let to = match &recording.facts.life.ended {
        Some(ended) => format!("its end ({})", harmless(&end_in_words(ended))),
        None => "the last known sign of life".to_owned(),
    };
    let lasted = time(end.saturating_sub(begin) as f64);
    let silent = recording.facts.life.silent.map(|since| {
        let (from, left) = (since.saturating_sub(begin) as f64, end.saturating_sub(since) as f64);
        format!(
            "\nsilent    the last {}: the OpenMP runtime ended {} after the begin, and none reported anything after that",
            time(left),
            time(from)
        )
    });
    format!("lasted    {lasted} from {from} to {to}{}", silent.unwrap_or_default())
}

fn begins_with_process(recording: &Recording) -> bool {
    let life = &recording.facts.life;
    life.began.is_some() && !life.paused
}
