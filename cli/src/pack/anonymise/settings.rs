//! Values of the environment: those that only say how a runtime works stay, all others are replaced.

use super::replacer::Replacer;

/// Words that values of runtimes' variables have by their documentation. Everything else may be the user's.
const WORDS: [&str; 67] = [
    "active",
    "affinity",
    "all",
    "auto",
    "balanced",
    "bind",
    "capabilities",
    "close",
    "compact",
    "core",
    "cores",
    "count",
    "default",
    "dedicated",
    "die",
    "disable",
    "disabled",
    "dynamic",
    "explicit",
    "false",
    "fine",
    "forkjoin",
    "granularity",
    "guided",
    "host",
    "hyper",
    "infinite",
    "intel",
    "l",
    "linear",
    "ll",
    "caches",
    "logical",
    "mandatory",
    "master",
    "modifiers",
    "monotonic",
    "no",
    "none",
    "nonmonotonic",
    "norespect",
    "noverbose",
    "nowarnings",
    "numa",
    "domains",
    "off",
    "on",
    "passive",
    "pattern",
    "plain",
    "primary",
    "proclist",
    "reduction",
    "respect",
    "scatter",
    "serial",
    "socket",
    "sockets",
    "spread",
    "static",
    "thread",
    "threads",
    "throughput",
    "true",
    "turnaround",
    "verbose",
    "yes",
];
/// Units of sizes and times.
const UNITS: [&str; 9] = ["b", "k", "m", "g", "t", "kb", "mb", "gb", "ms"];

/// A variable with its value, or with what it is replaced by.
pub fn replaced(name: &str, value: &str, by: &Replacer) -> (String, String) {
    let is_plain =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    let name =
        if name.chars().all(is_plain) { name.to_owned() } else { by.value("variable", name) };
    let value = if is_known(value) { value.to_owned() } else { by.value("value", value) };
    (name, value)
}

/// True if a value has only numbers, units and words that runtimes document.
fn is_known(value: &str) -> bool {
    let punctuation = |letter: char| " \t,:;=-+*(){}[]!._".contains(letter);
    value.split(punctuation).filter(|word| !word.is_empty()).all(|word| {
        let word = word.to_ascii_lowercase();
        let unit = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        unit.is_empty() || WORDS.contains(&unit) && unit == word || UNITS.contains(&unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Anonymise;

    #[test]
    fn what_runtimes_document_stays() {
        for value in [
            "4",
            "4,2",
            "static,128",
            "{0:4}:2:4",
            "cores(2)",
            "granularity=fine,compact,1,0",
            "16M",
            "TRUE",
            "",
            "numa_domains",
            "nonmonotonic:dynamic,4",
            "200ms",
        ] {
            assert!(is_known(value), "{value}");
        }
        for value in
            ["/home/a/libtool.so", "alice", "cores@node17", "4x", "0-3,customer", "true\u{e9}"]
        {
            assert!(!is_known(value), "{value}");
        }
    }

    #[test]
    fn values_and_odd_names_are_replaced() {
        let by = Replacer::new(Anonymise::Paths);
        let kept = replaced("OMP_NUM_THREADS", "4", &by);
        assert_eq!(kept, ("OMP_NUM_THREADS".to_owned(), "4".to_owned()));
        let path = replaced("OMP_TOOL_LIBRARIES", "/opt/x/libtool.so", &by);
        assert_eq!(path, ("OMP_TOOL_LIBRARIES".to_owned(), "value-1".to_owned()));
        assert_eq!(replaced("OMP_alice", "1", &by).0, "variable-1");
    }
}
