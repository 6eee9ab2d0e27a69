//! How threads were sampled, and what came of it.

use crate::say::harmless;
use ompttrace_recording::facts::{Facts, Samples};
use serde_json::{Value, json};

pub fn value(facts: &Facts) -> Value {
    if facts.samples.are_not_asked() { Value::Null } else { json!(facts.samples) }
}

/// Nothing where nobody asked for samples.
pub fn line(facts: &Facts) -> Option<String> {
    let samples = &facts.samples;
    (!samples.are_not_asked()).then(|| format!("samples   {}", harmless(&in_words(samples))))
}

fn in_words(samples: &Samples) -> String {
    let Samples { asked, why, threads, threads_without, lost } = samples;
    if !why.is_empty() {
        return format!("{asked}: none, {why}");
    }
    let mut parts = vec![format!("{asked}: {threads} threads")];
    if *threads_without > 0 {
        parts.push(format!("{threads_without} threads without, or not to their end"));
    }
    if *lost > 0 {
        parts.push(format!("{lost} lost for want of room"));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_said_with_what_came_of_it() {
        let mut facts = Facts::default();
        assert_eq!((line(&facts), value(&facts)), (None, Value::Null));
        facts.samples = Samples {
            asked: "200,cpu".into(),
            threads: 4,
            threads_without: 1,
            lost: 7,
            ..Samples::default()
        };
        let expected = "samples   200,cpu: 4 threads; 1 threads without, or not to their end; 7 lost for want of room";
        assert_eq!(line(&facts).as_deref(), Some(expected));
        facts.samples.why = "perf is refused".into();
        assert_eq!(line(&facts).as_deref(), Some("samples   200,cpu: none, perf is refused"));
        assert_eq!(value(&facts)["lost"], 7);
    }
}
