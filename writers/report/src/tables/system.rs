//! Tables of the system: time on cores, performance counters, and the environment.

use super::{Cell, Table, cells, columns};
use crate::model::{Cores, Report};
use crate::text::{count, duration, part};
use std::collections::BTreeMap;

/// Table of the time in which threads wanted a core, had one, and waited; none where it is not recorded which threads
/// had cores.
pub(crate) fn cores(report: &Report, top: usize) -> Option<Table> {
    let all = report.cores.as_ref()?;
    let threads = report.threads.iter();
    let known: Vec<_> = threads.filter_map(|one| Some((&*one.name, one.cores.as_ref()?))).collect();
    let heads = columns(["thread", "wanted", "had", "share", "spinning", "asleep", "in waits"]);
    let mut table = Table::of("Cores", heads, &known, top, |(name, cores)| of_cores(name, cores))?;
    table.rows.push(of_cores("(all threads)", all));
    Some(table.legend(
        "wanted: time in which a thread wanted a core; had: that in which it had one; spinning: of that, waiting for \
         other threads or in no team; asleep: sleeping in the kernel, in waits: of that, waiting for other threads or in \
         no team",
    ))
}

fn of_cores(name: &str, cores: &Cores) -> Vec<Cell> {
    let figures = [
        duration(cores.wanted_ns),
        duration(cores.given_ns),
        part(cores.given_ns, cores.wanted_ns),
        duration(cores.spun_ns),
        duration(cores.blocked_ns),
        duration(cores.slept_ns),
    ];
    std::iter::once(name.into()).chain(cells(figures)).collect()
}

/// Table of counter values in regions, outside of them and on threads; none where nothing was counted.
pub(crate) fn counters(report: &Report, top: usize) -> Option<Table> {
    let regions = report.regions.iter().take(top);
    let regions = regions.map(|region| (Cell::Construct(region.construct), &region.counters));
    let outside = (Cell::from("(outside of regions)"), &report.counted_outside);
    let threads = report.threads.iter().take(top);
    let threads = threads.map(|thread| (format!("on {}", thread.name).into(), &thread.counters));
    let groups: Vec<_> = regions.chain([outside]).chain(threads).collect();
    let names: Vec<_> = report.counters.iter().map(|counter| counter.name.as_str()).collect();
    let mut heads = columns(["counted"]);
    heads.extend(names.iter().map(|name| super::column(name)));
    let values = |values: &BTreeMap<String, u64>| -> Vec<Cell> {
        names.iter().map(|name| count(values.get(*name).copied().unwrap_or(0)).into()).collect()
    };
    let mut table = Table::of("Counters", heads, &groups, usize::MAX, |(name, counted)| {
        std::iter::once(name.clone()).chain(values(counted)).collect()
    })?;
    let sums = report.counters.iter().map(|counter| count(counter.sum).into());
    table.rows.push(std::iter::once("(all threads)".into()).chain(sums).collect());
    let partly = report.counters.iter().filter(|one| one.outside_kernel);
    let partly: Vec<_> = partly.map(|one| one.name.as_str()).collect();
    if !partly.is_empty() {
        table.legend = format!("{}: only what happens outside of the kernel", partly.join(", "));
    }
    (!report.counters.is_empty()).then_some(table)
}

/// Table of the environment: host, date, command, runtime and settings.
pub(crate) fn environment(report: &Report) -> Option<Table> {
    let about = &report.program.environment;
    let heads = columns(["", ""]);
    let table = Table::of("Environment", heads, about, usize::MAX, |(name, value)| {
        vec![name.as_str().into(), value.as_str().into()]
    });
    table.map(Table::in_order)
}
