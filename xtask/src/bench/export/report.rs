//! The figures of exports as a table for people and as JSON for programs.

use super::measure::Measured;
use serde_json::{Value, json};

/// What the columns mean.
pub const LEGEND: &str = "\
M events/s: by the wall, then per second of processor time of all threads together (per core).
told: begins, ends, instants and values in the trace (packets, lines). The best of all rounds;
the largest peak of memory.";

/// Head of the table.
pub fn head() -> String {
    format!(
        "{:<12}{:>7}  {:<9}{:<8}{:>8}{:>10}{:>9}{:>8}{:>12}{:>10}",
        "load",
        "events",
        "format",
        "view",
        "M/s",
        "M/s/core",
        "B/event",
        "told",
        "M told/s/c",
        "peak MiB"
    )
}

/// One line of the table.
pub fn line(measured: &Measured) -> String {
    let Measured { load, format, view, .. } = measured;
    let events = measured.events as f64;
    let per_core = rate(measured.told as f64, measured.processor);
    format!(
        "{load:<12}{:>6.1}M  {format:<9}{view:<8}{:>8.1}{:>10.1}{:>9.1}{:>8.2}{per_core:>12.1}{:>10.1}",
        events / 1e6,
        rate(events, measured.wall),
        rate(events, measured.processor),
        measured.bytes as f64 / events.max(1.0),
        measured.told as f64 / events.max(1.0),
        measured.peak_kib as f64 / 1024.0,
    )
}

/// Millions a second.
fn rate(count: f64, seconds: f64) -> f64 {
    count / seconds.max(1e-9) / 1e6
}

/// Everything.
pub fn json(all: &[Measured], rounds: usize) -> Value {
    let cases: Vec<Value> = all.iter().map(case).collect();
    json!({ "rounds": rounds, "machine": crate::bench::report::machine(), "exports": cases })
}

fn case(measured: &Measured) -> Value {
    json!({
        "load": measured.load,
        "format": measured.format,
        "view": measured.view,
        "events": measured.events,
        "told": measured.told,
        "bytes": measured.bytes,
        "wall_seconds": measured.wall,
        "processor_seconds": measured.processor,
        "peak_kib": measured.peak_kib,
    })
}
