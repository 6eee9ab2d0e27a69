//! Findings about a job: what costs most across its ranks, where that comes from, and what a cure would bring.
//!
//! A cure of a wait brings at least its mean over all ranks (the work that comes late is spread over them), and at most the
//! wait of the rank that waits most (the work is gone).

use super::cores;
use super::model::{JobFinding, JobReport, RankReport, WaitReport};
use super::rank::{Place, RankTrace};
use crate::text::{duration, percent};
use rustc_hash::FxHashMap;

/// Share of the job's time below which a gain is not worth a finding.
const LEAST: f64 = 0.01;
/// Waits follow from unequal ranks if these explain so much of them.
const EXPLAINED: f64 = 0.6;
/// Waits that become findings at most.
const MOST_WAITS: usize = 10;

/// The findings of a report that has everything else, the most rewarding first.
pub(crate) fn find(report: &JobReport, traces: &[RankTrace]) -> Vec<JobFinding> {
    let mut findings: Vec<JobFinding> =
        report.waits.iter().take(MOST_WAITS).map(|wait| of_wait(report, wait)).collect();
    if let Some(imbalance) = imbalance(report, traces) {
        let waits: u64 = report.ranks.iter().map(|rank| rank.waiting_ns).sum();
        let mut imbalance = imbalance;
        if imbalance.lost_ns as f64 >= EXPLAINED * waits as f64 {
            for finding in &findings {
                if !imbalance.explains.contains(&finding.kind) {
                    imbalance.explains.push(finding.kind);
                }
            }
            findings.clear();
        }
        findings.push(imbalance);
    }
    findings.extend(within(report, traces));
    let cores = cores::find(report, traces);
    // Where ranks lack cores nobody knows what the network costs.
    if cores.is_none() {
        findings.extend(transfer(report));
    }
    findings.retain(|finding| finding.gain_ns.1 as f64 >= LEAST * report.wall_ns as f64);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.gain_ns.0 + finding.gain_ns.1));
    // All other figures have time without a core in them.
    cores.into_iter().chain(findings).collect()
}

fn of_wait(report: &JobReport, wait: &WaitReport) -> JobFinding {
    let ranks = report.ranks.len().max(1) as u64;
    let after = match wait.cause_after.as_str() {
        "" => String::new(),
        region => format!(", mostly after `{region}`"),
    };
    let called = |function: &str, location: &str| {
        format!("`{}`", format!("{function} {location}").trim_end())
    };
    let (waits, cause) = (
        called(&wait.function, &wait.location),
        called(&wait.cause_function, &wait.cause_location),
    );
    let text = format!(
        "Ranks wait ({}): {} in {waits} for {cause}, {} of it for rank {}{after}",
        words(wait.kind),
        duration(wait.time_ns),
        percent(wait.cause_rank_ns as f64 / wait.time_ns.max(1) as f64),
        wait.cause_rank,
    );
    let cure = match wait.kind {
        "late_sender" => {
            format!("let {cause} come earlier: send before other work, or post it nonblocking")
        }
        "late_receiver" => format!("post the receive of {cause} earlier, or send nonblocking"),
        "late_broadcast" => format!("let the root come to {cause} earlier"),
        "early_reduce" => format!("let the root do other work before {waits}"),
        _ => format!("give rank {} less work before {cause}", wait.cause_rank),
    };
    JobFinding {
        kind: wait.kind,
        location: if wait.cause_location.is_empty() {
            wait.location.clone()
        } else {
            wait.cause_location.clone()
        },
        rank: Some(wait.cause_rank),
        text,
        cure,
        lost_ns: wait.time_ns,
        gain_ns: (wait.time_ns / ranks, wait.worst_rank_ns),
        explains: Vec::new(),
    }
}

fn words(kind: &str) -> &'static str {
    let all = super::waits::Kind::ALL;
    all.iter().find(|one| one.name() == kind).map_or("wait", |one| one.in_words())
}

/// Ranks with unequal time outside of MPI.
fn imbalance(report: &JobReport, traces: &[RankTrace]) -> Option<JobFinding> {
    let outside = |rank: &RankReport| rank.wall_ns.saturating_sub(rank.mpi_ns);
    let longest = report.ranks.iter().max_by_key(|rank| outside(rank))?;
    let most = outside(longest);
    let lost: u64 = report.ranks.iter().map(|rank| most - outside(rank)).sum();
    let gain = lost / report.ranks.len() as u64;
    let (location, what) = match most_unequal(traces, longest.rank) {
        Unequal::Region(place) => (place.location.clone(), format!("`{}`", place.in_words())),
        Unequal::Serial(Some(call)) => {
            let before = format!("code outside of parallel regions before `{}`", call.in_words());
            (call.location.clone(), before)
        }
        Unequal::Serial(None) => (String::new(), "code outside of parallel regions".to_owned()),
    };
    let text = format!(
        "Unequal ranks: rank {} computes {}, a rank on average {}; most of the difference is in {what}",
        longest.rank,
        duration(most),
        duration(most - gain)
    );
    Some(JobFinding {
        kind: "rank_imbalance",
        location,
        rank: Some(longest.rank),
        text,
        cure: format!("distribute the work of {what} evenly over ranks"),
        lost_ns: lost,
        gain_ns: (gain, gain),
        explains: Vec::new(),
    })
}

/// The place in which a rank spends most in excess of the mean of all.
enum Unequal<'a> {
    Region(&'a Place),
    /// Outside of regions, before this call of MPI.
    Serial(Option<&'a Place>),
}

fn most_unequal(traces: &[RankTrace], rank: u32) -> Unequal<'_> {
    let (mut regions, mut serial) = (Excess::default(), Excess::default());
    for trace in traces {
        let is_own = trace.rank == rank;
        for (place, spent) in &trace.regions {
            regions.add(trace.places.get(*place as usize), spent.elapsed, is_own);
        }
        for call in &trace.calls {
            serial.add(trace.places.get(call.place as usize), call.serial, is_own);
        }
    }
    let count = traces.len().max(1) as f64;
    match regions.most(count) {
        Some((place, excess)) if excess >= serial.of_all(count) => Unequal::Region(place),
        _ => Unequal::Serial(serial.most(count).map(|(place, _)| place)),
    }
}

/// Times of places: of all ranks, and of one.
#[derive(Default)]
struct Excess<'a>(FxHashMap<&'a Place, (f64, f64)>);

impl<'a> Excess<'a> {
    fn add(&mut self, place: Option<&'a Place>, time: u64, is_own: bool) {
        let Some(place) = place else { return };
        let sum = self.0.entry(place).or_default();
        sum.0 += time as f64;
        sum.1 += if is_own { time as f64 } else { 0.0 };
    }

    /// The place where the one rank has most in excess of the mean of so many ranks, and how much.
    fn most(&self, count: f64) -> Option<(&'a Place, f64)> {
        let all = self.0.iter().map(|(place, (all, own))| (*place, own - all / count));
        all.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(one.0)))
    }

    /// The excess of all places together.
    fn of_all(&self, count: f64) -> f64 {
        self.0.values().map(|(all, own)| own - all / count).sum()
    }
}

/// Losses within ranks: threads in regions, serial code, threads that idle while the main thread is in MPI.
fn within(report: &JobReport, traces: &[RankTrace]) -> Vec<JobFinding> {
    let ranks = report.ranks.len().max(1) as u64;
    let others = |rank: &RankReport| u64::from(rank.threads.max(1)) - 1;
    let sum = |of: &dyn Fn(&RankReport) -> u64| report.ranks.iter().map(of).sum::<u64>();
    let on_average = |lost: u64| {
        let threads = sum(&|rank| u64::from(rank.threads.max(1)));
        (lost / threads.max(1)).min(report.wall_ns)
    };
    let serial = sum(&|rank| rank.serial_ns * others(rank));
    let (site, spent) = longest_serial(traces);
    let called = longest_calls(report, traces);
    let in_calls = called.as_ref().map(|place| format!(", most in `{}`", place.in_words()));
    let idle = sum(&|rank| rank.mpi_ns.saturating_sub(rank.waiting_ns) * others(rank));
    let threads = sum(&|rank| {
        let parallel = rank.useful_ns.saturating_sub(rank.serial_ns);
        (rank.regions_ns * u64::from(rank.threads.max(1))).saturating_sub(parallel)
    });
    let finding = |kind, location: String, text, cure: &str, lost: u64| JobFinding {
        kind,
        location,
        text,
        cure: cure.to_owned(),
        lost_ns: lost,
        gain_ns: (0, on_average(lost)),
        ..JobFinding::default()
    };
    let region = longest_region(traces);
    let in_region = region.as_ref().map(|place| place.in_words()).unwrap_or_default();
    vec![
        finding(
            "serial",
            site.as_ref().map(|site| site.location.clone()).unwrap_or_default(),
            format!(
                "Serial code: while the first thread of a rank computes outside of parallel regions ({} on average), its others \
                 idle; most of it, {}, comes before `{}`",
                duration(sum(&|rank| rank.serial_ns) / ranks),
                duration(spent),
                site.map(|site| site.in_words()).unwrap_or_default()
            ),
            "compute there in parallel",
            serial,
        ),
        finding(
            "idle_during_mpi",
            called.map(|place| place.location).unwrap_or_default(),
            format!(
                "Threads idle during MPI: {} while the first thread of their rank is in it{}; waits for other ranks are not counted",
                duration(idle),
                in_calls.unwrap_or_default()
            ),
            "let other threads compute meanwhile",
            idle,
        ),
        finding(
            "threads",
            region.map(|place| place.location).unwrap_or_default(),
            format!(
                "Threads within ranks: {} of them is no work in parallel regions, most in `{in_region}`; `ompttrace report` of one \
                 rank says why",
                duration(threads)
            ),
            "see the report of a rank",
            threads,
        ),
    ]
}

/// The call of MPI before which ranks compute longest outside of regions, and how long.
fn longest_serial(traces: &[RankTrace]) -> (Option<Place>, u64) {
    let mut sums = FxHashMap::<&Place, u64>::default();
    for trace in traces {
        for call in &trace.calls {
            if let Some(place) = trace.places.get(call.place as usize) {
                *sums.entry(place).or_default() += call.serial;
            }
        }
    }
    let most =
        sums.into_iter().max_by_key(|(place, time)| (*time, std::cmp::Reverse(&place.location)));
    most.map_or((None, 0), |(place, time)| (Some(place.clone()), time))
}

/// The calls of MPI by the first threads of ranks that take longest, without waits for other ranks.
fn longest_calls(report: &JobReport, traces: &[RankTrace]) -> Option<Place> {
    let mut sums = FxHashMap::<&Place, u64>::default();
    for trace in traces {
        for call in trace.calls.iter().filter(|call| Some(call.thread) == trace.main) {
            if let Some(place) = trace.places.get(call.place as usize) {
                *sums.entry(place).or_default() += call.leave.saturating_sub(call.enter);
            }
        }
    }
    let waits = |place: &Place| -> u64 {
        let of_place =
            |wait: &&WaitReport| wait.function == place.name && wait.location == place.location;
        report.waits.iter().filter(of_place).map(|wait| wait.time_ns).sum()
    };
    let times = sums.into_iter().map(|(place, time)| (time.saturating_sub(waits(place)), place));
    times.max().map(|(_, place)| place.clone())
}

/// The region with most time that is no work.
fn longest_region(traces: &[RankTrace]) -> Option<Place> {
    let mut sums = FxHashMap::<&Place, u64>::default();
    for trace in traces {
        let threads = trace.threads.iter().filter(|times| times.all() > 0).count() as u64;
        for (place, spent) in &trace.regions {
            if let Some(place) = trace.places.get(*place as usize) {
                *sums.entry(place).or_default() +=
                    (spent.elapsed * threads).saturating_sub(spent.work);
            }
        }
    }
    sums.into_iter().max_by_key(|(_, time)| *time).map(|(place, _)| place.clone())
}

/// Time that messages take besides waits.
fn transfer(report: &JobReport) -> Option<JobFinding> {
    let longest = report.ranks.iter().map(|rank| rank.wall_ns).max()?;
    let gain = longest.saturating_sub(report.efficiency.ideal_network_ns);
    let lost = report.ranks.iter().map(|rank| rank.mpi_ns.saturating_sub(rank.waiting_ns)).sum();
    Some(JobFinding {
        kind: "transfer",
        text: format!(
            "Transfer: on an ideal network, of which messages take no time, the job would take {} less",
            duration(gain)
        ),
        cure: "send fewer and larger messages, or compute while they are on their way".to_owned(),
        lost_ns: lost,
        gain_ns: (0, gain),
        ..JobFinding::default()
    })
}
