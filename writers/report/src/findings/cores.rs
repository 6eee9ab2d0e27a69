//! Threads that wanted a core and had none: why, and what to do. What others lost by it is no finding of its own.

use super::gain::ns;
use super::{of_all, worth};
use crate::model::{Cores, Finding, Gain, Report};
use crate::state::State;
use crate::text::{duration, percent};
use std::collections::BTreeMap;

/// From this share on threads had the cores that they wanted.
const ENOUGH: f64 = 0.95;
/// Spinning is part of the cure where it took at least this share of the time on cores.
const SPINNING: f64 = 0.05;
/// A quota is the reason where it is used up to this part.
const USED_UP: f64 = 0.85;
/// Threads that want a core at the same time are more than the cores from this ratio on.
const TOO_MANY: f64 = 1.05;

/// The finding, where threads lacked cores and it was worth something.
pub(super) fn find(report: &Report) -> Option<Finding> {
    let cores = report.cores.as_ref()?;
    let share = cores.share.filter(|share| *share < ENOUGH)?;
    let lost = report.times.of(State::OffCorePreempted) + report.blame.without_core_ns;
    let missing = cores.wanted_ns - cores.given_ns;
    if !worth(report, missing.max(lost)) {
        return None;
    }
    let (cause, cure, certainty) = cause(report, cores);
    let text = format!(
        "Threads had a core for {} of the time that they wanted one: {cause}. Work without a core and waiting for it \
         take {} ({} of all thread time). {cure}",
        percent(share),
        duration(lost),
        percent(of_all(report, lost)),
    );
    Some(
        Finding {
            kind: "cores",
            lost_ns: lost,
            share: of_all(report, lost),
            text,
            evidence: Vec::new(),
            gain: gain(report, cores, certainty),
            cure,
            ..Finding::default()
        }
        .shown_by("wanted_ns", ns(cores.wanted_ns))
        .shown_by("given_ns", ns(cores.given_ns))
        .shown_by("spun_ns", ns(cores.spun_ns)),
    )
}

/// Where threads lacked cores, waiting counts as far as others worked meanwhile and there was a core for it. When that
/// was is not known where only sums are: it counts no more than by the share of time for which there were cores. Of
/// findings, what is left must be worth a sentence.
pub(super) fn weigh(report: &Report, found: &mut Vec<Finding>) {
    let blame = &report.blame;
    let all = blame.idle_ns + blame.wait_ns;
    let for_nobody = blame.idle_uncharged_ns + blame.wait_uncharged_ns + blame.without_core_ns;
    let own = all.saturating_sub(for_nobody) as f64 / all.max(1) as f64;
    let share = report.cores.and_then(|cores| cores.share).unwrap_or(1.0);
    for finding in found.iter_mut().filter(|finding| is_of_waiting(finding.kind)) {
        finding.lost_ns = (finding.lost_ns as f64 * own.min(share)) as u64;
        finding.share = of_all(report, finding.lost_ns);
        finding.gain = finding.gain.times(report, share);
        let left = percent(finding.share);
        finding.text += &format!(". For want of cores only {left} of all thread time counts of it");
    }
    found.retain(|finding| worth(report, finding.lost_ns));
}

/// What is worked by several threads takes at least its work by the cores that there were for it; the rest of the run is
/// serial. How much of the way there the cure leads is certain where it is up to the program, and half of it elsewhere.
fn gain(report: &Report, cores: &Cores, certainty: f64) -> Gain {
    let wall = report.wall_ns as f64;
    let covered = report.efficiency.parallel_coverage * wall;
    let had = (cores.given_ns as f64 / wall.max(1.0)).max(1.0);
    let serial = report.times.of(State::WorkSerial) as f64;
    let worked = (report.times.work() as f64 - serial).max(0.0) / had;
    let most = (covered - worked).max(0.0);
    Gain::of(report, certainty * most, certainty * most / 2.0, most)
}

/// Whether what a finding counts is waiting for other threads.
fn is_of_waiting(kind: &str) -> bool {
    matches!(
        kind,
        "imbalance" | "short" | "late" | "single" | "barrier" | "serial" | "idle" | "taskwait"
    )
}

/// Why threads had no core, as far as it shows, and what to do about it.
fn cause(report: &Report, cores: &Cores) -> (String, String, f64) {
    let wall = report.wall_ns.max(1) as f64;
    let (wanted, given) = (cores.wanted_ns as f64 / wall, cores.given_ns as f64 / wall);
    let machine = &report.program.surroundings;
    let may = report.program.cores.max(1);
    let quota = machine.quota.as_ref().filter(|quota| {
        quota.throttled_ns.is_some_and(|time| time > 0) && given >= USED_UP * quota.cores
    });
    if let Some(quota) = quota {
        let cause = format!(
            "{wanted:.1} threads wanted one at a time, and a quota allows the process {:.3} cores ({}), which throttled \
             them for {}",
            quota.cores,
            quota.group,
            duration(quota.throttled_ns.unwrap_or(0)),
        );
        let fits = (quota.cores.floor() as u32).max(1);
        return (cause, fewer(report, cores, (fits, "or raise the quota")), 0.5);
    }
    if wanted > TOO_MANY * f64::from(may) {
        let narrow = machine.online > may;
        let cause = format!(
            "{wanted:.1} threads wanted one at a time, and the process may use {may}{}",
            match narrow {
                true => format!(" of the machine's {} (cores {})", machine.online, machine.allowed),
                false => String::new(),
            }
        );
        let or = if narrow {
            "or let it use more cores (taskset, the batch system's settings)"
        } else {
            ""
        };
        return (cause, fewer(report, cores, (may, or)), 1.0);
    }
    let used = report.program.used_cores;
    if used > 0 && wanted > TOO_MANY * f64::from(used) {
        let cause = format!(
            "{wanted:.1} threads wanted one at a time, but they ran on {used} of the {may} cores that the process may \
             use: they are bound so{}",
            match machine.bound.len() {
                0 => String::new(),
                _ => format!(" ({})", lists(&machine.bound)),
            }
        );
        let cure = "Give each thread a core of its own (OMP_PLACES=cores, OMP_PROC_BIND=close), or do not bind \
                    threads at all (OMP_PROC_BIND=false)."
            .to_owned();
        return (cause, cure, 0.5);
    }
    let load = machine.load_at_end.or(machine.load);
    let cause = format!(
        "{wanted:.1} threads wanted one at a time, and the process may use {may}; other processes had them{}",
        load.map(|load| format!(" (load average {load:.1})")).unwrap_or_default(),
    );
    let left = (given.round() as u32).clamp(1, may);
    (cause, fewer(report, cores, (left, "or find cores that nobody else uses")), 0.5)
}

/// Fewer threads, or threads that sleep while they wait.
fn fewer(report: &Report, cores: &Cores, (threads, or): (u32, &str)) -> String {
    let spins = cores.spun_ns as f64 >= SPINNING * cores.given_ns as f64;
    let mut cure = match report.levels {
        0 | 1 => format!("Use OMP_NUM_THREADS={threads}"),
        levels => format!(
            "There are teams within teams, on {levels} levels: allow one (OMP_MAX_ACTIVE_LEVELS=1), with \
             OMP_NUM_THREADS={threads}"
        ),
    };
    if !or.is_empty() {
        cure += ", ";
        cure += or;
    }
    if spins {
        cure += &format!(
            "; threads that wait spin and take {} of the time on cores: OMP_WAIT_POLICY=passive lets them sleep",
            percent(cores.spun_ns as f64 / cores.given_ns.max(1) as f64)
        );
    }
    cure + "."
}

/// Where threads may run: `3 on 0, 1 on 0-7`.
fn lists(bound: &BTreeMap<String, u32>) -> String {
    let lists = bound.iter().map(|(list, threads)| format!("{threads} on {list}"));
    lists.collect::<Vec<_>>().join(", ")
}
