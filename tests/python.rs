//! The Python package `ompttrace`: the notebook that ships, and every part of the package, on one recording that the notebook makes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::tables::ENGINES;
use ompttrace_tests::traced::Scratch;
use ompttrace_tests::{build, process, programs, runtimes, wheels};
use serde_json::Value;

/// Python with the package, the command and the libraries of tables.
pub(crate) fn python(product: &Product, folder: &Path) -> Result<Command> {
    let mut python = Command::new("python3");
    process::without_settings(&mut python);
    let packages = [build::root().join("python"), wheels::packages("test-wheels-tables", ENGINES)?];
    python.env("PYTHONPATH", std::env::join_paths(packages)?).env("PYTHONDONTWRITEBYTECODE", "1");
    python.env("OMPTTRACE", &product.program).current_dir(folder);
    Ok(python)
}

#[test]
fn the_notebook_and_the_package_say_what_the_command_says() -> Result<()> {
    let (product, scratch) = (Product::find()?, Scratch::new()?);
    let program = programs::by_name("c/lock_contended")?.command(&runtimes::libomp_19()?)?;
    let mut notebook = python(&product, scratch.path())?;
    notebook.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    notebook.env("PROGRAM", program.get_program());
    notebook.arg(build::root().join("tests/tables/notebook.py"));
    notebook.arg(build::root().join("examples/notebook/report.ipynb")).arg(scratch.path());
    let printed = build::run(&mut notebook, "python3")?;
    let last = printed.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let shown: Value = serde_json::from_slice(last).context("JSON")?;

    let run = scratch.only_run()?;
    let json = build::run(Command::new(&product.program).args(["report", "--json"]).arg(&run), "")?;
    let report: Value = serde_json::from_slice(&json)?;
    let cell = |number: usize| shown["shown"][number].as_str().context("a cell shows nothing");
    ensure!(cell(0)?.contains(run.file_name().context("a name")?.to_string_lossy().as_ref()));
    let finding = report["findings"][0]["location"].as_str().context("no finding")?;
    ensure!(cell(1)?.contains(finding), "{finding}: {}", cell(1)?);
    ensure!(cell(2)?.contains("work_parallel"), "{}", cell(2)?);
    ensure!(cell(3)?.starts_with("<iframe srcdoc=\"&lt;!DOCTYPE html"), "{:.200}", cell(3)?);

    let kept = scratch.path().join("report.json");
    fs::write(&kept, &json)?;
    let mut package = python(&product, scratch.path())?;
    package.arg(build::root().join("tests/python/package.py")).arg(&run).arg(&kept);
    build::run(&mut package, "python3").map(drop)
}
