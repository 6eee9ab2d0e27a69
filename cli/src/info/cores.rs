//! The way in which threads' cores were recorded, and for how many threads.

use crate::say::harmless;
use ompttrace_recording::Recording;
use ompttrace_recording::facts::Cores;
use serde_json::{Value, json};

pub fn value(recording: &Recording) -> Value {
    let cores = &recording.facts.cores;
    if cores.is_unknown() {
        return Value::Null;
    }
    json!({
        "asked": cores.asked,
        "used": known(&cores.used),
        "why": known(&cores.why),
        "threads_by_switches": cores.threads_by_switches,
        "threads_by_accounting": cores.threads_by_accounting,
        "threads_unknown": cores.threads_unknown,
        "lost_switches": cores.lost_switches,
        "storms": cores.storms,
        "streams": recording.cores.len(),
    })
}

fn known(word: &str) -> Option<&str> {
    Some(word).filter(|word| !word.is_empty())
}

pub fn line(recording: &Recording) -> String {
    let streams = recording.cores.len();
    format!("cores     {}", harmless(&in_words(&recording.facts.cores, streams)))
}

/// The way and the numbers of threads in one line, for a recording with this many core streams.
pub fn in_words(cores: &Cores, streams: usize) -> String {
    let asked = &cores.asked;
    if cores.is_unknown() || asked == "off" {
        return "not recorded".to_owned();
    }
    if cores.used.is_empty() {
        return format!(
            "{asked}: {streams} threads; how many more there were is unknown, because the run did not end normally"
        );
    }
    let ways = [
        ("by their switches", cores.threads_by_switches),
        ("by the kernel's accounting", cores.threads_by_accounting),
        ("unknown", cores.threads_unknown),
    ];
    let mut parts: Vec<_> = ways
        .iter()
        .filter(|(_, threads)| *threads > 0)
        .map(|(way, threads)| format!("{threads} threads {way}"))
        .collect();
    if cores.lost_switches > 0 {
        parts.push(format!("{} switches lost", cores.lost_switches));
    }
    if cores.storms > 0 {
        parts.push(format!(
            "{} periods with too many switches, a second of the kernel's sums for each",
            cores.storms
        ));
    }
    if !cores.why.is_empty() {
        parts.push(cores.why.clone());
    }
    if parts.is_empty() {
        parts.push("no threads".to_owned());
    }
    format!("{asked}: {}", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_reported_and_why_the_rest_is_not() {
        let cores = Cores { asked: "auto".into(), ..Cores::default() };
        assert!(in_words(&cores, 3).starts_with("auto: 3 threads; "));
        let cores = Cores { used: "switches".into(), threads_by_switches: 2, ..cores };
        assert_eq!(in_words(&cores, 2), "auto: 2 threads by their switches");
        let cores = Cores {
            threads_by_accounting: 1,
            threads_unknown: 4,
            lost_switches: 9,
            storms: 3,
            why: "no memory".to_owned(),
            ..cores
        };
        assert_eq!(
            in_words(&cores, 2),
            "auto: 2 threads by their switches; 1 threads by the kernel's accounting; 4 threads unknown; \
             9 switches lost; 3 periods with too many switches, a second of the kernel's sums for each; no memory"
        );
        let off = Cores { asked: "off".into(), used: "off".into(), ..Cores::default() };
        assert_eq!([in_words(&off, 0), in_words(&Cores::default(), 0)], ["not recorded"; 2]);
    }
}
