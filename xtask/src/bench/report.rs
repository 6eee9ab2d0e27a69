//! The figures as a table for people and as JSON for programs.

use super::contender::Contender;
use super::figures::{figures, paired_ratio, ratio_of_minima};
use super::rounds::Measured;
use serde_json::{Map, Value, json};

/// What the columns mean.
pub const LEGEND: &str = "\
thread-ns per event = added wall time x threads / events; minima of all rounds, then the median
of the differences within a round. ours/tsc and ours/raw: median of the ratios of run times within
a round, then the ratio of the best times. B/event: what ompttrace left on disk.";

/// Head of the table.
pub fn head() -> String {
    let mut line = format!("{:<12}{:>9}", "load", "events");
    for contender in tools() {
        line += &format!("{:>16}", contender.name());
    }
    line + &format!("{:>14}{:>14}{:>9}", "ours/tsc", "ours/raw", "B/event")
}

/// One line of the table.
pub fn line(measured: &Measured) -> String {
    let none = measured.times(Contender::None);
    let ours = measured.times(Contender::Ompttrace);
    let mut line = format!("{:<12}{:>9}", measured.load.name(), measured.events);
    for contender in tools() {
        let times = measured.times(contender);
        let figures = figures(times, none, measured.load.threads, measured.events);
        line += &format!("{:>8.1}{:>8.1}", figures.thread_ns_min, figures.thread_ns_median);
    }
    for other in [Contender::Tsc, Contender::Raw] {
        let other = measured.times(other);
        line += &format!("{:>7.2}{:>7.2}", paired_ratio(ours, other), ratio_of_minima(ours, other));
    }
    line + &format!("{:>9.1}", measured.bytes_per_event(Contender::Ompttrace))
}

/// A second line, where instructions were counted, below the first one's columns.
pub fn instructions(measured: &Measured) -> Option<String> {
    let mut line = format!("{:<21}", "  instructions/event");
    for contender in tools() {
        line += &format!("{:>16.1}", measured.instructions(contender)?);
    }
    Some(line)
}

/// A warning, where something else has the machine.
pub fn busy() -> Option<String> {
    let load = load_average().filter(|load| *load > 0.7)?;
    Some(format!("the machine is busy (load average {load}): these times will mean little\n"))
}

/// Everything, the times of single rounds included.
pub fn json(all: &[Measured], direct: Value, rounds: usize) -> Value {
    let loads: Vec<Value> = all.iter().map(load_json).collect();
    json!({ "rounds": rounds, "machine": machine(), "direct": direct, "loads": loads })
}

fn tools() -> impl Iterator<Item = Contender> {
    Contender::ALL.into_iter().filter(|contender| *contender != Contender::None)
}

fn load_json(measured: &Measured) -> Value {
    let none = measured.times(Contender::None);
    let mut contenders = Map::new();
    for contender in Contender::ALL {
        let times = measured.times(contender);
        let figures = figures(times, none, measured.load.threads, measured.events);
        let value = json!({
            "min_ns": figures.min_ns,
            "median_ns": figures.median_ns,
            "slowdown_median": figures.slowdown,
            "thread_ns_per_event_min": figures.thread_ns_min,
            "thread_ns_per_event_median": figures.thread_ns_median,
            "instructions_per_event": measured.instructions(contender),
            "bytes_per_event": measured.bytes_per_event(contender),
            "ns": times,
        });
        contenders.insert(contender.name().to_owned(), value);
    }
    let ours = measured.times(Contender::Ompttrace);
    let against = |other: Contender| {
        let other = measured.times(other);
        json!({ "median_of_ratios": paired_ratio(ours, other), "ratio_of_minima": ratio_of_minima(ours, other) })
    };
    json!({
        "load": measured.load.program,
        "threads": measured.load.threads,
        "iterations": measured.load.iterations,
        "events": measured.events,
        "contenders": contenders,
        "ompttrace_to_tsc": against(Contender::Tsc),
        "ompttrace_to_raw": against(Contender::Raw),
    })
}

/// What it was measured on.
pub fn machine() -> Value {
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    json!({ "cpu": model, "cpus": cpus, "arch": std::env::consts::ARCH, "load_average": load_average() })
}

fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}
