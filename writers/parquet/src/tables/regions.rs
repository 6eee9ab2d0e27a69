//! Parallel regions: how often and how long they were executed, and how evenly their threads worked.

use super::long;
use crate::column::{Column, Kind, Spec, Values, longs};
use crate::constructs::Constructs;
use crate::file::Table;
use crate::sites::SiteId;
use ompttrace_report::Report;
use std::collections::BTreeMap;

pub(crate) const TABLE: Table = Table {
    name: "regions",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("site", Kind::Long),
        Spec::of("calls", Kind::Long),
        Spec::of("threads", Kind::Long),
        Spec::of("wall_ns", Kind::Long),
        Spec::of("instances", Kind::Long),
        Spec::of("longest_ns", Kind::Long),
        Spec::of("mean_ns", Kind::Long),
        Spec::of("lost_ns", Kind::Long),
    ],
    sorted_by: &[],
};

pub(crate) fn columns(run: i64, report: &Report, constructs: &Constructs) -> Vec<Column> {
    let mut rows: BTreeMap<SiteId, ([u64; 6], u64)> = BTreeMap::new();
    for region in &report.regions {
        let number = u32::try_from(region.construct).unwrap_or(0);
        let (sums, threads) = rows.entry(constructs.construct(number).site).or_default();
        let balance = &region.balance;
        let more = [
            region.calls,
            region.wall_ns,
            balance.instances,
            balance.longest_ns,
            balance.mean_ns,
            balance.lost_ns,
        ];
        for (sum, more) in sums.iter_mut().zip(more) {
            *sum = sum.saturating_add(more);
        }
        *threads = (*threads).max(region.threads);
    }
    let sum = |at: usize| {
        longs(rows.values().map(move |(sums, _)| long(sums.get(at).copied().unwrap_or(0))))
    };
    vec![
        Column::of(Values::Same(run, rows.len())),
        longs(rows.keys().copied()),
        sum(0),
        longs(rows.values().map(|(_, threads)| long(*threads))),
        sum(1),
        sum(2),
        sum(3),
        sum(4),
        sum(5),
    ]
}
