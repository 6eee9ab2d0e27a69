//! Phases in traces, archives, tables and reports.

use super::run;
use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::tables::Tables;
use ompttrace_tests::traced::By;
use ompttrace_tests::{build, otf2_judge};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const STEP: &str = "solve, iteration";

fn recorded() -> Result<(PathBuf, ompttrace_tests::traced::Traced)> {
    let traced = run("nested", By::Preload)?;
    Ok((traced.scratch.only_run()?, traced))
}

fn output(run: &Path, options: &[&str]) -> Result<Output> {
    Ok(Command::new(Product::find()?.program).args(options).arg(run).output()?)
}

fn report(run: &Path, options: &[&str]) -> Result<Value> {
    let output = output(run, &[&["report", "--json"], options].concat())?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_trace_has_a_track_of_them() -> Result<()> {
    let (run, _traced) = recorded()?;
    let mut trace = Judged::open(&run)?;
    let slices = "select s.name || ' ' || s.depth || ' ' || t.name from slice s join track t on t.id = s.track_id \
        where s.category = 'phase' order by t.name, s.ts, s.depth";
    let lines = trace.lines(slices)?;
    let own: Vec<_> = lines.iter().filter_map(|line| line.strip_suffix(" phases")).collect();
    ensure!(own.first() == Some(&"solve 0") && own.len() == 9, "{lines:?}");
    ensure!(own.contains(&"solve, iteration 1"), "{lines:?}");
    let others = lines.iter().filter(|line| line.contains("in a team 0 phases of worker"));
    ensure!(others.count() == 1, "{lines:?}");
    let numbers = format!(
        "select count(distinct a.int_value) from slice s join args a using (arg_set_id) where s.name = '{STEP}' \
         and a.key = 'debug.iteration'"
    );
    ensure!(trace.count(&numbers)? == 3);
    Ok(())
}

#[test]
fn other_formats_have_them_too() -> Result<()> {
    let (run, _traced) = recorded()?;
    let product = Product::find()?;
    let folder = run.parent().context("a folder")?;
    let trace = folder.join("trace.json");
    let trace = trace.to_str().context("text")?;
    product.export_with(&run, &["--format", "chrome", "--output", trace])?;
    let chrome = std::fs::read_to_string(trace)?;
    ensure!(chrome.matches(STEP).count() == 3 && chrome.contains(": phases"), "Chrome");
    let archive = product.export_with(&run, &["--format", "otf2"])?;
    let anchor = archive["trace"].as_str().context("a path")?;
    let printed = build::run(Command::new("otf2-print").arg(anchor), "otf2-tools")?;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let of = |kind: &str| {
        let lines = printed.lines().filter(|line| line.starts_with(kind) && line.contains(STEP));
        lines.count()
    };
    ensure!((of("ENTER"), of("LEAVE")) == (3, 3), "{printed}");
    otf2_judge::check(Path::new(anchor).parent().context("a folder")?)?;
    let tables = folder.join("tables");
    let tables = tables.to_str().context("text")?;
    product.export_with(&run, &["--format", "parquet", "--output", tables])?;
    let file = Path::new(tables).join("rank=0/phases.parquet");
    let rows = Tables::new()?.query(&format!(
        "select depth::varchar || ' ' || iteration::varchar from '{}' where name = '{STEP}' order by ts_ns",
        file.display()
    ))?;
    let rows: Vec<_> = rows.rows.iter().map(|row| row[0].clone()).collect();
    ensure!(rows == ["1 0", "1 1", "1 2"], "{rows:?}");
    Ok(())
}

fn times(report: &Value) -> Result<Vec<u64>> {
    let times = report["times"].as_object().context("times")?;
    times.values().map(|time| time.as_u64().context("a time")).collect()
}

/// Reports of all executions of a phase, cut out of the run, add up to its row.
#[test]
fn windows_of_a_phase_add_up_to_its_row() -> Result<()> {
    let (run, _traced) = recorded()?;
    let whole = report(&run, &[])?;
    let rows = whole["phases"].as_array().context("phases")?;
    let row = rows.iter().find(|row| row["name"] == STEP).context("a row")?;
    ensure!(number(row, "/calls")? == 3);
    let mut sum = vec![0; times(row)?.len()];
    let mut wall = 0;
    for instance in ["1", "2", "3"] {
        let part = report(&run, &["--phase", STEP, "--instance", instance])?;
        wall += number(&part, "/wall_ns")?;
        sum.iter_mut().zip(times(&part)?).for_each(|(sum, time)| *sum += time);
    }
    ensure!(wall == number(row, "/wall_ns")?, "{wall} {row}");
    ensure!(sum == times(row)?, "{sum:?} {row}");
    let solve = report(&run, &["--phase", "solve"])?;
    let row = rows.iter().find(|row| row["name"] == "solve").context("a row")?;
    ensure!(number(&solve, "/wall_ns")? == number(row, "/wall_ns")?);
    Ok(())
}

#[test]
fn a_phase_that_is_not_there_is_named() -> Result<()> {
    let (run, _traced) = recorded()?;
    for (options, words) in [
        (&["report", "--phase", "none"][..], "--phase none: there is no such phase; the run has"),
        (&["report", "--phase", STEP, "--instance", "4"], "was executed 3 times"),
        (&["report", "--instance", "4"], "--instance is that of a --region or --phase"),
    ] {
        let output = output(&run, options)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(!output.status.success() && said.contains(words), "{options:?}: {said}");
    }
    let text = output(&run, &["report"])?;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    ensure!(text.contains("Phases") && text.contains(STEP), "{text}");
    let page = run.parent().context("a folder")?.join("page.html");
    output(&run, &["report", "--html", page.to_str().context("text")?])?;
    ensure!(std::fs::read_to_string(page)?.contains(STEP));
    Ok(())
}
