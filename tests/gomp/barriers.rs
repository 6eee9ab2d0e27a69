//! Barriers as GCC compiles them: which are implicit is not known, so it is not reported.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{build, runtimes};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn report(run: &Path) -> Result<Value> {
    let program = Product::find()?.program;
    let output = build::run(Command::new(program).args(["report", "--json"]).arg(run), "")?;
    Ok(serde_json::from_slice(&output)?)
}

/// The times of waiting in explicit barriers and in those of which it is not known.
fn waits(times: &Value) -> Result<(u64, u64)> {
    Ok((number(times, "/wait_barrier_explicit")?, number(times, "/wait_barrier")?))
}

/// Checks that only the barrier whose line has the directive is reported as explicit.
fn check(run: &Path) -> Result<()> {
    let source = fs::read_to_string(super::source("barriers.c"))?;
    let line = source.lines().position(|line| line.contains("omp barrier")).context("one")? + 1;
    let report = report(run)?;
    let constructs = report["constructs"].as_array().context("a list")?;
    let explicit = format!("barrier (explicit) barriers.c:{line}");
    let (mut found, mut others) = (0, 0);
    for construct in constructs {
        let waits = waits(&construct["times"])?;
        let is_explicit = construct["name"] == explicit.as_str();
        ensure!(if is_explicit { waits.1 == 0 } else { waits.0 == 0 }, "{construct}");
        found += u64::from(is_explicit && waits.0 > 0);
        others += u64::from(waits.1 > 0);
    }
    // The ends of the loop and of the single, of which GCC may say the same line.
    ensure!(found == 1 && others > 0, "{constructs:#?}");
    Ok(())
}

#[test]
fn on_libgomp() -> Result<()> {
    let (_, scratch) = super::run(&super::of_this_test("barriers")?, &[])?;
    check(&scratch.only_run()?)
}

#[test]
fn on_libomp() -> Result<()> {
    let program = super::of_this_test("barriers")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    check(&traced.scratch.only_run()?)
}
