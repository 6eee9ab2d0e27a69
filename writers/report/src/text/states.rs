//! The time of all threads by state.

use super::page::Page;
use super::tables::bar;
use super::{duration, heading, percent};
use crate::model::Report;
use crate::state::{Metric, State};

pub(super) fn states(report: &Report, text: &mut Page) {
    heading("Time of all threads", text);
    let all = report.times.all();
    let metrics = [
        ("OpenMP Work", Metric::Work),
        ("OpenMP Wait", Metric::Wait),
        ("Idle", Metric::Idle),
        ("Off core during work", Metric::OffCore),
    ];
    for (name, metric) in metrics {
        let time = report.times.metric(metric);
        if metric == Metric::OffCore && time == 0 {
            continue;
        }
        line(name, time, all, text);
        let states = State::ALL.iter().filter(|state| state.metric() == metric);
        for state in states.filter(|_| metric != Metric::Idle) {
            let time = report.times.of(*state);
            if time > 0 {
                line(&format!("  {}", state.name()), time, all, text);
            }
        }
    }
}

fn line(name: &str, time: u64, all: u64, text: &mut Page) {
    let share = time as f64 / all.max(1) as f64;
    let (figures, bar) = (percent(share), bar(share, text.bar(46, 34)));
    let line = format!("{name:<26}{:>9}{figures:>8}  {bar}", duration(time));
    text.push_str(&format!("{}\n", line.trim_end()));
}
