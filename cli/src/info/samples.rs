//! Sampling of threads in `info`: its settings and its results.

use crate::say::harmless;
use ompttrace_recording::facts::{Facts, Samples};
use ompttrace_report::text::duration;
use serde_json::{Value, json};

pub fn value(facts: &Facts) -> Value {
    if facts.samples.are_not_asked() { Value::Null } else { json!(facts.samples) }
}

/// A line about the samples; none if no samples were requested.
pub fn line(facts: &Facts) -> Option<String> {
    let samples = &facts.samples;
    (!samples.are_not_asked()).then(|| format!("samples   {}", harmless(&in_words(samples))))
}

fn in_words(samples: &Samples) -> String {
    let Samples { asked, why, perf, threads, threads_by_timer, threads_without, lost, .. } =
        samples;
    if !why.is_empty() && *threads == 0 {
        return format!("{asked}: none, {why}");
    }
    let mut parts = vec![format!("{asked}: {threads} threads")];
    if *threads_by_timer > 0 {
        let because = if perf.is_empty() { String::new() } else { format!(", {perf}") };
        parts.push(format!("{threads_by_timer} of them by timers{because}"));
    }
    if samples.longest_period_ns > 0 {
        let period = duration(samples.longest_period_ns);
        parts.push(format!("threads took turns, with up to {period} from one sample to the next"));
    }
    if !why.is_empty() {
        parts.push(format!("ended: {why}"));
    }
    if *threads_without > 0 {
        parts.push(format!("{threads_without} threads not sampled, or not to their end"));
    }
    if *lost > 0 {
        parts.push(format!("{lost} lost for lack of space"));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_reported_with_their_results() {
        let mut facts = Facts::default();
        assert_eq!((line(&facts), value(&facts)), (None, Value::Null));
        facts.samples = Samples {
            asked: "200,cpu".into(),
            threads: 4,
            threads_without: 1,
            lost: 7,
            ..Samples::default()
        };
        let expected = "samples   200,cpu: 4 threads; 1 threads not sampled, or not to their end; 7 lost for \
            lack of space";
        assert_eq!(line(&facts).as_deref(), Some(expected));
        facts.samples.threads_by_timer = 4;
        facts.samples.perf = "perf is refused".into();
        facts.samples.why = "the signal is taken".into();
        let expected = "samples   200,cpu: 4 threads; 4 of them by timers, perf is refused; ended: the signal is taken; 1 threads not sampled";
        assert!(line(&facts).is_some_and(|line| line.starts_with(expected)));
        facts.samples.longest_period_ns = 500_000_000;
        assert!(
            line(&facts).is_some_and(|line| line.contains("took turns, with up to 500 ms from"))
        );
        facts.samples.threads = 0;
        assert_eq!(line(&facts).as_deref(), Some("samples   200,cpu: none, the signal is taken"));
        assert_eq!(value(&facts)["lost"], 7);
    }
}
