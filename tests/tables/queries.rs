//! The queries that ship, on the datasets of several ranks: what they say is what the ranks' reports say together.

use super::{BySite, add, report, sites};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::programs;
use ompttrace_tests::ranks::{RANKS, record};
use ompttrace_tests::runtimes;
use ompttrace_tests::tables::{Tables, export, shipped};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Pattern of the datasets that ranks write, relative to their folder.
const DATASETS: &str = "rank.*/trace-parquet";

/// Datasets of all ranks, and their reports.
pub struct Ranks {
    folder: tempfile::TempDir,
    pub tables: Tables,
    reports: Vec<Value>,
}

impl Ranks {
    pub fn new() -> Result<Ranks> {
        let folder = tempfile::tempdir()?;
        let runs = record(folder.path())?;
        runs.iter().try_for_each(|run| export(run, &["--intervals"]))?;
        let reports = runs.iter().map(|run| report(run)).collect::<Result<_>>()?;
        let tables = Tables::open(folder.path().join(DATASETS))?;
        Ok(Ranks { folder, tables, reports })
    }

    /// Folder of the runs and datasets of all ranks.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Path pattern of the datasets of all ranks.
    pub fn datasets(&self) -> PathBuf {
        self.folder().join(DATASETS)
    }

    /// The answer of a query that ships with the product: one object for each row, with its values by the names of columns.
    fn ask(&mut self, name: &str) -> Result<Vec<Value>> {
        ask(&mut self.tables, name)
    }
}

fn ask(tables: &mut Tables, name: &str) -> Result<Vec<Value>> {
    let answer = tables.query(&shipped(name)?)?;
    let row = |row: Vec<Value>| answer.columns.iter().cloned().zip(row).collect();
    Ok(answer.rows.into_iter().map(row).map(Value::Object).collect())
}

fn number(row: &Value, column: &str) -> Result<i64> {
    row[column].as_i64().with_context(|| format!("{column} of {row}"))
}

#[test]
fn every_rank_is_one_of_the_dataset() -> Result<()> {
    let mut ranks = Ranks::new()?;
    let rows = ranks.tables.query("select rank, mpi_rank, host, run from runs order by rank")?.rows;
    let found: Vec<_> = rows.iter().map(|row| (row[0].as_u64(), row[1].as_u64())).collect();
    let wanted: Vec<_> = (0..RANKS as u64).map(|rank| (Some(rank), Some(rank))).collect();
    ensure!(found == wanted, "{rows:?}");
    let runs = ranks.tables.number("select count(distinct run) from rollup")?;
    ensure!(runs == RANKS as i64, "{runs} runs");
    // The same locations have the same numbers on all ranks.
    let same = "select count(*) from (select count(distinct site) as n from sites where line is not null \
                group by kind, file, line, function) where n <> 1";
    ensure!(ranks.tables.number(same)? == 0, "a location has several numbers");
    Ok(())
}

#[test]
fn worst_sites() -> Result<()> {
    let mut ranks = Ranks::new()?;
    let mut wanted = BySite::new();
    for report in &ranks.reports {
        add(&mut wanted, &sites(report)?);
    }
    let rows = ranks.ask("worst_sites")?;
    let mut lost: Vec<i64> = wanted.values().map(|sums| sums[1] + sums[2] + sums[3]).collect();
    lost.retain(|lost| *lost > 0);
    lost.sort_by_key(|lost| -lost);
    let found: Vec<i64> = rows.iter().map(|row| number(row, "lost_ns")).collect::<Result<_>>()?;
    ensure!(found == lost, "{rows:#?} but reports have {lost:?}");
    for row in &rows {
        let [kind, file] = ["kind", "file"].map(|name| row[name].as_str().unwrap_or("null"));
        let of_row = |site: &str| site.starts_with(&format!("{kind}|{file}|{}|", row["line"]));
        let sums: Vec<_> = wanted.iter().filter(|(site, _)| of_row(site)).collect();
        ensure!(sums.len() == 1, "{row}: {sums:?}");
        let columns = ["self_ns", "caused_idle_ns", "caused_wait_ns", "caused_mutex_ns"];
        let numbers = columns.map(|column| number(row, column).unwrap_or(i64::MIN));
        ensure!(numbers == *sums[0].1, "{row}: {sums:?}");
    }
    Ok(())
}

#[test]
fn imbalance() -> Result<()> {
    let mut ranks = Ranks::new()?;
    // The program has one region, whose team is the same two threads.
    let (mut means, mut longest) = (Vec::new(), 0.0);
    for report in &ranks.reports {
        let region = &report["regions"][0];
        ensure!(report["regions"].as_array().map(Vec::len) == Some(1), "{report}");
        let states =
            ["work_parallel", "work_reduction", "target", "off_core_preempted", "off_core_blocked"];
        let work: f64 = states.iter().filter_map(|state| region["times"][state].as_f64()).sum();
        means.push(work / 2.0);
    }
    let thread = "select max(w) from (select rank, thread, sum(self_ns) as w from rollup where region is not null and \
                  (state like 'work%' or state like 'off%') group by all) group by rank";
    for row in ranks.tables.query(thread)?.rows {
        longest += row[0].as_f64().context("work")?;
    }
    let all: f64 = means.iter().sum();
    let most = means.iter().copied().fold(0.0, f64::max);
    let rows = ranks.ask("imbalance")?;
    ensure!(rows.len() == 1 && number(&rows[0], "ranks")? == RANKS as i64, "{rows:?}");
    let row = &rows[0];
    let between = most / (all / RANKS as f64) - 1.0;
    let near = |column: &str, wanted: f64| {
        row[column].as_f64().is_some_and(|found| (found - wanted).abs() < 2e-6)
    };
    ensure!(near("between_ranks", between), "{row}: {between}");
    ensure!(near("within_ranks", longest / all - 1.0), "{row}: {longest} of {all}");
    let slowest = means.iter().position(|mean| *mean == most).context("a rank")?;
    ensure!(number(row, "slowest_rank")? == slowest as i64, "{row}: {means:?}");
    Ok(())
}

#[test]
fn the_slowest_ranks_path() -> Result<()> {
    let mut ranks = Ranks::new()?;
    let wall = |report: &Value| report["wall_ns"].as_u64();
    let (rank, slowest) =
        ranks.reports.iter().enumerate().max_by_key(|(_, report)| wall(report)).context("some")?;
    let path = &slowest["critical_path"];
    let (length, work) = (path["length_ns"].as_i64(), path["work_ns"].as_i64());
    let wall = slowest["wall_ns"].as_i64();
    let rows = ranks.ask("slowest_path")?;
    let sum = |column| rows.iter().map(|row| number(row, column)).sum::<Result<i64>>();
    ensure!(Some(sum("path_ns")?) == length && Some(sum("path_work_ns")?) == work, "{rows:#?}");
    for row in &rows {
        ensure!(number(row, "rank")? == rank as i64 && row["wall_ns"].as_i64() == wall, "{row}");
    }
    Ok(())
}

#[test]
fn waits_name_a_blocker() -> Result<()> {
    let mut ranks = Ranks::new()?;
    ranks.tables.query(&shipped("open_intervals")?)?;
    let rows = ranks.ask("blockers")?;
    ensure!(rows.iter().any(|row| row["state"] == "wait_barrier_implicit"), "{rows:#?}");
    let longest = ranks.ask("longest_waits")?;
    let waits = ranks.tables.number("select count(*) from intervals where state like 'wait%'")?;
    ensure!(longest.len() as i64 == waits.min(20), "{waits}: {longest:?}");
    let times: Vec<i64> = longest.iter().map(|row| number(row, "dur_ns")).collect::<Result<_>>()?;
    ensure!(times.is_sorted_by(|one, other| one >= other) && times.len() > 3, "{times:?}");
    Ok(())
}

/// A program with this much work, recorded into a folder of its own.
fn worked(folder: &Path, name: &str) -> Result<PathBuf> {
    let program = programs::by_name(name)?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let kept = folder.join(format!("run.{}", std::fs::read_dir(folder)?.count()));
    let copied = std::process::Command::new("cp").arg("-r").arg(&run).arg(&kept).status()?;
    ensure!(copied.success());
    export(&kept, &[])?;
    Ok(kept)
}

#[test]
fn what_changed() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let [before, after] =
        [worked(folder.path(), "c/imbalance")?, worked(folder.path(), "c/imbalance")?];
    let mut tables = Tables::open(after.join("trace-parquet"))?;
    let before_them = before.join("trace-parquet");
    tables.query(&format!("SET VARIABLE before = '{}'", before_them.display()))?;
    tables.query(&shipped("open_before")?)?;
    let rows = ask(&mut tables, "changed")?;
    let (before, after) = (sites(&report(&before)?)?, sites(&report(&after)?)?);
    let all: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let change = |site: &String| {
        let of = |sites: &BySite| sites.get(site).copied().unwrap_or_default();
        let (before, after) = (of(&before), of(&after));
        let lost = |sums: [i64; 4]| sums[1] + sums[2] + sums[3];
        (before[0], after[0], lost(before), lost(after))
    };
    let mut wanted: Vec<_> = all.into_iter().map(change).collect();
    wanted.sort();
    let mut found = Vec::new();
    for row in &rows {
        let columns = ["self_before_ns", "self_after_ns", "lost_before_ns", "lost_after_ns"];
        let [one, two, three, four] = columns.map(|column| number(row, column));
        found.push((one?, two?, three?, four?));
    }
    found.retain(|numbers| *numbers != (0, 0, 0, 0));
    found.sort();
    ensure!(found == wanted, "{found:?} but reports have {wanted:?}");
    Ok(())
}
