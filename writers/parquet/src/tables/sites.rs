//! Sites: what time is charged to, with what the rollup does not say of each.

use super::{int, long};
use crate::column::{Column, Kind, Spec, Values, longs, optional_ints, texts};
use crate::constructs::Constructs;
use crate::file::Table;
use crate::sites::{self, SiteId};
use ompttrace_report::Report;
use ompttrace_report::model::{Class, ConstructReport, Site};
use std::collections::BTreeMap;

pub(crate) const TABLE: Table = Table {
    name: "sites",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("site", Kind::Long),
        Spec::of("kind", Kind::Text),
        Spec::of("name", Kind::Text),
        Spec::optional("file", Kind::Text),
        Spec::optional("line", Kind::Int),
        Spec::optional("function", Kind::Text),
        Spec::of("calls", Kind::Long),
        Spec::of("threads", Kind::Long),
        Spec::of("chunks", Kind::Long),
        Spec::of("iterations", Kind::Long),
        Spec::of("caused_absent_ns", Kind::Long),
        Spec::of("path_ns", Kind::Long),
        Spec::of("path_work_ns", Kind::Long),
    ],
    sorted_by: &[],
};

/// A site's row; several constructs may be one.
#[derive(Debug)]
struct SiteRow {
    class: Class,
    name: String,
    location: Site,
    threads: u64,
    /// Calls, chunks, iterations, absence, path, work on the path.
    sums: [u64; 6],
}

fn rows(report: &Report, constructs: &Constructs) -> BTreeMap<SiteId, SiteRow> {
    let mut paths = vec![(0, 0); report.constructs.len()];
    for part in &report.critical_path.parts {
        if let Some(path) = paths.get_mut(part.construct.unwrap_or(0)) {
            *path = (part.ns, part.work_ns);
        }
    }
    let mut rows = BTreeMap::new();
    for (number, (construct, path)) in (0..).zip(report.constructs.iter().zip(paths)) {
        let site = constructs.construct(number).site;
        let row: &mut SiteRow = rows.entry(site).or_insert_with(|| row(report, construct));
        row.threads = row.threads.max(construct.threads);
        let ConstructReport { calls, chunks, iterations, blame, .. } = construct;
        let more = [*calls, *chunks, *iterations, blame.absent_ns, path.0, path.1];
        for (sum, more) in row.sums.iter_mut().zip(more) {
            *sum = sum.saturating_add(more);
        }
    }
    rows
}

/// The row of a construct, with nothing counted.
fn row(report: &Report, construct: &ConstructReport) -> SiteRow {
    let before = construct.between.and_then(|[before, _]| report.constructs.get(before?));
    let location = match construct.class {
        Class::Serial => before.map(|region| region.location.clone()).unwrap_or_default(),
        _ => construct.location.clone(),
    };
    let name = sites::name(construct, before);
    SiteRow { class: construct.class, name, location, threads: 0, sums: [0; 6] }
}

pub(crate) fn columns(run: i64, report: &Report, constructs: &Constructs) -> Vec<Column> {
    let rows = rows(report, constructs);
    let all = || rows.values();
    let sum = |at: usize| longs(all().map(move |row| long(row.sums.get(at).copied().unwrap_or(0))));
    vec![
        Column::of(Values::Same(run, rows.len())),
        longs(rows.keys().copied()),
        texts(all().map(|row| Some(row.class.name())), false),
        texts(all().map(|row| Some(row.name.as_str())), false),
        texts(all().map(|row| row.location.file.as_deref()), true),
        optional_ints(all().map(|row| row.location.line.map(int))),
        texts(all().map(|row| row.location.function.as_deref()), true),
        sum(0),
        longs(all().map(|row| long(row.threads))),
        sum(1),
        sum(2),
        sum(3),
        sum(4),
        sum(5),
    ]
}
