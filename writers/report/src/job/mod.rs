//! The report of a job: ranks as one program, from what [`RankSink`] keeps of each.

pub mod compare;
pub mod compared;
mod cores;
mod findings;
pub mod html;
mod model;
mod path;
mod rank;
mod replay;
pub mod scale;
mod sums;
pub mod text;
mod waits;

pub use model::{JobFinding, JobReport, Messages, Pair, PathPart, RankReport, WaitReport};
pub use rank::{RankSink, RankTrace};

use model::SCHEMA;
use rustc_hash::FxHashMap;
use waits::Ends;

/// Facts about a job besides what its ranks recorded.
#[derive(Clone, Debug, Default)]
pub struct JobFacts {
    /// Its folder.
    pub job: String,
    /// The number of its ranks.
    pub size: u32,
    /// Ranks without a recording.
    pub missing: Vec<u32>,
    /// Its messages.
    pub messages: Messages,
    /// Reservations about the figures.
    pub caveats: Vec<String>,
}

/// The job with the median wall time.
fn median(jobs: &[JobReport]) -> Option<&JobReport> {
    let mut sorted: Vec<&JobReport> = jobs.iter().collect();
    sorted.sort_by_key(|report| report.wall_ns);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

/// The report of these ranks, whose times are on one clock.
pub fn report(facts: JobFacts, ranks: &[RankTrace]) -> JobReport {
    let ends = Ends::of(ranks);
    let waits = waits::waits(ranks, &ends);
    let sizes: FxHashMap<u64, u32> =
        ends.collectives.iter().map(|(id, begins)| (*id, begins.count)).collect();
    let ideal = replay::ideal(ranks, &sizes);
    let JobFacts { job, size, missing, messages, caveats } = facts;
    let begin = ranks.iter().map(|rank| rank.begin).min().unwrap_or(0);
    let end = ranks.iter().map(|rank| rank.end).max().unwrap_or(begin);
    let reports = sums::ranks(ranks, &waits, &ideal);
    let efficiency = sums::efficiency(&reports);
    let mut report = JobReport {
        schema: SCHEMA,
        job,
        size,
        missing,
        wall_ns: end.saturating_sub(begin),
        messages,
        caveats,
        findings: Vec::new(),
        efficiency,
        ranks: reports,
        waits: sums::waits(ranks, &waits),
        matrix: sums::pairs(ranks, &ends, &waits),
        critical_path: path::path(ranks, &waits),
    };
    report.findings = findings::find(&report, ranks);
    report.ranks.sort_by_key(|rank| rank.rank);
    report
}
