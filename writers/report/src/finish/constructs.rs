//! Constructs and regions of a report.

use super::efficiency::share;
use crate::construct_table::{ConstructDefinition, ConstructRef, ConstructTable, OUTSIDE};
use crate::left_out::LeftOut;
use crate::model::{Blame, Class, ConstructReport, Cores, RegionReport, Replay, WhatIf};
use crate::numbers::Numbers;
use crate::sink::ReportSink;
use crate::state::State;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Every construct, in the order of first events: others refer to them by position.
pub(super) fn constructs(sink: &ReportSink, numbers: &[Numbers]) -> Vec<ConstructReport> {
    let all = sink.construct_table.constructs().iter().zip(numbers);
    let most = |named: &ConstructDefinition| match named.between {
        Some((OUTSIDE, _)) => sink.dedicated(),
        _ => sink.most_present,
    };
    all.map(|(named, numbers)| construct(&sink.construct_table, named, (numbers, most(named))))
        .collect()
}

/// `most` threads there could be at a time.
fn construct(
    construct_table: &ConstructTable,
    named: &ConstructDefinition,
    (numbers, most): (&Numbers, u64),
) -> ConstructReport {
    let known = |construct| (construct != OUTSIDE).then_some(construct as usize);
    let location = construct_table.site(named.source);
    // Where nothing is known of a code address the name has the address itself.
    let location_in_name = match location.short.as_str() {
        "" => " 0x".to_owned(),
        short => format!(" {short}"),
    };
    let what = named.name.split(&location_in_name).next().unwrap_or_default().to_owned();
    ConstructReport {
        class: named.class,
        name: if named.class == Class::Sync && !location.short.is_empty() {
            format!("{} {}", named.name, location.short)
        } else {
            named.name.clone()
        },
        what,
        location,
        region: known(named.region),
        between: named.between.map(|(from, to)| [known(from), known(to)]),
        calls: numbers.calls,
        threads: numbers.threads,
        times: numbers.times,
        cores: Cores::of(&numbers.times.cores),
        balance: numbers.balance.report(),
        what_if: what_if(numbers),
        blame: blame(numbers, most),
        chunks: numbers.chunks,
        dispatch_ns: numbers.chunks_end.then(|| numbers.times.of(State::OverheadSchedule)),
        first_chunk_ns: numbers.first_chunks.least(),
        iterations: numbers.iterations,
        static_loops_unreported: numbers.static_loops_unreported,
        work_by_thread_ns: numbers.by_thread_num.clone(),
        replay: Replay {
            wait_ns: numbers.replayed_wait.max(0) as u64,
            wall_ns: numbers.replayed_wall,
            in_order_ns: numbers.what_if.in_order,
            lacked: numbers.lacked,
        },
    }
}

fn what_if(numbers: &Numbers) -> WhatIf {
    let sums = &numbers.what_if;
    let nowait = sums.nowait();
    WhatIf {
        longest_chunk_ns: sums.longest_chunk,
        longest_first_ns: sums.longest_first,
        nowait_ns: nowait.map_or(0, |(_, saved)| saved),
        nowait_before: nowait.map(|(next, _)| next as usize),
    }
}

fn blame(numbers: &Numbers, most: u64) -> Blame {
    Blame {
        idle_ns: numbers.idle.round() as u64,
        wait_ns: numbers.wait.round() as u64,
        mutex_ns: numbers.mutex,
        absent_ns: numbers.absence.of(most),
    }
}

/// Every region with all that is in it, the longest first.
pub(super) fn regions(
    sink: &ReportSink,
    constructs: &[ConstructReport],
    numbers: &[Numbers],
) -> Vec<RegionReport> {
    let knows_waits = !LeftOut::of(&sink.facts).waits;
    let all = constructs.iter().zip(numbers).enumerate();
    let only = all.filter(|(_, (construct, _))| construct.class == Class::Region);
    let mut regions: Vec<_> =
        only.map(|(at, (construct, numbers))| region(at, construct, numbers)).collect();
    let mut of = vec![None; constructs.len()];
    for (position, region) in regions.iter().enumerate() {
        if let Some(entry) = of.get_mut(region.construct) {
            *entry = Some(position);
        }
    }
    for construct in constructs.iter().filter(|construct| construct.class != Class::Region) {
        let position = construct.region.and_then(|region| of.get(region).copied().flatten());
        if let Some(region) = position.and_then(|position| regions.get_mut(position)) {
            region.times.add_all(&construct.times);
            region.blame.add(&construct.blame);
        }
    }
    for region in &mut regions {
        region.cores = Cores::of(&region.times.cores);
        region.counters = sink.counted.of_region(region.construct as ConstructRef);
        let capacity = numbers.get(region.construct).map_or(0, |numbers| numbers.capacity);
        region.efficiency = knows_waits.then(|| share(region.times.work(), capacity));
    }
    if sink.bounds.is_part {
        regions.retain(|one| one.calls > 0 || one.wall_ns > 0 || one.times.all() > 0);
    }
    regions.sort_by_key(|region| Reverse(region.wall_ns));
    regions
}

fn region(at: usize, construct: &ConstructReport, numbers: &Numbers) -> RegionReport {
    RegionReport {
        construct: at,
        calls: construct.calls,
        threads: construct.threads,
        wall_ns: numbers.wall,
        times: construct.times,
        cores: None,
        counters: BTreeMap::new(),
        efficiency: None,
        balance: construct.balance,
        blame: construct.blame,
        work_by_thread_ns: construct.work_by_thread_ns.clone(),
    }
}
