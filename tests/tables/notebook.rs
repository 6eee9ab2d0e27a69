//! The notebook that ships: all its cells run, and what it draws is what the tables say.

use super::queries::Ranks;
use anyhow::{Context, Result, ensure};
use ompttrace_tests::ranks::RANKS;
use ompttrace_tests::tables::ENGINES;
use ompttrace_tests::{build, process, wheels};
use serde_json::Value;
use std::process::Command;

/// 60 MB.
const DRAWING: &[&str] = &[
    "matplotlib<4",
    "numpy<3",
    "contourpy<2",
    "cycler<1",
    "fonttools<5",
    "kiwisolver<2",
    "packaging<27",
    "pillow<13",
    "pyparsing<4",
    "python-dateutil<3",
    "six<2",
];

fn drawn(ranks: &Ranks) -> Result<Vec<Value>> {
    let mut command = Command::new("python3");
    process::without_settings(&mut command);
    command.arg(build::root().join("tests/tables/notebook.py"));
    command.arg(build::root().join("viewer-configs/sql/ranks.ipynb")).arg(ranks.folder());
    let packages = [
        wheels::packages("test-wheels-tables", ENGINES)?,
        wheels::packages("test-wheels-drawing", DRAWING)?,
    ];
    command.env("PYTHONPATH", std::env::join_paths(packages)?).env("MPLCONFIGDIR", ranks.folder());
    command.env("SQL", build::root().join("viewer-configs/sql")).env("DATASETS", ranks.datasets());
    let printed: Value = serde_json::from_slice(&build::run(&mut command, "python3")?)?;
    printed["figures"].as_array().cloned().context("figures")
}

fn sum(figure: &Value, of: &str) -> Result<f64> {
    let values = figure[of].as_array().with_context(|| format!("no {of}: {figure}"))?;
    Ok(values.iter().filter_map(Value::as_f64).sum())
}

#[test]
fn the_notebook_draws_what_the_tables_say() -> Result<()> {
    let mut ranks = Ranks::new()?;
    let figures = drawn(&ranks)?;
    ensure!(figures.len() == 4, "{figures:?}");
    let mut seconds = |sql: &str| Ok::<_, anyhow::Error>(ranks.tables.number(sql)? as f64 / 1e9);
    let lost = seconds(
        "select sum(caused_idle_ns + caused_wait_ns + caused_mutex_ns)::bigint from rollup",
    )?;
    let work = seconds(
        "select sum(self_ns)::bigint from rollup where region is not null \
         and state in ('work_parallel', 'work_reduction', 'target')",
    )?;
    ensure!(work > 0.0, "no work");
    let path = seconds("select max_by(path_ns + path_work_ns, wall_ns)::bigint from runs")?;
    for (found, wanted) in [
        (sum(&figures[0], "bars")?, lost),
        (sum(&figures[1], "points")?, work),
        (sum(&figures[3], "bars")?, path),
    ] {
        // Both are 0 where no thread has waited for another one, as on a machine whose cores are busy.
        ensure!((found - wanted).abs() <= 1e-6 * wanted, "{found} s instead of {wanted} s");
    }
    let bins = ranks.tables.number("select count(distinct (rank, bin_ns)) from rollup")?;
    ensure!(bins >= RANKS as i64 && sum(&figures[2], "pixels")? == bins as f64, "{bins} bins");
    for number in 1..=4 {
        let file = std::fs::read(ranks.folder().join(format!("{number}.png")))?;
        ensure!(file.starts_with(b"\x89PNG") && file.len() > 4_000, "{} bytes", file.len());
    }
    Ok(())
}
