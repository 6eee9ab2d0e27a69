//! Ranks that lack cores: then waits for other ranks, and time in MPI, are waits for cores as well.

use super::model::{JobFinding, JobReport};
use super::rank::RankTrace;
use crate::findings::ENOUGH;
use crate::text::percent;
use std::collections::{BTreeMap, BTreeSet};

/// The finding if ranks did not have the cores that they wanted.
pub(super) fn find(report: &JobReport, traces: &[RankTrace]) -> Option<JobFinding> {
    let wanted: u64 = report.ranks.iter().map(|rank| rank.wanted_ns).sum();
    let given: u64 = report.ranks.iter().map(|rank| rank.given_ns).sum();
    let share = given as f64 / wanted as f64;
    if wanted == 0 || share >= ENOUGH {
        return None;
    }
    let (why, cure) = match crowded(traces) {
        Some((host, threads, cores)) => (
            format!(
                "on {host} {threads} threads share {cores} core{}",
                if cores == 1 { "" } else { "s" }
            ),
            "start no more threads on a machine than it has cores: fewer ranks, or OMP_NUM_THREADS",
        ),
        None => (
            "other programs had them, or ranks are bound to the same ones".to_owned(),
            "find cores that nobody else uses",
        ),
    };
    let worst = report.ranks.iter().max_by_key(|rank| rank.wanted_ns - rank.given_ns)?;
    let lacked = (worst.wanted_ns - worst.given_ns) / u64::from(worst.threads.max(1));
    Some(JobFinding {
        kind: "cores",
        rank: Some(worst.rank),
        text: format!(
            "Ranks had a core for {} of the time that they wanted one: {why}; waits and time in MPI below are waits for cores as well",
            percent(share)
        ),
        cure: cure.to_owned(),
        lost_ns: wanted - given,
        gain_ns: (0, lacked.min(report.wall_ns)),
        ..JobFinding::default()
    })
}

/// The machine whose ranks have most threads for each core, if they have more than it has cores, with both numbers.
fn crowded(traces: &[RankTrace]) -> Option<(&str, usize, usize)> {
    let mut machines = BTreeMap::<&str, (usize, BTreeSet<u32>)>::new();
    for trace in traces {
        let (threads, cores) = machines.entry(&trace.host).or_default();
        *threads += trace.threads.iter().filter(|times| times.all() > 0).count();
        cores.extend(&trace.allowed_cores);
    }
    let machines =
        machines.into_iter().map(|(host, (threads, cores))| (host, threads, cores.len()));
    let crowded = machines.filter(|(_, threads, cores)| *cores > 0 && threads > cores);
    crowded.max_by(|one, other| (one.1 * other.2).cmp(&(other.1 * one.2)))
}
