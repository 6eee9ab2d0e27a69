//! The sums of every program's tables are those of its report, to the nanosecond.

use super::{BySite, key, report, sites};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::tables::{Tables, export};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const BY_SITE: &str = "select kind, file, line, function, sum(self_ns), sum(caused_idle_ns), \
    sum(caused_wait_ns), sum(caused_mutex_ns) from rollup join sites using (run, site) group by all";

const BY_REGION: &str = "select file, line, function, sum(self_ns), sum(caused_idle_ns), sum(caused_wait_ns), \
    sum(caused_mutex_ns) from rollup join sites on rollup.run = sites.run and region = sites.site group by all";

/// Times in nanoseconds by thread and state, without those that are zero.
type ByThread = BTreeMap<(i64, String), i64>;

fn by_thread(tables: &mut Tables, table: &str) -> Result<ByThread> {
    let sql = format!("select thread, state, sum(self_ns) from {table} group by all");
    let rows = tables.query(&sql)?.rows;
    let row = |row: &Vec<Value>| {
        Some(((row[0].as_i64()?, row[1].as_str()?.to_owned()), row[2].as_i64()?))
    };
    let mut times: ByThread = rows.iter().map(row).collect::<Option<_>>().context("numbers")?;
    times.retain(|_, time| *time != 0);
    Ok(times)
}

fn of_threads(report: &Value) -> Result<ByThread> {
    let mut times = ByThread::new();
    for thread in report["threads"].as_array().context("threads")? {
        let number = thread["number"].as_i64().context("a number")?;
        for (state, time) in thread["times"].as_object().context("states")? {
            times.insert((number, state.clone()), time.as_i64().context("a time")?);
        }
    }
    times.retain(|_, time| *time != 0);
    Ok(times)
}

fn by_site(tables: &mut Tables) -> Result<BySite> {
    let mut sites = BySite::new();
    for row in tables.query(BY_SITE)?.rows {
        let sums = [4, 5, 6, 7].map(|at| row[at].as_i64().unwrap_or(i64::MIN));
        sites.insert(key(&[&row[0], &row[1], &row[2], &row[3]]), sums);
    }
    sites.retain(|_, sums| *sums != [0; 4]);
    Ok(sites)
}

/// Regions with what is within, as the report has them.
fn regions(report: &Value) -> Result<BySite> {
    let mut regions = BySite::new();
    for region in report["regions"].as_array().context("regions")? {
        let at = region["construct"].as_u64().context("a construct")? as usize;
        let location = &report["constructs"][at]["location"];
        let times = region["times"].as_object().context("times")?;
        let blame = ["idle_ns", "wait_ns", "mutex_ns"].map(|name| region["blame"][name].as_i64());
        let all: i64 = times.values().filter_map(Value::as_i64).sum();
        let parts = key(&[&location["file"], &location["line"], &location["function"]]);
        let sums = regions.entry(parts).or_default();
        let more = [Some(all)].into_iter().chain(blame);
        for (sum, more) in sums.iter_mut().zip(more) {
            *sum += more.context("a time")?;
        }
    }
    Ok(regions)
}

fn check_run(run: &Path) -> Result<()> {
    export(run, &["--intervals", "--bin", "2ms"])?;
    let report = report(run)?;
    let mut tables = Tables::open(run.join("trace-parquet"))?;
    tables.query(&ompttrace_tests::tables::shipped("open_intervals")?)?;
    let wanted = of_threads(&report)?;
    for table in ["rollup", "intervals"] {
        let found = by_thread(&mut tables, table)?;
        ensure!(found == wanted, "{table}: {found:#?} but the report has {wanted:#?}");
    }
    let (found, wanted) = (by_site(&mut tables)?, sites(&report)?);
    ensure!(found == wanted, "sites: {found:#?} but the report has {wanted:#?}");
    let wanted = regions(&report)?;
    let mut found = BySite::new();
    for row in tables.query(BY_REGION)?.rows {
        let sums = [3, 4, 5, 6].map(|at| row[at].as_i64().unwrap_or(i64::MIN));
        found.insert(key(&[&row[0], &row[1], &row[2]]), sums);
    }
    // Rounding is of each construct.
    for (region, wanted) in &wanted {
        let found = found.get(region).with_context(|| format!("no {region}: {found:?}"))?;
        let close = |(one, other): (&i64, &i64)| one.abs_diff(*other) <= 20;
        ensure!(found[0] == wanted[0] && found[3] == wanted[3], "{region}: {found:?} {wanted:?}");
        ensure!(found.iter().zip(wanted).all(close), "{region}: {found:?} {wanted:?}");
    }
    check_order(&mut tables)?;
    check_small(&mut tables, &report)
}

/// Intervals follow each other without gaps, and each row group is one thread's and sorted.
fn check_order(tables: &mut Tables) -> Result<()> {
    let gaps = "select count(*) from (select ts_ns - lag(ts_ns + dur_ns) over \
        (partition by run, thread order by ts_ns) as gap from intervals where dur_ns > 0) where gap <> 0";
    ensure!(tables.number(gaps)? == 0, "gaps");
    let unsorted = "select count(*) from (select ts_ns - lag(ts_ns) over (partition by run, thread order by \
        file_row_number) as step from read_parquet(getvariable('datasets') || '/rank=*/intervals.parquet', \
        file_row_number = true)) where step < 0";
    ensure!(tables.number(unsorted)? == 0, "not sorted");
    // Every cell once, but what rounding left over.
    let twice = "select bin_ns, thread, site, region, state, blocker_site, list(self_ns) from rollup where self_ns > 0 \
        group by run, bin_ns, thread, site, region, state, blocker_site having count(*) > 1";
    let twice = tables.query(twice)?.rows;
    ensure!(twice.is_empty(), "cells twice: {twice:?}");
    let outside = "select count(*) from rollup join runs using (run) where rollup.bin_ns + bin_width_ns <= begin_ns \
        or rollup.bin_ns > end_ns or rollup.bin_ns % bin_width_ns <> 0";
    ensure!(tables.number(outside)? == 0, "bins outside of the run");
    let too_full = "select count(*) from (select sum(self_ns) as time, any_value(bin_width_ns) as most from rollup \
        join runs using (run) group by run, rollup.bin_ns, thread) where time > most";
    ensure!(tables.number(too_full)? == 0, "more time in a bin than there is");
    Ok(())
}

fn check_small(tables: &mut Tables, report: &Value) -> Result<()> {
    let wall = report["wall_ns"].as_i64().context("a time")?;
    ensure!(tables.number("select wall_ns from runs")? == wall, "the wall time");
    let path = report["critical_path"]["length_ns"].as_i64().context("a time")?;
    ensure!(tables.number("select sum(path_ns)::bigint from sites")? == path, "the path");
    let lives = report["threads"].as_array().context("threads")?.iter();
    let lives: i64 = lives.filter_map(|thread| thread["lifetime_ns"].as_i64()).sum();
    ensure!(tables.number("select sum(lifetime_ns)::bigint from threads")? == lives, "lives");
    let intervals = "select count(*)::bigint from intervals where dur_ns > 0";
    let counted = tables.number("select sum(n)::bigint from rollup")?;
    ensure!(tables.number(intervals)? == counted, "{counted} intervals");
    Ok(())
}

fn check(name: &str, cores: &str) -> Result<()> {
    check_program(&programs::by_name(name)?, cores)
}

fn check_program(program: &Program, cores: &str) -> Result<()> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_CORES", cores)];
    let name = &program.name;
    let traced = traced::run(program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    for run in traced.scratch.runs()? {
        check_run(&run).with_context(|| format!("{name}, cores {cores}"))?;
    }
    Ok(())
}

#[test]
fn loops_and_barriers() -> Result<()> {
    ["c/for_dynamic", "c/imbalance", "c/single"].into_iter().try_for_each(|name| check(name, "off"))
}

#[test]
fn mutexes() -> Result<()> {
    ["c/lock_contended", "c/critical", "c/for_ordered"]
        .into_iter()
        .try_for_each(|name| check(name, "off"))
}

#[test]
fn tasks() -> Result<()> {
    ["c/fib", "c/taskgroup", "c/task_untied", "c/many_tasks"]
        .into_iter()
        .try_for_each(|name| check(name, "auto"))
}

#[test]
fn regions_within_regions() -> Result<()> {
    ["c/nested", "c/teams", "c/many_roots", "c/fork_parallel"]
        .into_iter()
        .try_for_each(|name| check(name, "auto"))
}

/// The kernel's sums come late, and put right what was written.
#[test]
fn accounting() -> Result<()> {
    ["c/imbalance", "c/nqueens"].into_iter().try_for_each(|name| check(name, "accounting"))
}

/// The tables include the remainders of rounding.
#[test]
fn one_site_of_several_constructs() -> Result<()> {
    check_program(&programs::of_test("tests/tables/after.c")?, "off")
}

/// A run that ends by a kill.
#[test]
fn killed() -> Result<()> {
    ["c/quick_death", "c/killed"].into_iter().try_for_each(|name| check(name, "auto"))
}
