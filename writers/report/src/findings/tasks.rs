//! Explicit tasks: too small, too few, or not there when threads want one.

use super::gain::{elapsed, ns, recording, region_time, work_in};
use super::uneven::AS_FAST;
use super::{Findings, about, named, of_all, up_to, worth};
use crate::model::{ConstructReport, Gain, Report, TaskReport};
use crate::state::State;
use crate::text::{duration, percent};

/// Tasks for each thread from which on there are enough of them.
const ENOUGH: u64 = 32;
/// Part of the longest chain of work from which on a single task is the reason for it.
const MUCH: f64 = 0.5;
/// Threads that the chain leaves busy, as a part of those there are, below which it is the reason.
const NARROW: f64 = 0.8;

/// Time to create a task above which data is probably copied, in nanoseconds.
pub(crate) const USUAL_MAKING: u64 = 20_000;
/// Number of tasks created right after another from which on the time of a creation is known.
const IN_A_ROW: u64 = 10;
/// Part of a task's work from which on the time of its creation counts.
const CONSIDERABLE: f64 = 0.1;

const SHARE: &str = "share the data, or pass a pointer to it, instead of a copy for each task (`shared` for `firstprivate`)";
const LARGER: &str = "make fewer and larger tasks (`if`, `final`, grainsize)";

pub(super) fn find(report: &Report, found: &mut Findings) {
    for site in report.tasks.sites.iter().filter(|site| site.too_fine) {
        let making = site.making_ns.saturating_mul(site.created).min(report.times.all());
        let (cure, gain) = larger(report, site);
        let text = fine(report, site);
        let finding = about(report, "grain", site.construct, making, text).cured_by(cure, gain);
        let finding = finding.shown_by("tasks", site.executed);
        let finding = finding.shown_by("task_work_ns", ns(site.mean_ns));
        found.push(finding.shown_by("task_making_ns", ns(site.making_ns)));
    }
    for site in report.tasks.sites.iter().filter(|site| is_copied(site)) {
        let making = site.making_ns.saturating_mul(site.created).min(report.times.all());
        if worth(report, making) {
            let text = copied(report, site, making);
            let gain = larger(report, site).1;
            let finding = about(report, "creation", site.construct, making, text);
            let finding = finding.cured_by(SHARE, gain).shown_by("tasks", site.created);
            found.push(finding.shown_by("task_making_ns", ns(site.making_ns)));
        }
    }
    for (at, construct) in report.constructs.iter().enumerate() {
        let waits =
            construct.times.of(State::WaitTaskwait) + construct.times.of(State::WaitTaskgroup);
        if worth(report, waits) {
            let (cure, gain) = cure(report, construct, waits);
            let text = format!(
                "{}: threads wait {} in it ({} of all thread time) with no task to run",
                named(construct),
                duration(waits),
                percent(of_all(report, waits)),
            );
            let finding = about(report, "taskwait", at, waits, text).cured_by(cure, gain);
            found.push(finding.shown_by("waited_ns", ns(waits)));
        }
    }
}

/// True where making a task takes so much longer than usual that its data must be copied, or the program works between two.
fn is_copied(site: &TaskReport) -> bool {
    let counts = site.making_ns as f64 >= CONSIDERABLE * site.mean_ns as f64;
    site.made_in_a_row >= IN_A_ROW && site.making_ns >= USUAL_MAKING && counts
}

fn copied(report: &Report, site: &TaskReport, making: u64) -> String {
    let construct = report.constructs.get(site.construct);
    // Of a taskloop nothing but the runtime and copies lies between two tasks.
    let of = |other: &ConstructReport| {
        other.what == "taskloop"
            && construct.is_some_and(|made| made.location.short == other.location.short)
    };
    let why = match report.constructs.iter().any(of) {
        true => "data is copied at creation",
        false => "data is copied at creation, or the program works between two of them",
    };
    format!(
        "{}: making each of {} tasks takes {} ({} of all thread time), far more than a runtime needs: {why}",
        construct.map(named).unwrap_or_default(),
        site.created,
        duration(site.making_ns),
        percent(of_all(report, making)),
    )
}

/// Cure where threads find no task, as far as the numbers show one, and its gain at a construct where they wait.
pub(super) fn cure(report: &Report, construct: &ConstructReport, waits: u64) -> (String, Gain) {
    let waited = elapsed(report, construct, waits);
    let (reason, cure) = reason(report);
    let gain = match reason {
        // So wide that the threads are busy but for a fifth: where order no more counts as the reason.
        Reason::Order => Gain::of(report, waited - (1.0 - NARROW) * waited, 0.0, waited),
        Reason::Longest(longest) => {
            let halved = (longest as f64 / 2.0).min(waited);
            Gain::of(report, halved, halved / 2.0, waited)
        }
        Reason::Unknown => Gain::of(report, waited / 4.0, 0.0, waited),
        _ => up_to(report, waited),
    };
    (cure, gain)
}

/// Reason for which threads find no task.
enum Reason {
    Fine,
    Longest(u64),
    Order,
    Maker,
    Few,
    Unknown,
}

fn reason(report: &Report) -> (Reason, String) {
    let tasks = &report.tasks;
    let threads = report.efficiency.threads.max(1);
    let path = &report.critical_path;
    let longest = tasks.sites.iter().max_by_key(|site| site.longest_ns);
    if tasks.sites.iter().any(|site| site.too_fine) {
        return (Reason::Fine, "make larger tasks: they are too small to go round".into());
    }
    if tasks.sites.iter().any(is_copied) {
        return (Reason::Fine, SHARE.into());
    }
    if let Some(site) = longest
        && site.longest_ns as f64 >= MUCH * path.span_ns as f64
    {
        let name = report.constructs.get(site.construct).map(named).unwrap_or_default();
        let longest = duration(site.longest_ns);
        let cure = format!("split the longest, a {name}, which has {longest} of work");
        return (Reason::Longest(site.longest_ns), cure);
    }
    if tasks.dependences > 0 && path.parallelism < NARROW * threads as f64 {
        let busy = path.parallelism;
        let cure =
            format!("let tasks depend on less: in their order they keep {busy:.1} threads busy");
        return (Reason::Order, cure);
    }
    if let Some(site) = tasks.sites.iter().find(|site| is_slow_to_come(site, threads)) {
        let making = duration(site.making_ns);
        let cure = format!("let several threads make tasks: one makes them, {making} each");
        return (Reason::Maker, cure);
    }
    match tasks.created < ENOUGH * threads {
        true => (Reason::Few, "make more tasks".into()),
        false => (Reason::Unknown, String::new()),
    }
}

/// Cure and gain of tasks that are merged until their creation no longer counts: their region takes the work of its
/// threads without creations, on all threads, or on one if that is about as fast.
fn larger(report: &Report, site: &TaskReport) -> (String, Gain) {
    let region = report.constructs.get(site.construct).and_then(|construct| construct.region);
    let Some(region) = region else { return (LARGER.into(), Gain::default()) };
    let now = region_time(report, region);
    let is_there = |other: &&TaskReport| {
        report.constructs.get(other.construct).and_then(|construct| construct.region)
            == Some(region)
    };
    // From one creation to the next there is the record of one.
    let making = |site: &TaskReport| {
        ((site.making_ns * site.created) as f64 - recording(report, site.created)).max(0.0)
    };
    let all = || report.tasks.sites.iter().filter(is_there);
    let work = work_in(report, region);
    let pure = (work - all().map(making).sum::<f64>()).max(work / 20.0);
    let threads = report.constructs.get(region).map_or(1, |region| region.threads).max(1) as f64;
    let (after, before) = (pure / threads, work / threads);
    let gain = Gain::of(report, now - after, now - before, now - after / 2.0);
    let cure = match pure <= AS_FAST * now {
        true => format!("{LARGER}; without tasks one thread would be about as fast"),
        false => LARGER.to_owned(),
    };
    (cure, gain)
}

/// True if one thread creates the tasks of a location more slowly than the other threads execute them.
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
        "{}: {} tasks with {} of work each are too small to be worth it{making}",
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
        reason(&report).1
    }

    #[test]
    fn making_that_takes_far_longer_than_usual_copies_data() {
        let cure = report(1_000, |_, site| (site.making_ns, site.made_in_a_row) = (4_000_000, 990));
        assert!(cure.contains("firstprivate"), "{cure}");
        let usual = report(1_000, |_, site| (site.making_ns, site.made_in_a_row) = (700, 990));
        assert!(!usual.contains("firstprivate"), "{usual}");
    }

    #[test]
    fn more_tasks_only_where_there_are_few() {
        assert_eq!(report(12, |_, _| ()), "make more tasks");
        assert_eq!(report(9_000, |_, _| ()), "", "thousands for each thread");
    }

    #[test]
    fn the_reason_is_looked_for_in_the_numbers() {
        let fine = report(9_000, |_, site| site.too_fine = true);
        assert!(fine.contains("too small"), "{fine}");
        let long = report(9_000, |_, site| site.longest_ns = 6_000_000);
        assert!(long.contains("split the longest, a , which has 6.00 ms of work"), "{long}");
        let maker = report(9_000, |_, site| site.making_ns = 20_000);
        assert!(maker.contains("one makes them, 20.0 us each"), "{maker}");
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
