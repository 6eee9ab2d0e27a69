//! Reports of real programs: every thread's states add up to its life, the trace processor finds the
//! same sums in the trace, and what a program was made to do wrong is named with its location.

mod cores;
mod findings;
mod hangs;
mod same_in_sql;
mod tables;
pub(crate) mod windows;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use ompttrace_tests::build;
use ompttrace_tests::crowd;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::Program;
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use serde_json::Value;

/// The output of `ompttrace report --json` for a run folder.
fn report(run: &Path) -> Result<Value> {
    let product = Product::find()?;
    let output = build::run(Command::new(product.program).args(["report", "--json"]).arg(run), "")?;
    serde_json::from_slice(&output).context("report --json printed no JSON")
}

/// The output of `ompttrace report --json` for a run folder with so many threads (`--jobs`).
fn report_by(run: &Path, jobs: &str) -> Result<Value> {
    let product = Product::find()?;
    let options = ["report", "--json", "--jobs", jobs];
    let output = build::run(Command::new(product.program).args(options).arg(run), "")?;
    serde_json::from_slice(&output).context("report --json printed no JSON")
}

fn record(program: &Program, runtime: &Runtime) -> Result<Traced> {
    traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])
}

/// Records a program without its cores: which threads have a core depends on other load on the machine.
fn record_events(program: &Program, runtime: &Runtime) -> Result<Traced> {
    traced::run(program, runtime, By::Runtime, &[RECORD_ONLY, ("OMPTTRACE_CORES", "off")])
}

/// The entries of a list in a report.
fn list<'v>(report: &'v Value, name: &str) -> Result<&'v [Value]> {
    report[name].as_array().map(Vec::as_slice).with_context(|| format!("no list {name}"))
}

/// The sum of all values of an object.
fn sum(object: &Value) -> Result<u64> {
    let fields = object.as_object().with_context(|| format!("no object: {object}"))?;
    fields.values().map(|time| time.as_u64().context("no time")).sum()
}

#[test]
fn every_programs_time_adds_up() {
    crowd::check_all(&runtimes::libomp_19().unwrap(), check);
}

#[test]
fn on_libomp_16_too() {
    crowd::check_all(&runtimes::by_name("libomp-16").unwrap(), check);
}

/// Faults of the sums of one program's reports; empty if there are none.
fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = record(program, runtime)?;
    let mut said = String::new();
    for run in traced.scratch.runs()? {
        let report = report(&run)?;
        if report != report_by(&run, "1")? || report != report_by(&run, "2")? {
            writeln!(said, "    with one job it is another report than with two")?;
        }
        let mut lives = 0;
        for thread in list(&report, "threads")? {
            let life = number(thread, "/lifetime_ns")?;
            let (states, metrics) = (sum(&thread["times"])?, sum(&thread["metrics"])?);
            if (states, metrics) != (life, life) {
                writeln!(said, "    {}: {states}, {metrics} of {life} ns", thread["name"])?;
            }
            lives += life;
        }
        let constructs = list(&report, "constructs")?.iter();
        let constructs: u64 = constructs.map(|one| sum(&one["times"])).sum::<Result<u64>>()?;
        if (constructs, sum(&report["times"])?) != (lives, lives) {
            writeln!(said, "    constructs have {constructs} of {lives} ns")?;
        }
        said.push_str(&windows::check(&run, &report)?);
        let (path, first) = (&report["critical_path"], &report["threads"][0]);
        if number(path, "/length_ns")? != number(first, "/lifetime_ns")? {
            writeln!(said, "    the critical path is {} ns long", path["length_ns"])?;
        }
    }
    Ok(said)
}
