//! Explicit tasks: too small, too few, or not there when threads want one.

use super::{Found, about, named, of_all, worth};
use crate::model::{Report, TaskReport};
use crate::state::State;
use crate::text::{duration, percent};

/// Tasks for each thread from which on there are enough of them.
const ENOUGH: u64 = 32;
/// Part of the longest chain of work from which on a single task is the reason for it.
const MUCH: f64 = 0.5;
/// Threads that the chain leaves busy, as a part of those there are, below which it is the reason.
const NARROW: f64 = 0.8;

pub(super) fn find(report: &Report, found: &mut Found) {
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
                "{}: threads wait {} in it ({} of all thread time) with no task to run{}",
                named(construct),
                duration(waits),
                percent(of_all(report, waits)),
                advice(report),
            );
            found.push(about(report, "taskwait", at, waits, text));
        }
    }
}

/// What to do where threads find no task, as far as the numbers tell: the end of a sentence.
pub(super) fn advice(report: &Report) -> String {
    let tasks = &report.tasks;
    let threads = report.efficiency.threads.max(1);
    let path = &report.critical_path;
    let longest = tasks.sites.iter().max_by_key(|site| site.longest_ns);
    if tasks.sites.iter().any(|site| site.too_fine) {
        return "; tasks are too small to go round".into();
    }
    if let Some(site) = longest
        && site.longest_ns as f64 >= MUCH * path.span_ns as f64
    {
        let place = report.constructs.get(site.construct).map(named).unwrap_or_default();
        let longest = duration(site.longest_ns);
        return format!(
            "; the longest, a {place}, has {longest} of work: split it or begin with it"
        );
    }
    if tasks.dependences > 0 && path.parallelism < NARROW * threads as f64 {
        let busy = path.parallelism;
        return format!(
            "; in their order they keep {busy:.1} threads busy: let them depend on less"
        );
    }
    if let Some(site) = tasks.sites.iter().find(|site| is_slow_to_come(site, threads)) {
        let making = duration(site.making_ns);
        return format!(
            "; one thread makes them, {making} each: let several make them, or larger ones"
        );
    }
    match tasks.created < ENOUGH * threads {
        true => "; make more tasks, or make them earlier".into(),
        false => String::new(),
    }
}

/// Whether one thread makes the tasks of a place more slowly than the others run them.
fn is_slow_to_come(site: &TaskReport, threads: u64) -> bool {
    let run = site.making_ns.saturating_mul(threads.saturating_sub(1));
    site.makers == 1 && site.created >= ENOUGH * threads && run > site.mean_ns
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Four threads, and tasks of 50 us; `change` makes them others.
    fn report(created: u64, change: impl FnOnce(&mut Report, &mut TaskReport)) -> String {
        let mut report = Report::default();
        report.efficiency.threads = 4;
        report.critical_path.span_ns = 10_000_000;
        report.critical_path.parallelism = 3.9;
        let (mean_ns, longest_ns, making_ns) = (50_000, 90_000, 500);
        let mut site = TaskReport {
            created,
            mean_ns,
            longest_ns,
            making_ns,
            makers: 1,
            ..TaskReport::default()
        };
        change(&mut report, &mut site);
        report.tasks.created = created;
        report.tasks.sites.push(site);
        advice(&report)
    }

    #[test]
    fn more_tasks_only_where_there_are_few() {
        assert_eq!(report(12, |_, _| ()), "; make more tasks, or make them earlier");
        assert_eq!(report(9_000, |_, _| ()), "", "thousands for each thread");
    }

    #[test]
    fn the_reason_is_looked_for_in_the_numbers() {
        let fine = report(9_000, |_, site| site.too_fine = true);
        assert!(fine.contains("too small"), "{fine}");
        let long = report(9_000, |_, site| site.longest_ns = 6_000_000);
        assert!(long.contains("6.00 ms of work: split it"), "{long}");
        let maker = report(9_000, |_, site| site.making_ns = 20_000);
        assert!(maker.contains("one thread makes them, 20.0 us each"), "{maker}");
        let makers = report(9_000, |_, site| (site.making_ns, site.makers) = (20_000, 4));
        assert_eq!(makers, "");
        let bound = |width| {
            report(9_000, |report, _| {
                report.tasks.dependences = 5;
                report.critical_path.parallelism = width;
            })
        };
        assert!(bound(1.2).contains("keep 1.2 threads busy"), "{}", bound(1.2));
        assert_eq!(bound(3.9), "");
    }
}
