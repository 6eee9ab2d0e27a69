//! A program of MPI and OpenMP: a run folder for each rank, and one trace of them all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use ompttrace_tests::ranks::{RANKS, record, record_with};
use serde_json::{Value, json};

/// Query for the name of each process, the number of its slices on threads, and their total duration in nanoseconds.
const SUMS: &str = "select p.name, count(*), cast(sum(s.dur) as int) from slice s join thread_track t \
                    on t.id = s.track_id join thread using (utid) join process p using (upid) \
                    group by upid order by p.name";

/// Query for the name of each process, the total time of its threads on cores in nanoseconds, and how often they had one.
const ON_CORES: &str = "select p.name, cast(sum(s.dur) as int), count(*) from sched s join thread using (utid) \
                        join process p using (upid) where s.dur > 0 and p.name is not null \
                        group by upid order by p.name";

/// The least duration of a switch, in nanoseconds.
const SWITCH: u64 = 1_000;

/// Query for the program's regions, with their number on each process.
const REGIONS: &str = "select row_number() over (partition by upid order by s.ts) as number, s.ts, \
                       s.ts + s.dur as end from slice s join thread_track t on t.id = s.track_id \
                       join thread using (utid) where s.name glob 'hybrid.c:* parallel*'";

/// The merged trace, with what the command said of it.
fn merged(folder: &Path, runs: &[PathBuf], name: &str) -> Result<Judged> {
    let trace = folder.join(name);
    let mut merge = Command::new(Product::find()?.program);
    merge.args(["merge", "--json", "--view", "both", "--output"]).arg(&trace).args(runs);
    let reported = serde_json::from_slice(&build::run(&mut merge, "")?)?;
    let mut judged = Judged::of(&trace, reported, Value::Null)?;
    let faults = judged.judge().stats_errors()?;
    ensure!(faults.is_empty(), "{faults:?}");
    Ok(judged)
}

/// Every rank is through its first region before any is in its second: MPI sees to it.
fn check_order(judged: &mut Judged) -> Result<()> {
    let first = judged.count(&format!("select max(end) from ({REGIONS}) where number = 1"))?;
    let second = judged.count(&format!("select min(ts) from ({REGIONS}) where number = 2"))?;
    let regions = judged.count(&format!("select count(*) from ({REGIONS})"))?;
    ensure!(regions == 2 * RANKS as u64, "{regions} regions");
    // Leaving a region is reported a little after the last rank may have been let go.
    ensure!(
        first < second + 1_000_000,
        "a first region ends at {first}, a second begins at {second}"
    );
    Ok(())
}

/// Compares times on cores in the single traces and in the merged one: switches on a core have times of several clocks, which
/// differ by less than the duration of a switch. Where they do, each switch between two ranks shortens what was before it.
fn check_cores(alone: &[String], together: &[String]) -> Result<()> {
    ensure!(alone.len() == together.len(), "{together:?} instead of {alone:?}");
    for (alone, together) in alone.iter().zip(together) {
        let split = |line: &String| -> Result<(String, u64, u64)> {
            let mut columns = line.split('|');
            let mut next = || columns.next().context("three columns");
            Ok((next()?.to_owned(), next()?.parse()?, next()?.parse()?))
        };
        let ((name, before, switches), (same, after, _)) = (split(alone)?, split(together)?);
        ensure!(
            name == same && before.abs_diff(after) < before / 1000 + switches * SWITCH,
            "{together} instead of {alone}"
        );
    }
    Ok(())
}

#[test]
fn ranks_merged_are_what_they_are_alone() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let runs = record(folder.path())?;
    let (mut alone, mut on_cores) = (Vec::new(), Vec::new());
    let mut all = 0;
    for run in &runs {
        let mut judged = Judged::open(run)?;
        alone.extend(judged.lines(SUMS)?);
        on_cores.extend(judged.lines(ON_CORES)?);
        all += judged.count("select count(*) from slice")?;
    }
    alone.sort();
    for (rank, line) in alone.iter().enumerate() {
        ensure!(line.starts_with(&format!("hybrid:rank{rank}|")), "{line}");
    }
    let mut together = merged(folder.path(), &runs, "together.pftrace")?;
    ensure!(together.lines(SUMS)? == alone, "{:?} instead of {alone:?}", together.lines(SUMS)?);
    ensure!(together.count("select count(*) from slice")? == all, "slices of other tracks");
    on_cores.sort();
    check_cores(&on_cores, &together.lines(ON_CORES)?)?;
    check_order(&mut together)?;
    let ranks: Vec<_> =
        (0..RANKS).map(|at| together.export["processes"][at]["rank"].clone()).collect();
    ensure!(ranks.iter().all(Value::is_number), "{ranks:?}");
    Ok(())
}

/// The second rank as it would have been recorded by a machine that started an hour earlier. Where only calls are recorded, clocks
/// are not measured.
#[test]
fn machines_with_other_clocks_meet_by_the_time_of_day() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let runs = record_with(folder.path(), &["--mpi", "calls"])?;
    let facts = runs[1].join("recording.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&facts)?)?;
    value["process"]["host"] = json!("elsewhere");
    for pair in value["clock"]["pairs"].as_array_mut().context("clock pairs")? {
        pair["monotonic"] =
            json!(pair["monotonic"].as_u64().context("a time")? + 3_600_000_000_000);
    }
    fs::write(&facts, value.to_string())?;
    let mut together = merged(folder.path(), &runs, "together.pftrace")?;
    ensure!(together.lines(ON_CORES)?.is_empty(), "cores of two machines as one's");
    check_order(&mut together)
}

#[test]
fn what_cannot_be_merged_is_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let runs = record(folder.path())?;
    let merge = |runs: &[&Path]| {
        let output = Command::new(Product::find()?.program)
            .args(["merge", "--output"])
            .arg(folder.path().join("none.pftrace"))
            .args(runs)
            .output()?;
        anyhow::Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let (code, said) = merge(&[&runs[0], &runs[0]])?;
    ensure!(code == Some(1) && said.contains("rank.0 is given twice"), "{said}");
    let (code, said) = merge(&[&runs[0], &folder.path().join("rank.9")])?;
    ensure!(code == Some(1) && said.contains("rank.9: there is no such file"), "{said}");
    ensure!(merge(&[])?.0 == Some(2), "no runs");
    let left: Vec<_> = fs::read_dir(folder.path())?.collect::<Result<_, _>>()?;
    ensure!(left.len() == RANKS, "{left:?}");
    Ok(())
}
