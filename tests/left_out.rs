//! Groups of events that a user leaves out (`OMPTTRACE_EVENTS`): whichever are missing, the rest is
//! recorded to the last event, its traces are sound in all formats, and the report claims no more than it
//! can know.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::all_formats::AllFormats;
use ompttrace_tests::left_out::{self, CHOICES};
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{build, exactness};
use serde_json::Value;

/// For each group its exclusion, and the first words of the report's caveat about it.
const CAVEATS: [(&str, &str); 4] = [
    ("-task", "Explicit tasks were not recorded"),
    ("-work", "Loops, sections and `single` were not recorded"),
    ("-sync", "Waiting at barriers and for tasks was not recorded"),
    ("-mutex", "Waiting for mutexes was not recorded"),
];

/// Errors and devices have no part in this program: those two groups are out together with others.
#[test]
fn what_is_left_out_spoils_nothing_else() -> Result<()> {
    let program = programs::of_test("tests/left_out/constructs.c")?;
    let runtime = runtimes::libomp_19()?;
    let mut said = String::new();
    for choice in (0..CHOICES).filter(|choice| choice >> 4 == choice % 4) {
        let events = left_out::setting(choice);
        let wrong = check(&program, &runtime, &events);
        let wrong = wrong.unwrap_or_else(|error| format!("    {error:#}\n"));
        if !wrong.is_empty() {
            writeln!(said, "{events}\n{wrong}")?;
        }
    }
    ensure!(said.is_empty(), "{said}");
    Ok(())
}

/// Faults of one run, its traces and its report; empty if there are none.
fn check(program: &Program, runtime: &Runtime, events: &str) -> Result<String> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_EVENTS", events)];
    let traced = traced::run(program, runtime, By::Oracle, &settings)?;
    let mut said = exactness::ending(program, &traced.run)?;
    said += &exactness::check_left(program, &traced.scratch)?;
    let run = traced.scratch.only_run()?;
    let traces = AllFormats::export(&run, &["--view", "both"])?;
    said += &traces.sums()?;
    said += &traces.trace_faults()?;
    said += &traces.archives(true)?;
    Ok(said + &report(&run, events)?)
}

/// The report says what is missing, and gives no efficiency where it cannot distinguish waiting from work.
fn report(run: &Path, events: &str) -> Result<String> {
    let mut command = Command::new(&Product::find()?.program);
    let output = build::run(command.args(["report", "--json"]).arg(run), "")?;
    let report: Value = serde_json::from_slice(&output)?;
    let caveats = report["caveats"].as_array().context("no caveats")?;
    let mut said = String::new();
    for (group, begin) in CAVEATS {
        let reported = caveats.iter().filter_map(Value::as_str).any(|text| text.starts_with(begin));
        if reported != events.split(',').any(|left_out| left_out == group) {
            writeln!(said, "    the report's caveats with {events}: {caveats:?}")?;
        }
    }
    let knows_waits = !events.contains("-sync");
    let knows_efficiency = report["efficiency"]["parallel"].is_number();
    let knows_path = report["critical_path"]["length_ns"] != 0;
    if [knows_efficiency, knows_path] != [knows_waits; 2] {
        writeln!(said, "    efficiency {knows_efficiency}, critical path {knows_path}")?;
    }
    Ok(said)
}
