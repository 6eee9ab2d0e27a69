//! Threads that wanted a core and had none: the reason and the cure. It is a finding where the program is the cause,
//! and a circumstance of the run where others had the cores. Waiting that results from it is no finding of its own.

use super::gain::ns;
use super::{of_all, replayed, spinning, worth};
use crate::model::{BusyMachine, Cores, Finding, Gain, Report};
use crate::state::State;
use crate::text::{duration, percent};
use ompttrace_recording::facts::Quota;
use std::collections::BTreeMap;

/// Share of wanted core time from which on threads had the cores that they wanted.
pub(crate) const ENOUGH: f64 = 0.95;
/// A quota is the reason where it is used up to this part.
const USED_UP: f64 = 0.85;
/// Threads that want a core at the same time are more than the cores from this ratio on.
const TOO_MANY: f64 = 1.05;

/// Advice where other processes had the cores.
const ELSEWHERE: &str = "find cores that nobody else uses";

/// The consequence for the report where threads lacked cores and it was worth something.
pub(super) enum Lack {
    /// The program is the cause.
    OfProgram(Finding),
    /// Others had the cores, or the reason is unknown; with cures that the program itself has.
    Circumstance(BusyMachine, Vec<Finding>),
}

/// The consequence for the report where threads lacked cores.
pub(super) fn find(report: &Report) -> Option<Lack> {
    let cores = report.cores.as_ref()?;
    let share = cores.share.filter(|share| *share < ENOUGH)?;
    let lost = report.times.of(State::OffCorePreempted) + report.blame.without_core_ns;
    let missing = cores.wanted_ns - cores.given_ns;
    if !worth(report, missing.max(lost)) {
        return None;
    }
    let had = format!("a core for {} of the time that they wanted one", percent(share));
    match cause(report, cores) {
        Cause::Program { text, cure, certainty, free } => {
            let waited = duration(missing);
            let text = format!("Threads had {had}, and wanted one for {waited} more: {text}");
            let gain = gain(report, cores, (certainty, free));
            Some(Lack::OfProgram(finding(report, cores, (missing, text)).cured_by(cure, gain)))
        }
        Cause::Others { text, advice } => {
            // Where nobody knows who had the cores, nobody knows what a cure brings.
            let known = report.taken_cores_ns.map(|_| spinning::find(report, cores));
            let found = known.unwrap_or_default();
            let on_cores_ns = replayed::report(report).wall_ns;
            let ranges = match report.taken_cores_ns {
                Some(_) => "",
                None => " in wider ranges, as only sums of time on cores are known",
            };
            let text = format!(
                "This machine was busy: threads had {had}; {text}; with a core for each thread the run would have taken \
                 about {}, and findings are shares of that{ranges}",
                duration(on_cores_ns)
            );
            let advice = match found.iter().max_by_key(|one| one.gain.ns) {
                Some(best) => {
                    let less = percent(best.gain.share);
                    format!("{advice}, or {} (about {less} less)", best.cure)
                }
                None => advice,
            };
            let taken_ns = report.taken_cores_ns;
            let busy = BusyMachine { share, taken_ns, on_cores_ns, text, advice };
            Some(Lack::Circumstance(busy, found))
        }
    }
}

/// A finding about cores, with its figures.
pub(super) fn finding(report: &Report, cores: &Cores, (lost, text): (u64, String)) -> Finding {
    Finding {
        kind: "cores",
        lost_ns: lost,
        share: of_all(report, lost),
        text,
        ..Finding::default()
    }
    .shown_by("wanted_ns", ns(cores.wanted_ns))
    .shown_by("given_ns", ns(cores.given_ns))
    .shown_by("spun_ns", ns(cores.spun_ns))
}

/// Reduces findings about waiting where threads lacked cores: it counts as far as others worked meanwhile and there was
/// a core for it, and no more than by the share of time for which there were cores. Findings that are not worth a
/// sentence any more are removed.
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
        finding.text += &format!(" (for want of cores only {left} counts)");
    }
    found.retain(|finding| worth(report, finding.lost_ns));
}

/// Gain of cores for all threads. Parallel work takes at least its thread time divided by the cores that it had, or by those
/// that are `free` for it once it is cured; the rest of the run is serial. `certainty` is the expected part of that gain: 1
/// where it is up to the program, a half elsewhere.
fn gain(report: &Report, cores: &Cores, (certainty, free): (f64, f64)) -> Gain {
    let wall = report.wall_ns as f64;
    let covered = report.efficiency.parallel_coverage * wall;
    let had = (cores.given_ns as f64 / wall.max(1.0)).max(free).max(1.0);
    let serial = report.times.of(State::WorkSerial) as f64;
    let worked = (report.times.work() as f64 - serial).max(0.0) / had;
    let most = (covered - worked).max(0.0);
    Gain::of(report, certainty * most, certainty * most / 2.0, most)
}

/// True if findings of a kind count waiting for other threads.
fn is_of_waiting(kind: &str) -> bool {
    matches!(
        kind,
        "imbalance" | "short" | "late" | "single" | "barrier" | "serial" | "idle" | "taskwait"
    )
}

/// Reason for which threads had no core.
enum Cause {
    /// The program, or the limits of its process: the cure, the part of its gain that is certain, and the number of cores
    /// that the cured program has, 0 if that is not known.
    Program { text: String, cure: String, certainty: f64, free: f64 },
    /// Other processes, or an unknown reason, with advice.
    Others { text: String, advice: String },
}

/// The cause, as far as it shows: each but the last rests on something that would be otherwise if it were another one.
fn cause(report: &Report, cores: &Cores) -> Cause {
    let wall = report.wall_ns.max(1) as f64;
    let (wanted, given) = (cores.wanted_ns as f64 / wall, cores.given_ns as f64 / wall);
    let program = &report.program;
    let (machine, may, used) = (&program.surroundings, program.cores.max(1), program.used_cores);
    let quota = machine.quota.as_ref().filter(|quota| {
        quota.throttled_ns.is_some_and(|time| time > 0) && given >= USED_UP * quota.cores
    });
    if let Some(quota) = quota {
        return throttled(report, cores, quota);
    }
    if wanted > TOO_MANY * f64::from(may) {
        return too_many(report, cores, format!("{wanted:.1} threads wanted one at a time"));
    }
    if machine.has_narrow_masks() && used > 0 && wanted > TOO_MANY * f64::from(used) {
        let text = format!(
            "they are bound ({}) and ran on {used} of the {may} cores that the process may use",
            lists(&machine.bound)
        );
        let cure =
            "give each thread a core of its own (OMP_PLACES=cores, OMP_PROC_BIND=close)".to_owned();
        return Cause::Program { text, cure, certainty: 0.5, free: 0.0 };
    }
    let missing = cores.wanted_ns - cores.given_ns;
    match report.taken_cores_ns {
        Some(taken) if taken >= missing / 2 => Cause::Others {
            text: format!(
                "for {} fewer ran than the {may} cores that the program may use, so other processes had cores",
                duration(taken)
            ),
            advice: ELSEWHERE.to_owned(),
        },
        Some(_) if report.efficiency.threads > u64::from(may) => {
            too_many(report, cores, "at times more threads wanted one".to_owned())
        }
        Some(_) => Cause::Others {
            text: format!(
                "no more threads than the {may} cores that the program may use wanted one, so other processes had cores"
            ),
            advice: ELSEWHERE.to_owned(),
        },
        None => Cause::Others {
            text: format!("{wanted:.1} wanted one of {may} at a time, and what had the cores is unknown"),
            advice: "allow perf events, which say when threads have a core (kernel.perf_event_paranoid at most 2)"
                .to_owned(),
        },
    }
}

/// A quota that was used up.
fn throttled(report: &Report, cores: &Cores, quota: &Quota) -> Cause {
    let wanted = cores.wanted_ns as f64 / report.wall_ns.max(1) as f64;
    let text = format!(
        "a quota of {:.3} cores ({}) throttled them for {}, {wanted:.1} wanted one at a time",
        quota.cores,
        quota.group,
        duration(quota.throttled_ns.unwrap_or(0)),
    );
    let fits = (quota.cores.floor() as u32).max(1);
    let cure = fewer(report, cores, (fits, "raise the quota"));
    Cause::Program { text, cure, certainty: 0.5, free: 0.0 }
}

/// More threads than the process may use cores.
fn too_many(report: &Report, cores: &Cores, wanted: String) -> Cause {
    let (machine, may) = (&report.program.surroundings, report.program.cores.max(1));
    let (of, or) = match machine.online > may {
        true => (
            format!(" of the machine's {} (cores {})", machine.online, machine.allowed),
            "let it use more cores (taskset, the batch system's settings)",
        ),
        false => (String::new(), ""),
    };
    let text = match may {
        1 => format!("{wanted}, and the process may use 1{of}"),
        _ => format!("{wanted}, and the process may use {may} cores{of}"),
    };
    let free = |taken: u64| f64::from(may) - taken as f64 / report.wall_ns.max(1) as f64;
    let free = report.taken_cores_ns.map_or(0.0, free);
    Cause::Program { text, cure: fewer(report, cores, (may, or)), certainty: 1.0, free }
}

/// The cure: fewer threads, where there are more than have a core; else threads that sleep while they wait, where they spin;
/// else `other`.
fn fewer(report: &Report, cores: &Cores, (threads, other): (u32, &str)) -> String {
    let fewer = smaller_teams(report, threads);
    if !fewer.is_empty() {
        return fewer;
    }
    match spinning::is_much(cores) {
        true => format!(
            "{}: they spin for {} of their time on cores",
            spinning::SLEEP,
            percent(cores.spun_ns as f64 / cores.given_ns.max(1) as f64)
        ),
        false => other.to_owned(),
    }
}

/// The way to teams that are no larger than the cores, if any is larger; or to fewer of them at a time.
pub(super) fn smaller_teams(report: &Report, threads: u32) -> String {
    let widest = report.regions.iter().map(|region| region.threads).max().unwrap_or(0);
    if report.levels > 1 {
        return format!(
            "allow one level of teams instead of {} (OMP_MAX_ACTIVE_LEVELS=1), with OMP_NUM_THREADS={threads}",
            report.levels
        );
    }
    if widest > u64::from(threads) {
        return match widest == by_default(report) {
            true => format!("use OMP_NUM_THREADS={threads}"),
            false => format!(
                "ask for at most {threads} thread{} where {widest} are asked for (num_threads, omp_set_num_threads)",
                if threads == 1 { "" } else { "s" }
            ),
        };
    }
    match report.teams {
        0 | 1 => String::new(),
        teams => format!(
            "let fewer root threads have a team at a time: up to {teams} have one of {widest} threads"
        ),
    }
}

/// The threads of a team for which no clause and no call asks: as many as the variable says, or one for each core.
fn by_default(report: &Report) -> u64 {
    let program = &report.program;
    let variable = program.surroundings.settings.get("OMP_NUM_THREADS");
    let first = variable.and_then(|value| value.split(',').next()?.trim().parse().ok());
    first.unwrap_or(u64::from(program.cores))
}

/// Cores on which threads may run, in words: `3 on 0, 1 on 0-7`.
fn lists(bound: &BTreeMap<String, u32>) -> String {
    let lists = bound.iter().map(|(list, threads)| format!("{threads} on {list}"));
    lists.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RegionReport;

    /// Eight threads that work for 8 ms altogether in a run of 10 ms, on two cores that they had for half of the time.
    #[test]
    fn a_cured_program_has_the_cores_that_others_leave() {
        let mut report = Report { wall_ns: 10_000_000, ..Report::default() };
        report.efficiency.parallel_coverage = 1.0;
        report.program.cores = 2;
        report.times.add(State::WorkParallel, 8_000_000);
        let cores = Cores { wanted_ns: 80_000_000, given_ns: 10_000_000, ..Cores::default() };
        let expected = |report: &Report| match cause(report, &cores) {
            Cause::Program { certainty, free, .. } => gain(report, &cores, (certainty, free)).ns,
            Cause::Others { .. } => 0,
        };
        assert_eq!(expected(&report), 2_000_000);
        report.taken_cores_ns = Some(0);
        assert_eq!(expected(&report), 6_000_000);
        report.taken_cores_ns = Some(4_000_000);
        assert_eq!(expected(&report), 5_000_000);
    }

    /// Four root threads with a team of two each, on two cores.
    #[test]
    fn no_variable_changes_how_many_root_threads_have_a_team() {
        let region = RegionReport { threads: 2, ..RegionReport::default() };
        let mut report = Report { regions: vec![region], levels: 1, teams: 4, ..Report::default() };
        report.program.cores = 2;
        let cure = smaller_teams(&report, 2);
        assert!(cure.contains("up to 4 have one of 2 threads"), "{cure}");
        assert!(!cure.contains("OMP_NUM_THREADS="), "{cure}");
        report.teams = 1;
        assert_eq!(smaller_teams(&report, 2), "");
        assert_eq!(smaller_teams(&report, 1), "use OMP_NUM_THREADS=1");
    }
}
