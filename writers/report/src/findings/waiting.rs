//! Waiting at barriers: uneven loops and regions, single, barriers of the program.

use super::{about, named, of_all, worth};
use crate::model::{Class, ConstructReport, Finding, Report, TaskReport};
use crate::state::{State, Times};
use crate::text::{duration, percent, times};

/// From here on threads that differ are the reason.
const UNEVEN: f64 = 0.10;

pub(super) fn find(report: &Report, found: &mut Vec<Finding>) {
    for (at, construct) in report.constructs.iter().enumerate() {
        let waits = construct.times.sum(State::is_barrier);
        if !worth(report, waits) {
            continue;
        }
        let (kind, text) = match construct.class {
            Class::Sync => ("barrier", barrier(report, construct, waits)),
            Class::Work if construct.what.starts_with("single") => {
                ("single", single(report, construct, waits))
            }
            _ => ("imbalance", uneven(construct, waits, thread_time(report, at))),
        };
        found.push(about(report, kind, at, waits, text));
    }
}

fn barrier(report: &Report, construct: &ConstructReport, waits: u64) -> String {
    format!(
        "{}: threads wait {} there, {} of all thread time; make what comes before it more even",
        named(construct),
        duration(waits),
        percent(of_all(report, waits)),
    )
}

fn single(report: &Report, construct: &ConstructReport, waits: u64) -> String {
    if report.tasks.sites.iter().any(|site| is_made_in(report, site, construct)) {
        return format!(
            "{}: threads wait {} ({} of all thread time) at its barrier with no task to run; {}",
            named(construct),
            duration(waits),
            percent(of_all(report, waits)),
            super::tasks::advice(report),
        );
    }
    format!(
        "{}: the others wait {} ({} of all thread time) while one thread works {} in it; try \
         `nowait`, or make tasks of it",
        named(construct),
        duration(waits),
        percent(of_all(report, waits)),
        duration(construct.times.work()),
    )
}

/// Whether tasks are made in the region of a construct.
fn is_made_in(report: &Report, site: &TaskReport, construct: &ConstructReport) -> bool {
    report.constructs.get(site.construct).is_some_and(|made| made.region == construct.region)
}

/// The time that threads spend in a construct; in a region with all that is in it.
fn thread_time(report: &Report, at: usize) -> u64 {
    let region = report.regions.iter().find(|region| region.construct == at);
    let own = report.constructs.get(at).map(|construct| &construct.times);
    region.map(|region| &region.times).or(own).map_or(0, Times::all)
}

fn uneven(construct: &ConstructReport, waits: u64, all: u64) -> String {
    let share = percent(waits as f64 / all.max(1) as f64);
    let barrier = format!("{}: {share} of thread time waits at its barrier", named(construct));
    let balance = construct.balance;
    if balance.instances == 0 {
        return format!("{barrier}; {}", other_reason(construct));
    }
    if balance.imbalance < UNEVEN {
        let each = balance.mean_ns / balance.instances;
        return format!(
            "{barrier}, though its threads share the work evenly ({} each in {} executions): {}",
            duration(each),
            balance.instances,
            other_reason(construct)
        );
    }
    format!("{barrier}; {}; {}", who(construct), advice(construct))
}

fn other_reason(construct: &ConstructReport) -> &'static str {
    if construct.times.sum(State::is_mutex) > 0 {
        "waiting for mutexes makes them late"
    } else {
        "threads may begin it late or lose their core; larger pieces of work help"
    }
}

/// Who works more than the others.
fn who(construct: &ConstructReport) -> String {
    let work = &construct.work_by_thread_ns;
    let mean = work.iter().sum::<u64>() as f64 / work.len().max(1) as f64;
    let most = work.iter().enumerate().max_by_key(|(_, work)| **work);
    let ratio = most.map_or(0.0, |(_, work)| *work as f64 / mean.max(1.0));
    let balance = construct.balance;
    match most {
        Some((number, _)) if ratio - 1.0 > balance.imbalance / 2.0 => {
            format!("thread {number} works {} the mean", times(ratio))
        }
        _ => format!(
            "the longest thread works {} the mean, not always the same one",
            times(1.0 + balance.imbalance)
        ),
    }
}

fn advice(construct: &ConstructReport) -> &'static str {
    match construct.what.as_str() {
        "for static" | "for" => "try schedule(dynamic)",
        "for dynamic" | "for guided" => "try smaller chunks, or begin with the longest iterations",
        "sections" => "try more and smaller sections",
        _ => "share its work more evenly",
    }
}
