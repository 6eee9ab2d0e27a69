//! The machine as the process of a recording found it, in `info`.

use crate::say::harmless;
use ompttrace_model::surroundings;
use ompttrace_recording::facts::Facts;

pub fn lines(facts: &Facts) -> Vec<String> {
    let mut before = "machine   ";
    let line = |(name, value): (String, String)| {
        let before = std::mem::replace(&mut before, "          ");
        format!("{before}{}: {}", harmless(&name), harmless(&value))
    };
    surroundings(facts).into_iter().map(line).collect()
}
