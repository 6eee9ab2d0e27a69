//! What was counted, by region and by thread.

use super::figures::count;
use super::page::Page;
use super::tables::Table;
use super::{heading, remark};
use crate::model::{RegionReport, Report};
use std::collections::BTreeMap;

/// Nothing where nothing was counted.
pub(super) fn counters(report: &Report, top: usize, text: &mut Page) {
    if report.counters.is_empty() {
        return;
    }
    heading("Counters", text);
    let mut table = Table::new(&heads(report));
    rows(report, top).into_iter().for_each(|row| table.row(row));
    table.write(text);
    let partly: Vec<_> =
        report.counters.iter().filter(|one| one.outside_kernel).map(|one| &*one.name).collect();
    if !partly.is_empty() {
        let partly = partly.join(", ");
        remark(&format!("{partly}: only what happens outside of the kernel"), text);
    }
}

/// What the columns are called.
pub(crate) fn heads(report: &Report) -> Vec<&str> {
    let counters = report.counters.iter().map(|counter| counter.name.as_str());
    std::iter::once("").chain(counters).collect()
}

/// Regions, all else, threads, and the sums of them.
pub(crate) fn rows(report: &Report, top: usize) -> Vec<Vec<String>> {
    let regions = report.regions.iter().take(top);
    let name = |region: &RegionReport| {
        let construct = report.constructs.get(region.construct);
        construct.map_or_else(String::new, |construct| construct.name.clone())
    };
    let regions = regions.map(|region| (name(region), &region.counters));
    let outside = ("(outside of regions)".to_owned(), &report.counted_outside);
    let threads = report.threads.iter().take(top);
    let threads = threads.map(|thread| (format!("on {}", thread.name), &thread.counters));
    let places = regions.chain([outside]).chain(threads);
    let mut rows: Vec<_> = places.map(|(name, values)| row(report, name, values)).collect();
    let sums = report.counters.iter().map(|counter| count(counter.sum));
    rows.push(std::iter::once("(all threads)".to_owned()).chain(sums).collect());
    rows
}

fn row(report: &Report, name: String, values: &BTreeMap<String, u64>) -> Vec<String> {
    let value = |name: &String| values.get(name).map_or("-".to_owned(), |value| count(*value));
    let values = report.counters.iter().map(|counter| value(&counter.name));
    std::iter::once(name).chain(values).collect()
}
