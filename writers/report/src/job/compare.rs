//! Comparison of two sides of jobs, before and after a change: wall time, efficiencies, waits by call site, and findings.

use super::model::{Efficiencies, JobFinding, JobReport, Levels, WaitReport};
use crate::compare::{Change, Match, Spread, change};
use serde::Serialize;
use std::cmp::Reverse;

/// The version of this schema: raised where a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// Comparison of two sides of jobs. Times are nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct JobComparison {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The jobs before.
    pub before: JobSide,
    /// The jobs after.
    pub after: JobSide,
    /// The wall time.
    pub wall: Change,
    /// POP's efficiencies of the jobs with the median wall times.
    pub efficiencies: Vec<EfficiencyChange>,
    /// Waits by kind and call sites, the largest change first; shares are of the time of all ranks before.
    pub waits: Vec<WaitChange>,
    /// Findings before, and those that are new, the most rewarding first.
    pub findings: Vec<FindingChange>,
    /// Caveats for readers of the numbers.
    pub caveats: Vec<String>,
}

/// The jobs of one side.
#[derive(Clone, Debug, Serialize)]
pub struct JobSide {
    /// Number of jobs.
    pub runs: usize,
    /// The first one's folder.
    pub job: String,
    /// Its ranks.
    pub ranks: u32,
    /// Threads of all its ranks.
    pub threads: u64,
    /// Wall times of all ranks of a job together, the median.
    pub rank_time_ns: u64,
}

/// An efficiency before and after, as a share of 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EfficiencyChange {
    /// Its name in the report of a job: `mpi_load_balance`.
    pub name: &'static str,
    /// `additive`, `multiplicative`, or `both` for the two that are the same.
    pub method: &'static str,
    /// Before the change.
    pub before: f64,
    /// The efficiency after the change, as a share of 1.
    pub after: f64,
}

/// Waits of one kind at one pair of call sites.
#[derive(Clone, Debug, Serialize)]
pub struct WaitChange {
    /// Kind of the waits, as in the report of a job.
    pub kind: &'static str,
    /// The calls that wait.
    pub function: String,
    /// Where they are before the change; after it, if they are only there.
    pub location: String,
    /// Where they are after the change, if that is another line.
    pub location_after: Option<String>,
    /// The calls for which they wait.
    pub cause_function: String,
    /// Where these are, as [`WaitChange::location`].
    pub cause_location: String,
    /// Way in which both were found.
    pub found: Match,
    /// Time of all these waits.
    pub time: Change,
    /// Numbers of waits, medians.
    pub count: [u64; 2],
}

/// A finding before and after.
#[derive(Clone, Debug, Serialize)]
pub struct FindingChange {
    /// Its kind.
    pub kind: &'static str,
    /// Source location of its cause.
    pub location: String,
    /// In words: after the change, if it is there still.
    pub text: String,
    /// The most that a cure would save before the change; none: it is new.
    pub gain_before_ns: Option<u64>,
    /// The most that a cure would save after the change; none: it is gone.
    pub gain_after_ns: Option<u64>,
}

/// Compares two sides of at least one job each.
pub fn compare(before: &[JobReport], after: &[JobReport]) -> JobComparison {
    let runs = [before.len(), after.len()];
    let walls = |side: &[JobReport]| side.iter().map(|report| report.wall_ns).collect::<Vec<_>>();
    let wall = Spread::of(&walls(before)).median_ns;
    let (of_before, of_after) = (side(before), side(after));
    let typical = [before, after].map(|side| super::median(side));
    JobComparison {
        schema: SCHEMA,
        wall: change([Some(walls(before)), Some(walls(after))], (wall, runs)),
        efficiencies: efficiencies(typical),
        waits: waits([before, after], (of_before.rank_time_ns, runs)),
        findings: findings(typical),
        caveats: caveats(&of_before, &of_after, [before, after]),
        before: of_before,
        after: of_after,
    }
}

fn side(jobs: &[JobReport]) -> JobSide {
    let first = jobs.first();
    let threads =
        |report: &JobReport| report.ranks.iter().map(|rank| u64::from(rank.threads)).sum();
    let time = |report: &JobReport| report.ranks.iter().map(|rank| rank.wall_ns).sum();
    JobSide {
        runs: jobs.len(),
        job: first.map(|report| report.job.clone()).unwrap_or_default(),
        ranks: first.map_or(0, |report| report.size),
        threads: first.map_or(0, threads),
        rank_time_ns: Spread::of(&jobs.iter().map(time).collect::<Vec<_>>()).median_ns,
    }
}

fn efficiencies(typical: [Option<&JobReport>; 2]) -> Vec<EfficiencyChange> {
    let [before, after] =
        typical.map(|report| report.map(|one| one.efficiency).unwrap_or_default());
    type Of = fn(&Efficiencies) -> f64;
    let both: [(&str, Of); 2] = [("parallel", |one| one.parallel), ("process", |one| one.process)];
    let both = both.into_iter().map(|(name, of)| ("both", name, of(&before), of(&after)));
    let levels = |method, before: Levels, after: Levels| {
        let parts = before.parts().into_iter().zip(after.parts());
        parts.map(move |((name, before), (_, after))| (method, name, before, after))
    };
    let additive = levels("additive", before.additive, after.additive);
    let product = levels("multiplicative", before.multiplicative, after.multiplicative);
    let one = |(method, name, before, after)| EfficiencyChange { name, method, before, after };
    both.chain(additive).chain(product).map(one).collect()
}

/// One wait in all jobs of a side.
struct Waits<'r> {
    first: &'r WaitReport,
    times: Vec<u64>,
    counts: Vec<u64>,
}

fn is_same(one: &WaitReport, other: &WaitReport) -> bool {
    is_alike(one, other)
        && one.location == other.location
        && one.cause_location == other.cause_location
}

/// True for waits that may be the same at other lines.
fn is_alike(one: &WaitReport, other: &WaitReport) -> bool {
    let file = |location: &str| location.split(':').next().unwrap_or_default().to_owned();
    one.kind == other.kind
        && one.function == other.function
        && one.cause_function == other.cause_function
        && file(&one.location) == file(&other.location)
}

fn of_side(jobs: &[JobReport]) -> Vec<Waits<'_>> {
    let mut all: Vec<Waits<'_>> = Vec::new();
    for (at, job) in jobs.iter().enumerate() {
        for wait in &job.waits {
            let known = all.iter().position(|known| is_same(known.first, wait));
            let number = known.unwrap_or(all.len());
            if known.is_none() {
                let none = vec![0; jobs.len()];
                all.push(Waits { first: wait, times: none.clone(), counts: none });
            }
            let Some(waits) = all.get_mut(number) else { continue };
            waits.times.get_mut(at).into_iter().for_each(|time| *time += wait.time_ns);
            waits.counts.get_mut(at).into_iter().for_each(|count| *count += wait.count);
        }
    }
    all
}

fn waits(sides: [&[JobReport]; 2], whole: (u64, [usize; 2])) -> Vec<WaitChange> {
    let [before, after] = sides.map(of_side);
    let mut rest: Vec<Option<&Waits<'_>>> = after.iter().map(Some).collect();
    let mut pairs: Vec<_> = before.iter().map(|waits| (waits, None, Match::None)).collect();
    // What is at the same lines first: what is left may have moved.
    type Alike = fn(&WaitReport, &WaitReport) -> bool;
    for (found, alike) in [(Match::Line, is_same as Alike), (Match::Moved, is_alike)] {
        for (one, other, how) in pairs.iter_mut().filter(|(_, other, _)| other.is_none()) {
            let at =
                rest.iter().position(|free| free.is_some_and(|free| alike(one.first, free.first)));
            if let Some(free) = at.and_then(|at| rest.get_mut(at)) {
                (*other, *how) = (free.take(), found);
            }
        }
    }
    let pairs = pairs.into_iter().map(|(one, other, found)| ([Some(one), other], found));
    let new = rest.into_iter().flatten().map(|other| ([None, Some(other)], Match::None));
    let mut changes: Vec<_> =
        pairs.chain(new).filter_map(|(pair, found)| wait(pair, found, whole)).collect();
    changes
        .sort_by_key(|wait| (Reverse(wait.time.change_ns.unsigned_abs()), wait.location.clone()));
    changes
}

fn wait(
    pair: [Option<&Waits<'_>>; 2],
    found: Match,
    whole: (u64, [usize; 2]),
) -> Option<WaitChange> {
    let [one, other] = pair;
    let first = one.or(other)?.first;
    let after = other.map(|other| other.first.location.clone());
    let median = |waits: &Waits<'_>| Spread::of(&waits.counts).median_ns;
    Some(WaitChange {
        kind: first.kind,
        function: first.function.clone(),
        location: first.location.clone(),
        location_after: after.filter(|after| *after != first.location),
        cause_function: first.cause_function.clone(),
        cause_location: first.cause_location.clone(),
        found,
        time: change(
            pair.map(|waits| Some(waits.map_or(vec![0], |waits| waits.times.clone()))),
            whole,
        ),
        count: pair.map(|waits| waits.map_or(0, median)),
    })
}

fn findings(typical: [Option<&JobReport>; 2]) -> Vec<FindingChange> {
    let [before, after] =
        typical.map(|report| report.map_or(&[][..], |report| &report.findings[..]));
    let is_same = |one: &JobFinding, other: &JobFinding| {
        one.kind == other.kind && one.location == other.location && one.rank == other.rank
    };
    let gain = |finding: &JobFinding| finding.gain_ns.0.max(finding.gain_ns.1);
    let one = |shown: &JobFinding, before, after| FindingChange {
        kind: shown.kind,
        location: shown.location.clone(),
        text: shown.text.clone(),
        gain_before_ns: before,
        gain_after_ns: after,
    };
    let known = before.iter().map(|finding| {
        let now = after.iter().find(|other| is_same(finding, other));
        one(now.unwrap_or(finding), Some(gain(finding)), now.map(gain))
    });
    let new = after.iter().filter(|other| !before.iter().any(|finding| is_same(finding, other)));
    known.chain(new.map(|finding| one(finding, None, Some(gain(finding))))).collect()
}

fn caveats(before: &JobSide, after: &JobSide, sides: [&[JobReport]; 2]) -> Vec<String> {
    let mut caveats = Vec::new();
    if before.ranks != after.ranks {
        caveats.push(format!("Ranks differ: {} and {}.", before.ranks, after.ranks));
    }
    if before.threads != after.threads {
        caveats.push(format!(
            "Threads of all ranks differ: {} and {}.",
            before.threads, after.threads
        ));
    }
    let missing = sides.iter().flat_map(|side| side.iter()).find(|job| !job.missing.is_empty());
    caveats.extend(missing.map(|job| {
        format!("{}: {} of {} ranks have no recording.", job.job, job.missing.len(), job.size)
    }));
    caveats.extend(crate::compare::few_runs(before.runs.min(after.runs)));
    caveats
}
