//! Explicit tasks: too small, or too few.

use super::{about, named, of_all, worth};
use crate::model::{Finding, Report, TaskReport};
use crate::state::State;
use crate::text::{duration, percent};

pub(super) fn find(report: &Report, found: &mut Vec<Finding>) {
    for site in report.tasks.sites.iter().filter(|site| site.too_fine) {
        let making = site.making_ns.saturating_mul(site.created).min(report.times.all());
        let text = fine(report, site);
        found.push(about(report, "grain", site.construct, making, text));
    }
    for (at, construct) in report.constructs.iter().enumerate() {
        let waits =
            construct.times.of(State::WaitTaskwait) + construct.times.of(State::WaitTaskgroup);
        if worth(report, waits) {
            let text = format!(
                "{}: threads wait {} in it ({} of all thread time) with no task to run; {}",
                named(construct),
                duration(waits),
                percent(of_all(report, waits)),
                advice(report),
            );
            found.push(about(report, "taskwait", at, waits, text));
        }
    }
}

/// What to do where threads find no task.
pub(super) fn advice(report: &Report) -> &'static str {
    if report.tasks.sites.iter().any(|site| site.too_fine) {
        "tasks are too small to go round"
    } else if report.tasks.dependences > 0 {
        "let tasks depend on less, or make more of them"
    } else {
        "make more tasks, or make them earlier"
    }
}

fn fine(report: &Report, site: &TaskReport) -> String {
    let construct = report.constructs.get(site.construct);
    let making = match site.made_in_a_row {
        0 => String::new(),
        _ => format!(", and making one takes {}", duration(site.making_ns)),
    };
    format!(
        "{}: {} tasks with {} of work each are too small to be worth it{making}; use `if`, `final` or \
         a larger grainsize",
        construct.map(named).unwrap_or_default(),
        site.executed,
        duration(site.mean_ns),
    )
}
