//! Wheels from PyPI that bring a libgomp of their own, under another name and for themselves alone.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::process;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::traced::Scratch;
use ompttrace_tests::wheels::packages;
use serde_json::Value;

/// Small, and all its work is one parallel loop.
const KDTREE: &[&str] = &["pykdtree==1.4.3", "numpy<3"];
/// Widely used; 60 MB in all.
const LEARN: &[&str] = &[
    "scikit-learn==1.9.1",
    "scipy<2",
    "numpy<3",
    "joblib<2",
    "threadpoolctl<4",
    "narwhals<3",
    "cloudpickle<4",
];

#[test]
fn a_wheel_with_its_own_libgomp_is_recorded() -> Result<()> {
    let scratch = Scratch::new()?;
    let mut command = super::command(&scratch, Path::new("python3"))?;
    command.arg(super::source("wheel.py")).env("PYTHONPATH", packages("test-wheels", KDTREE)?);
    let ended = process::run(&mut command, super::LIMIT)?;
    ensure!(ended.last_line() == "ok wheel", "{ended:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    let library = info["runtimes"][0]["library"].as_str().context("a file")?;
    ensure!(library.contains("/pykdtree.libs/libgomp-"), "{library}");
    ensure!(number(&info, "/callbacks/parallel_begin/recorded")? > 0);
    ensure!(number(&info, "/callbacks/implicit_task/begin")? > 4);
    Ok(())
}

#[test]
fn scikit_learn_is_recorded_region_by_region() -> Result<()> {
    let packages = packages("test-wheels-learn", LEARN)?;
    let run = |command: &mut Command| {
        command.arg(super::source("learn.py")).env("PYTHONPATH", &packages);
        process::run(command.env("OMP_NUM_THREADS", "4"), super::LIMIT)
    };
    let mut alone = Command::new("python3");
    process::without_settings(&mut alone);
    let alone = run(&mut alone)?;
    let scratch = Scratch::new()?;
    let traced = run(&mut super::command(&scratch, Path::new("python3"))?)?;
    ensure!(traced.last_line() == "ok learn" && traced.stdout == alone.stdout, "{traced:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    let libraries = info["runtimes"].as_array().context("a list")?;
    let file = |one: &Value| one["library"].as_str().map(str::to_owned);
    let files: Vec<_> = libraries.iter().filter_map(file).collect();
    ensure!(files.len() == 1 && files[0].contains("/scikit_learn.libs/libgomp-"), "{files:?}");
    // All of its regions have as many threads as there are.
    let regions = number(&info, "/callbacks/parallel_begin/recorded")?;
    ensure!(regions > 500, "{regions} regions");
    ensure!(number(&info, "/callbacks/parallel_end/recorded")? == regions);
    ensure!(number(&info, "/callbacks/implicit_task/begin")? == 4 * regions + 1, "{regions}");
    ensure!(number(&info, "/events/lost")? == 0);
    Ok(())
}
