//! The OS threads of a run: a row for each.

use super::{RunDescription, int, long};
use crate::column::{Column, Kind, Spec, Values, ints, longs, texts};
use crate::file::Table;
use ompttrace_report::Report;

pub(crate) const TABLE: Table = Table {
    name: "threads",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("thread", Kind::Int),
        Spec::of("os_thread", Kind::Int),
        Spec::of("name", Kind::Text),
        Spec::of("kind", Kind::Text),
        Spec::of("begin_ns", Kind::Long),
        Spec::of("lifetime_ns", Kind::Long),
    ],
    sorted_by: &[],
};

pub(crate) fn columns(about: &RunDescription, report: &Report) -> Vec<Column> {
    let threads = &report.threads;
    let kind = |number: u32| {
        let known = about.kinds.iter().find(|(known, _)| *known == number);
        Some(known.map_or("unknown", |(_, kind)| *kind))
    };
    vec![
        Column::of(Values::Same(about.run, threads.len())),
        ints(threads.iter().map(|thread| int(thread.number))),
        ints(threads.iter().map(|thread| int(thread.os_thread))),
        texts(threads.iter().map(|thread| Some(thread.name.as_str())), false),
        texts(threads.iter().map(|thread| kind(thread.number)), false),
        longs(threads.iter().map(|thread| about.begin().wrapping_add(long(thread.begin_ns)))),
        longs(threads.iter().map(|thread| long(thread.lifetime_ns))),
    ]
}
