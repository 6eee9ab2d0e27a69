//! Limits that a single run cannot show. A thread that waits for memory works, to all that is recorded of it: where work is even,
//! nothing waits and cores were had, only a run with fewer threads, or counters of the processor, show what limits it.

use super::named;
use crate::model::{Finding, InstructionRate, MemoryLimit, RegionReport, Report};
use crate::text::percent;

/// Parallel efficiency from which on threads mostly work.
const MOSTLY: f64 = 0.7;
/// A finding that wins less leaves the question open.
const LITTLE: f64 = 0.10;
/// Share of the wall time in parallel regions from which on the run is parallel.
const PARALLEL: f64 = 0.5;
/// Regions with less of all cycles are not looked at.
const MANY_CYCLES: f64 = 0.10;
/// A core of today begins four instructions a cycle or more; with fewer than this it mostly waits for memory.
const FEW: f64 = 0.7;

const SCALE: &str = "compare runs with one thread and with several: `ompttrace scale -- PROGRAM` shows how much faster it gets";
const LOCAL: &str = "touch less memory for each operation, keep blocks of it in caches, and let each thread touch first what it \
                     works on later";

/// Limits by memory, as far as one run shows them.
pub(super) fn find(report: &Report, findings: &[Finding]) -> Option<MemoryLimit> {
    let regions = rates(report);
    if regions.is_empty() {
        return is_even(report, findings).then(|| MemoryLimit {
            text: format!(
                "Threads work for {} of their time, and no finding wins a tenth of the run: whether memory or caches limit \
                 the work does not show in a single run",
                percent(report.efficiency.parallel.unwrap_or_default())
            ),
            advice: SCALE.to_owned(),
            regions,
        });
    }
    let few: Vec<_> = regions.iter().filter(|one| one.per_cycle < FEW).collect();
    let words = |rate: &&InstructionRate| {
        let construct = report.constructs.get(rate.construct)?;
        let (rate, share) = (rate.per_cycle, percent(rate.share));
        Some(format!(
            "{} executes {rate:.2} instructions a cycle ({share} of all cycles)",
            named(construct)
        ))
    };
    let lines: Vec<_> = few.iter().filter_map(words).collect();
    (!lines.is_empty()).then(|| MemoryLimit {
        text: format!("Memory or caches limit the work: {}", lines.join("; ")),
        advice: LOCAL.to_owned(),
        regions,
    })
}

/// True where nothing that was recorded explains why more threads would not make it faster.
fn is_even(report: &Report, findings: &[Finding]) -> bool {
    let efficiency = &report.efficiency;
    let is_even = efficiency.parallel.is_some_and(|share| share >= MOSTLY);
    let is_parallel = efficiency.threads > 1 && efficiency.parallel_coverage >= PARALLEL;
    is_even && is_parallel && findings.iter().all(|finding| finding.gain.share < LITTLE)
}

/// The regions with most cycles.
fn rates(report: &Report) -> Vec<InstructionRate> {
    let counted = |region: &RegionReport, name: &str| region.counters.get(name).copied();
    let all = report.counters.iter().find(|counter| counter.name == "cycles");
    let all = all.map_or(0, |counter| counter.sum);
    let rate = |region: &RegionReport| {
        let (cycles, instructions) = (counted(region, "cycles")?, counted(region, "instructions")?);
        let share = cycles as f64 / all.max(1) as f64;
        (cycles > 0 && share >= MANY_CYCLES).then(|| InstructionRate {
            construct: region.construct,
            per_cycle: instructions as f64 / cycles as f64,
            share,
        })
    };
    let mut rates: Vec<_> = report.regions.iter().filter_map(rate).collect();
    rates.sort_by(|a, b| b.share.total_cmp(&a.share));
    rates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CounterReport, Efficiency, Gain};

    fn even() -> Report {
        let efficiency = Efficiency {
            threads: 2,
            parallel: Some(0.93),
            parallel_coverage: 0.9,
            ..Efficiency::default()
        };
        Report { efficiency, ..Report::default() }
    }

    /// Two regions with these cycles and instructions.
    fn counted(of: [[u64; 2]; 2]) -> Report {
        let mut report = even();
        let names = ["cycles", "instructions"];
        for (at, name) in names.into_iter().enumerate() {
            let (name, unit) = (name.to_owned(), String::new());
            let sum = of.iter().map(|values| values[at]).sum();
            report.counters.push(CounterReport { name, unit, outside_kernel: false, sum });
        }
        for (construct, values) in of.into_iter().enumerate() {
            let counters = names.map(str::to_owned).into_iter().zip(values).collect();
            report.regions.push(RegionReport { construct, counters, ..RegionReport::default() });
            report.constructs.push(crate::model::ConstructReport::default());
        }
        report
    }

    #[test]
    fn where_nothing_waits_memory_may_be_the_limit() {
        let found = find(&even(), &[]).expect("it is even");
        assert!(found.advice.contains("ompttrace scale"), "{found:?}");
        let gain = Gain { share: 0.2, ..Gain::default() };
        let other = Finding { kind: "lock", gain, ..Finding::default() };
        assert_eq!(find(&even(), &[other]), None, "something else comes first");
        let mut waits = even();
        waits.efficiency.parallel = Some(0.6);
        assert_eq!(find(&waits, &[]), None);
    }

    #[test]
    fn few_instructions_a_cycle_name_the_region() {
        let found = find(&counted([[900, 270], [100, 300]]), &[]).expect("the first one");
        assert!(found.text.contains("executes 0.30 instructions a cycle (90%"), "{found:?}");
        assert_eq!(found.regions.iter().map(|one| one.construct).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(find(&counted([[900, 2_700], [100, 300]]), &[]), None, "they are no few");
    }
}
