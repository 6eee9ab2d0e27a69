//! Counters of threads in `info`: those that were read, and those that were requested in vain.

use crate::say::harmless;
use ompttrace_recording::facts::{Counters, Facts};
use serde_json::{Value, json};

pub fn value(facts: &Facts) -> Value {
    if facts.counters.are_none() { Value::Null } else { json!(facts.counters) }
}

/// A line about the counters; none if no counters were requested.
pub fn line(facts: &Facts) -> Option<String> {
    let counters = &facts.counters;
    (!counters.are_none()).then(|| format!("counters  {}", harmless(&in_words(counters))))
}

fn in_words(counters: &Counters) -> String {
    let counted = counters.counted.iter().map(|counter| match counter.outside_kernel {
        true => format!("{} (outside the kernel)", counter.name),
        false => counter.name.clone(),
    });
    let refused = counters.refused.iter().map(|one| format!("no {}: {}", one.name, one.why));
    let mut parts: Vec<_> = counted.chain(refused).collect();
    if counters.threads_without > 0 {
        parts.push(format!("{} threads without counters of perf", counters.threads_without));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::facts::{Counter, Refused};

    #[test]
    fn what_is_counted_is_reported_and_what_not() {
        let mut facts = Facts::default();
        assert_eq!((line(&facts), value(&facts)), (None, Value::Null));
        let counter = |name: &str, outside_kernel| Counter {
            name: name.into(),
            outside_kernel,
            ..Counter::default()
        };
        facts.counters = Counters {
            counted: vec![counter("page-faults", false), counter("instructions", true)],
            refused: vec![Refused { name: "cycles".into(), why: "there are none".into() }],
            threads_without: 2,
        };
        let expected = "counters  page-faults; instructions (outside the kernel); no cycles: there are none; 2 \
            threads without counters of perf";
        assert_eq!(line(&facts).as_deref(), Some(expected));
        assert_eq!(value(&facts)["counted"][1]["outside_kernel"], true);
    }
}
