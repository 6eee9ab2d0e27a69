//! Runs of one program with ever more threads: speed-up, efficiencies, and which region stops scaling and why.

mod reason;
pub mod text;

use crate::compare::{Item, Spread, items};
use crate::model::{Class, Report};
use serde::Serialize;
use std::cmp::Reverse;

/// The version of this schema: raised where a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;
/// Share of the wall time that a region must take at some step to be reported.
const WORTH: f64 = 0.01;
/// A region stops scaling at a step that leaves it more than this part of its time at the step before.
const STOPS: f64 = 0.9;

/// Scaling of a program. Times are nanoseconds; other steps are measured by the first one.
#[derive(Clone, Debug, Serialize)]
pub struct Scaling {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The program's file.
    pub executable: String,
    /// The fewest threads first.
    pub steps: Vec<Step>,
    /// Regions and serial sections, those that take longest at the last step first.
    pub regions: Vec<Region>,
    /// Caveats for readers of the numbers.
    pub caveats: Vec<String>,
}

/// The runs with one number of threads. Efficiencies are those of the run with the median wall time.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Threads that were asked for (OMP_NUM_THREADS).
    pub threads: u32,
    /// Threads that there were at the same time, at most.
    pub used: u64,
    /// Runs.
    pub runs: usize,
    /// Wall time of the runs.
    pub wall: Spread,
    /// Wall time of the first step / that of this one.
    pub speed_up: f64,
    /// Speed-up / (threads / threads of the first step).
    pub efficiency: f64,
    /// Work of all threads of the first step / that of this one: less than 1 where work takes longer side by side.
    pub computation: f64,
    /// POP's parallel efficiency; this and those that follow as in a report.
    pub parallel: Option<f64>,
    /// Load balance.
    pub load_balance: Option<f64>,
    /// Serialisation.
    pub serialisation: Option<f64>,
    /// Transfer.
    pub transfer: Option<f64>,
    /// Core availability.
    pub cores: Option<f64>,
}

/// A region or serial section at all steps.
#[derive(Clone, Debug, Serialize)]
pub struct Region {
    /// Class: a region or a serial section.
    pub class: Class,
    /// Name of the region.
    pub name: String,
    /// Elapsed time of the region at each step, medians in nanoseconds.
    pub elapsed_ns: Vec<u64>,
    /// Elapsed time at the first step / elapsed time at each step.
    pub speed_up: Vec<f64>,
    /// The first number of threads with which it is hardly faster than with the one before.
    pub stops_at: Option<u32>,
    /// True if it takes longer with these than with the number before.
    pub is_slower: bool,
    /// Reason for which it stops scaling, in words.
    pub reason: Option<String>,
}

/// Scaling by the runs with each number of threads, at least one run each.
pub fn scaling(runs: &[(u32, Vec<Report>)]) -> Scaling {
    let typical: Vec<&Report> = runs.iter().filter_map(|(_, reports)| median(reports)).collect();
    let steps: Vec<Step> = runs
        .iter()
        .zip(&typical)
        .map(|((threads, reports), report)| {
            let first = runs
                .first()
                .map_or((1, 0), |(threads, reports)| (*threads, wall(reports).median_ns));
            step(*threads, reports, report, (first, typical.first().copied()))
        })
        .collect();
    let all: Vec<Report> = runs.iter().flat_map(|(_, reports)| reports.iter().cloned()).collect();
    let counts: Vec<usize> = runs.iter().map(|(_, reports)| reports.len()).collect();
    let mut regions: Vec<Region> = items(&all)
        .iter()
        .filter(|item| matches!(item.class, Class::Region | Class::Serial))
        .filter_map(|item| region(item, &counts, &steps, &typical))
        .collect();
    regions.sort_by_key(|region| Reverse(region.elapsed_ns.last().copied()));
    let executable = typical.first().map(|report| report.program.executable.clone());
    Scaling {
        schema: SCHEMA,
        executable: executable.unwrap_or_default(),
        caveats: caveats(&steps, &typical),
        steps,
        regions,
    }
}

/// The run with the median wall time.
fn median(reports: &[Report]) -> Option<&Report> {
    let mut sorted: Vec<&Report> = reports.iter().collect();
    sorted.sort_by_key(|report| report.wall_ns);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The wall time of runs.
fn wall(reports: &[Report]) -> Spread {
    Spread::of(&reports.iter().map(|report| report.wall_ns).collect::<Vec<_>>())
}

fn step(
    threads: u32,
    reports: &[Report],
    report: &Report,
    ((first_threads, first_wall), first): ((u32, u64), Option<&Report>),
) -> Step {
    let wall = wall(reports);
    let speed_up = ratio(first_wall, wall.median_ns);
    let efficiency = &report.efficiency;
    Step {
        threads,
        used: efficiency.threads,
        runs: reports.len(),
        wall,
        speed_up,
        efficiency: speed_up * f64::from(first_threads) / f64::from(threads),
        computation: ratio(first.map_or(0, |first| first.times.work()), report.times.work()),
        parallel: efficiency.parallel,
        load_balance: efficiency.load_balance,
        serialisation: efficiency.serialisation,
        transfer: efficiency.transfer,
        cores: efficiency.cores,
    }
}

/// A region at all steps; none where it never takes long enough to matter.
fn region(item: &Item, counts: &[usize], steps: &[Step], typical: &[&Report]) -> Option<Region> {
    let mut rest = &item.elapsed[..];
    let elapsed: Vec<u64> = counts
        .iter()
        .map(|count| {
            let (own, others) = rest.split_at((*count).min(rest.len()));
            rest = others;
            Spread::of(own).median_ns
        })
        .collect();
    let matters = |at: usize| {
        let (time, step) = (elapsed.get(at)?, steps.get(at)?);
        Some(*time as f64 >= WORTH * step.wall.median_ns as f64)
    };
    if !(0..steps.len()).any(|at| matters(at) == Some(true)) {
        return None;
    }
    let stops = (1..elapsed.len()).find(|at| match (elapsed.get(at - 1), elapsed.get(*at)) {
        (Some(before), Some(now)) => {
            *now as f64 > STOPS * *before as f64 && matters(*at) == Some(true)
        }
        _ => false,
    });
    let first = elapsed.first().copied().unwrap_or(0);
    let reason = stops.and_then(|at| {
        Some(reason::reason(item, typical.get(at - 1)?, typical.get(at)?, steps.get(at)?.threads))
    });
    Some(Region {
        class: item.class,
        name: item.name.clone(),
        speed_up: elapsed.iter().map(|time| ratio(first, *time)).collect(),
        is_slower: stops.is_some_and(|at| elapsed.get(at) > elapsed.get(at - 1)),
        elapsed_ns: elapsed,
        stops_at: stops.and_then(|at| Some(steps.get(at)?.threads)),
        reason,
    })
}

fn caveats(steps: &[Step], typical: &[&Report]) -> Vec<String> {
    let mut caveats = Vec::new();
    let other = steps.iter().find(|step| step.used != u64::from(step.threads));
    if let Some(step) = other {
        let (threads, used) = (step.threads, step.used);
        caveats.push(format!("With OMP_NUM_THREADS={threads} the program had {used} threads."));
    }
    let cores = typical.first().map_or(0, |report| report.program.cores);
    if cores > 0 && steps.iter().any(|step| step.threads > cores) {
        caveats.push(format!("The process may use {cores} cores: with more threads none scales."));
    }
    if steps.iter().any(|step| step.runs < 2) {
        caveats.push("Single runs have no spread: a step may be chance.".to_owned());
    }
    caveats
}
