//! Sources of a recording's events: runtimes, their interfaces, and the answers to requests for callbacks.

use crate::say::harmless;
use ompttrace_recording::facts::{ITT, KOKKOS, NVTX, PHASES, Runtime};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The interface whose events have the names of our own.
const OMPT: &str = "ompt";

/// A runtime in JSON.
pub fn value(runtime: &Runtime) -> Value {
    json!({
        "interface": runtime.interface,
        "dialect": runtime.dialect,
        "version": runtime.version,
        "omp_version": runtime.omp_version,
        "library": runtime.library,
        "notes": runtime.notes,
        "states": runtime.states,
        "mutex_implementations": runtime.mutex_implementations,
        "registered": if runtime.interface == OMPT { Value::Null } else { json!(runtime.callbacks) },
    })
}

/// A runtime in text: its name, its interface, and notes for users.
pub fn lines(runtime: &Runtime) -> Vec<String> {
    let mut words = Vec::new();
    if !runtime.is_of_phases() {
        words.push(format!("{} ({})", runtime.version, runtime.library));
    }
    if runtime.interface != OMPT {
        words.push(interface(runtime));
    }
    words.extend(runtime.notes.iter().cloned());
    if runtime.interface != OMPT {
        words.extend(answers(&runtime.callbacks));
    }
    let mut before = "runtime   ";
    let line = |words: &String| {
        format!("{}{}", std::mem::replace(&mut before, "          "), harmless(words))
    };
    words.iter().map(line).collect()
}

fn interface(runtime: &Runtime) -> String {
    let name = match runtime.interface.as_str() {
        "ompt-tr2" => "OMPT of Technical Report 2 (2014)",
        "collector" => "Sun Collector API (2007)",
        "ompi" => "none: wrapped functions of OMPi's ORT",
        PHASES => "phases that the program marks",
        KOKKOS => "phases by Kokkos Tools",
        NVTX => "phases by NVTX",
        ITT => "phases by ITT",
        other => other,
    };
    match runtime.dialect.as_str() {
        "" => format!("interface {name}"),
        dialect => format!("interface {name}, {dialect}"),
    }
}

/// Events of another interface, by the runtime's answer to the request for them.
fn answers(callbacks: &BTreeMap<String, String>) -> Vec<String> {
    let mut by_answer: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (event, answer) in callbacks {
        by_answer.entry(answer).or_default().push(event);
    }
    by_answer.iter().map(|(answer, events)| format!("{answer}: {}", events.join(", "))).collect()
}

/// The runtime's answer to the request for a callback of today's interface.
pub fn registered(runtime: Option<&Runtime>, name: &str) -> String {
    let answer = runtime.and_then(|runtime| runtime.callbacks.get(name));
    let other = runtime.is_some_and(|runtime| runtime.interface != OMPT);
    match answer {
        Some(words) if !other => harmless(words),
        _ if other => "-".to_owned(),
        _ => "unknown".to_owned(),
    }
}
