//! Order of findings, and the attribution of symptoms to the findings that explain them.

use super::words;
use crate::model::{Class, ConstructReport, Finding, Report, Symptom};
use std::cmp::Reverse;

/// A gain of less than this part of the run is not worth a sentence, however likely it is.
pub(super) const WORTH: f64 = 0.01;

/// Findings with the symptoms that they explain, by their gain, the largest first.
pub(super) fn ranked(report: &Report, mut found: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut found {
        if let Some(kind) = words::of(finding.kind) {
            (finding.cause, finding.disproof) = (kind.cause, kind.disproof);
        }
    }
    // Cures of both may bring the run nothing: they say what its figures are worth.
    let is_of_run = |finding: &Finding| matches!(finding.kind, "tool" | "cores" | "unfinished");
    found.retain(|finding| is_of_run(finding) || finding.gain.high_share >= WORTH);
    found.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.text.cmp(&b.text)));
    let mut left: Vec<Finding> = Vec::new();
    // A cause stands in front of its symptoms whatever each of them would bring.
    found.sort_by_key(|finding| depth(finding.kind));
    for finding in found {
        match left.iter_mut().find(|cause| explains(report, cause, &finding)) {
            Some(cause) => take(report, cause, finding),
            None => left.push(finding),
        }
    }
    left.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.text.cmp(&b.text)));
    left
}

/// A symptom goes to its cause. What is lost by forks and at barriers is never the same time: their gains add up.
fn take(report: &Report, cause: &mut Finding, symptom: Finding) {
    if cause.kind == "short" && matches!(symptom.kind, "short" | "fork") && !is_alone(cause) {
        cause.gain = cause.gain.and(symptom.gain).times(report, 1.0);
    }
    let Finding { kind, construct, lost_ns, .. } = symptom;
    cause.explains.push(Symptom { kind, construct, lost_ns });
}

/// True if the finding's gain includes the time of all forks and barriers already.
fn is_alone(finding: &Finding) -> bool {
    finding.cure == super::uneven::ONE_THREAD
}

fn rank(finding: &Finding) -> (Reverse<u64>, Reverse<u64>) {
    (Reverse(finding.gain.ns), Reverse(finding.lost_ns))
}

/// Depth of a kind in a chain of causes: causes have smaller numbers than their symptoms.
fn depth(kind: &str) -> u8 {
    match kind {
        "cores" => 0,
        "creation" | "grain" | "lock" | "schedule" | "ordered" => 1,
        "single" | "taskwait" | "short" | "imbalance" => 2,
        "serial" | "barrier" | "fork" | "handover" | "nowait" => 3,
        _ => 4,
    }
}

/// True if `symptom` is a consequence of `cause`.
fn explains(report: &Report, cause: &Finding, symptom: &Finding) -> bool {
    if cause.kind == "cores" {
        // Whether a thread comes late is up to the system there.
        return symptom.kind == "late";
    }
    let same = cause.construct.is_some() && cause.construct == symptom.construct;
    let at = region(report, cause.construct);
    let of = regions(report, symptom);
    let together = !of.is_empty() && regions(report, cause).iter().any(|at| of.contains(at));
    match (cause.kind, symptom.kind) {
        ("creation" | "grain", "single" | "taskwait" | "barrier" | "late" | "fork" | "grain") => {
            together
        }
        ("single" | "taskwait", "single" | "taskwait" | "late") => {
            together && runs_tasks(report, at)
        }
        ("lock", "handover") => cause.location == symptom.location,
        ("lock" | "handover" | "ordered", "late") => together,
        ("ordered", "handover" | "imbalance") => together,
        ("schedule", "imbalance" | "late") => same,
        ("short", "fork" | "late" | "short") => together,
        ("imbalance", "late") => same,
        // Both are cured by the host's work and the device's at the same time.
        ("nowait", "device_idle") => true,
        ("imbalance", "imbalance") => is_without_barrier(report, cause, symptom),
        _ => false,
    }
}

/// True if the cure is to omit the barrier before the symptom's construct, which evens out both constructs.
fn is_without_barrier(report: &Report, cause: &Finding, symptom: &Finding) -> bool {
    let next = cause.construct.and_then(|at| report.constructs.get(at)?.what_if.nowait_before);
    cause.cure.starts_with(super::schedule::NOWAIT) && next.is_some() && next == symptom.construct
}

/// The regions of all constructs that a finding is about.
fn regions(report: &Report, finding: &Finding) -> Vec<usize> {
    let all = finding.construct.into_iter().chain(finding.also.iter().copied());
    all.filter_map(|at| region(report, Some(at))).collect()
}

/// The region that a construct is in, or is.
fn region(report: &Report, construct: Option<usize>) -> Option<usize> {
    let at = construct?;
    let construct: &ConstructReport = report.constructs.get(at)?;
    if construct.class == Class::Region { Some(at) } else { construct.region }
}

/// True if explicit tasks belong to a region.
fn runs_tasks(report: &Report, at: Option<usize>) -> bool {
    report.tasks.sites.iter().any(|site| region(report, Some(site.construct)) == at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Gain, TaskReport};

    /// A region with a loop, a single and tasks in it.
    fn report() -> Report {
        let construct =
            |class, region| ConstructReport { class, region, ..ConstructReport::default() };
        let site = TaskReport { construct: 3, ..TaskReport::default() };
        let mut report = Report {
            constructs: vec![
                construct(Class::Region, None),
                construct(Class::Work, Some(0)),
                construct(Class::Work, Some(0)),
                construct(Class::Task, Some(0)),
                construct(Class::Region, None),
            ],
            ..Report::default()
        };
        report.tasks.sites.push(site);
        report
    }

    fn finding(kind: &'static str, construct: usize, percent: u64) -> Finding {
        let share = percent as f64 / 100.0;
        let gain = Gain { ns: percent, share, high_share: share, ..Gain::default() };
        Finding { kind, construct: Some(construct), gain, ..Finding::default() }
    }

    fn kinds(found: Vec<Finding>) -> Vec<(&'static str, Vec<&'static str>)> {
        let ranked = ranked(&report(), found).into_iter();
        let explained = |one: &Finding| one.explains.iter().map(|symptom| symptom.kind).collect();
        ranked.map(|one| (one.kind, explained(&one))).collect()
    }

    #[test]
    fn tasks_that_are_too_small_explain_waiting_in_their_region() {
        let found = vec![
            finding("taskwait", 2, 40),
            finding("single", 1, 30),
            finding("grain", 3, 20),
            finding("late", 4, 10),
        ];
        assert_eq!(kinds(found), [("grain", vec!["taskwait", "single"]), ("late", vec![])]);
    }

    #[test]
    fn the_largest_gain_comes_first_and_what_brings_nothing_is_left_out() {
        let found =
            vec![finding("serial", 4, 0), finding("imbalance", 1, 5), finding("short", 4, 9)];
        assert_eq!(kinds(found), [("short", vec![]), ("imbalance", vec![])]);
    }

    #[test]
    fn that_cores_are_missing_is_said_whatever_the_cure_brings() {
        assert_eq!(kinds(vec![finding("cores", 4, 0)]), [("cores", vec![])]);
    }

    #[test]
    fn every_finding_says_its_cause_and_what_would_disprove_it() {
        for kind in words::KINDS {
            let found = ranked(&report(), vec![finding(kind.name, 4, 5)]);
            assert!(found.iter().all(|one| !one.cause.is_empty() && !one.disproof.is_empty()));
            assert_eq!(found.len(), 1, "{}", kind.name);
        }
    }
}
