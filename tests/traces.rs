//! Traces in front of Perfetto's trace processor: every program's is sound and holds what the export
//! says it wrote, and some are looked at as a user would: names, lanes, flows.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use ompttrace_tests::crowd;
use ompttrace_tests::judged::{Judged, dropped};
use ompttrace_tests::product::number;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};

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
    ("slices without a name", "select count(*) from slice where coalesce(name, '') = ''"),
    ("slices without a category", "select count(*) from slice where category is null"),
    ("negative counters", "select count(*) from counter where value < 0"),
    (
        "lanes of the same name",
        "select count(*) - count(distinct t.name) from track t join track p on \
         p.id = t.parent_id where p.name = 'Team lanes'",
    ),
];

#[test]
fn every_trace_is_sound_and_whole() {
    crowd::check_all(&runtimes::libomp_19().unwrap(), check);
}

fn record(program: &Program, runtime: &Runtime) -> Result<Traced> {
    traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])
}

fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = record(program, runtime)?;
    let runs = traced.scratch.runs()?;
    let mut said = if runs.is_empty() { "    no run folder\n".to_string() } else { String::new() };
    for run in runs {
        said += &check_run(&run).with_context(|| run.display().to_string())?;
    }
    Ok(said)
}

fn check_run(run: &Path) -> Result<String> {
    let mut judged = Judged::open(run)?;
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
    said += &sums(&judged)?;
    said += &drawn(&mut judged)?;
    Ok(said)
}

/// Every record is accounted for, and none was dropped.
fn sums(judged: &Judged) -> Result<String> {
    let mut said = String::new();
    let dropped = dropped(&judged.export)?;
    let read = judged.told("records/read")?;
    let sum = judged.told("records/interpreted")? + judged.told("records/absorbed")?;
    if read != sum + dropped.values().sum::<u64>() {
        writeln!(said, "    the sum is wrong: {}", judged.export["records"])?;
    }
    if read != number(&judged.info, "/records/all")? {
        writeln!(said, "    {read} records read, but info has {}", judged.info["records"])?;
    }
    if !dropped.is_empty() || judged.told("lost")? > 0 {
        writeln!(said, "    dropped {dropped:?}, lost {}", judged.told("lost")?)?;
    }
    Ok(said)
}

/// What is drawn is what the export says it drew.
fn drawn(judged: &mut Judged) -> Result<String> {
    let mut said = String::new();
    let drawn = judged.drawn()?;
    for (group, slices, instants) in [
        ("threads", "slices", Some("instants")),
        ("Team lanes", "lane_slices", Some("lane_instants")),
        ("Parallel regions", "region_slices", None),
        ("Locks", "hold_slices", None),
    ] {
        let slices = judged.told(slices)?;
        let instants = instants.map_or(Ok(0), |field| judged.told(field))?;
        let found = drawn.get(group).copied().unwrap_or_default();
        let all = found.lasting + found.momentary;
        if all != slices + instants || found.lasting > slices || found.momentary < instants {
            writeln!(said, "    {group}: {found:?}, told {slices} slices {instants} instants")?;
        }
    }
    for (field, query) in [
        ("counter_values", "select count(*) from counter"),
        (
            "lanes",
            "select count(*) from track t join track p on p.id = t.parent_id where p.name = 'Team lanes'",
        ),
    ] {
        let (told, found) = (judged.told(field)?, judged.count(query)?);
        if told != found {
            writeln!(said, "    {field}: {found}, told {told}")?;
        }
    }
    let threads = judged.count("select count(*) from thread_track")?;
    if threads != number(&judged.info, "/threads")? {
        writeln!(said, "    {threads} thread tracks for {} threads", judged.info["threads"])?;
    }
    Ok(said)
}
