//! Properties that every trace must have, whatever the program: a viewer can draw all of it,
//! and every record is accounted for.

use std::fmt::Write;

use anyhow::Result;
use serde_json::Value;

use crate::judged::{Judged, dropped};
use crate::product::number;

/// Queries that must find nothing in any trace.
const NOTHING: &[(&str, &str)] = &[
    ("slices without an end", "select count(*) from slice where dur < 0"),
    (
        "slices that stick out of their parents",
        "select count(*) from slice c join slice p on p.id = c.parent_id \
         where c.ts < p.ts or c.ts + c.dur > p.ts + p.dur",
    ),
    (
        "slices that overlap their neighbours",
        "select count(*) from (select ts, lag(ts + dur) over (partition by track_id, depth \
         order by ts, id) as before from slice) where ts < before",
    ),
    (
        "flows back in time",
        "select count(*) from flow join slice a on a.id = slice_out join slice b on \
         b.id = slice_in where b.ts < a.ts",
    ),
    (
        "flows that end nowhere",
        "select count(*) from flow where slice_in is null or slice_out is null",
    ),
    (
        "tasks that run while their thread waits",
        "select count(*) from slice s join slice p on p.id = s.parent_id where s.dur > 0 and \
         s.category = 'openmp.task' and p.category = 'openmp.sync' and what(p.name) like 'wait%'",
    ),
    ("slices without a name", "select count(*) from slice where coalesce(name, '') = ''"),
    ("slices without a category", "select count(*) from slice where category is null"),
    ("negative counters", "select count(*) from counter where value < 0"),
    (
        "logical threads of the same name",
        "select count(*) - count(distinct t.name) from track t join track p on \
         p.id = t.parent_id where p.name = 'Logical threads'",
    ),
];

/// Faults that the trace processor finds, one per line; empty if there are none.
pub fn faults(judged: &mut Judged) -> Result<String> {
    let mut said = String::new();
    for fault in judged.judge().stats_errors()? {
        writeln!(said, "    {fault:?}")?;
    }
    for (what, query) in NOTHING {
        let found = judged.count(query)?;
        if found > 0 {
            writeln!(said, "    {found} {what}")?;
        }
    }
    Ok(said)
}

/// Faults of the sums of an export: records that are unaccounted for, dropped or lost; empty if there are none.
pub fn sums(info: &Value, export: &Value) -> Result<String> {
    sums_with_loss(info, export, 0)
}

/// Faults of the sums of an export that may lose so many events; empty if there are none.
pub fn sums_with_loss(info: &Value, export: &Value, lost: u64) -> Result<String> {
    let mut said = String::new();
    let dropped = dropped(export)?;
    let reported = |field: &str| number(export, &format!("/{field}"));
    let read = reported("records/read")?;
    let sum = reported("records/interpreted")? + reported("records/absorbed")?;
    if read != sum + dropped.values().sum::<u64>() {
        writeln!(said, "    the sum is wrong: {}", export["records"])?;
    }
    if read != number(info, "/records/all")? {
        writeln!(said, "    {read} records read, but info has {}", info["records"])?;
    }
    if !dropped.is_empty() || reported("lost")? > lost {
        writeln!(said, "    dropped {dropped:?}, lost {}", reported("lost")?)?;
    }
    Ok(said)
}
