//! Calling contexts in OTF2, as otf2-print lists them, and in the report, whose sums are exact.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{build, otf2_judge};
use serde_json::Value;

use super::chains::{program, said};

#[test]
fn otf2_and_the_report_have_the_contexts_that_the_program_says() -> Result<()> {
    let program = program("chains.c")?;
    let settings = [RECORD_ONLY, ("OMPTTRACE_CALLSTACK", "regions")];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    let expected: BTreeSet<String> = said(&program, &traced)?.into_iter().collect();
    let run = traced.scratch.only_run()?;
    let report = report(&run)?;
    ensure!(of_report(&report)? == expected, "{:?}", of_report(&report)?);
    sums(&report)?;
    one_frame_a_line(&report)?;
    let product = Product::find()?;
    let mut export = Command::new(product.program);
    build::run(export.args(["export", "--format", "otf2"]).arg(&run), "")?;
    let archive = run.join("trace-otf2");
    otf2_judge::check(&archive)?;
    ensure!(of_otf2(&archive)? == expected, "{:?}", of_otf2(&archive)?);
    Ok(())
}

pub fn report(run: &Path) -> Result<Value> {
    let mut command = Command::new(Product::find()?.program);
    Ok(serde_json::from_slice(&build::run(command.args(["report", "--json"]).arg(run), "")?)?)
}

/// The whole texts of contexts that end with a construct.
fn of_report(report: &Value) -> Result<BTreeSet<String>> {
    let contexts = report["contexts"].as_array().context("contexts")?;
    let mut paths: Vec<String> = Vec::new();
    let mut found = BTreeSet::new();
    for context in contexts {
        let name = context["name"].as_str().context("a name")?;
        let path = match context["caller"].as_u64() {
            None => String::new(),
            Some(caller) => {
                let around = paths.get(caller as usize).context("its caller stands before it")?;
                if around.is_empty() { name.to_owned() } else { format!("{around} > {name}") }
            }
        };
        if matches!(context["kind"].as_str(), Some("region" | "task")) {
            found.insert(path.clone());
        }
        paths.push(path);
    }
    Ok(found)
}

/// A source line that calls a function is one frame in the report, however many code addresses the line has.
fn one_frame_a_line(report: &Value) -> Result<()> {
    let mut seen = BTreeSet::new();
    for context in report["contexts"].as_array().context("contexts")? {
        let frame = ["caller", "name", "location"].map(|key| context[key].to_string());
        ensure!(seen.insert(frame), "twice: {context}");
    }
    Ok(())
}

/// Own times of all contexts add up to those of the run, state by state.
fn sums(report: &Value) -> Result<()> {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for context in report["contexts"].as_array().context("contexts")? {
        for (state, time) in context["times"].as_object().context("times")? {
            *sums.entry(state.clone()).or_default() += time.as_u64().context("a time")?;
        }
    }
    for (state, time) in report["times"].as_object().context("times")? {
        ensure!(sums.get(state).copied() == time.as_u64(), "{state}: {sums:?}, not {time}");
    }
    Ok(())
}

/// Calling contexts that the events of an archive refer to, as otf2-print lists them, in the program's notation.
fn of_otf2(archive: &Path) -> Result<BTreeSet<String>> {
    let anchor = archive.join("traces.otf2");
    let print = |option: &[&str]| -> Result<String> {
        let mut command = Command::new("otf2-print");
        let listing = build::run(command.args(option).arg(&anchor), "otf2-tools")?;
        Ok(String::from_utf8_lossy(&listing).into_owned())
    };
    let mut paths: BTreeMap<u64, String> = BTreeMap::new();
    for line in print(&["-G"])?.lines().filter(|line| line.starts_with("CALLING_CONTEXT ")) {
        let own = line.split_whitespace().nth(1).context("a number")?.parse()?;
        let region = line.split("Region: \"").nth(1).and_then(|rest| rest.split('"').next());
        let name = region.context("a region")?.replace("!$omp ", "").replace('@', "");
        let parent = line.split("Parent: ").nth(1).context("a parent")?;
        let parent = parent.rsplit_once('<').and_then(|(_, rest)| rest.split('>').next());
        let path = match parent.and_then(|number| number.parse::<u64>().ok()) {
            Some(parent) => format!("{} > {name}", paths.get(&parent).context("its parent")?),
            None => name,
        };
        paths.insert(own, path);
    }
    let mut named = BTreeSet::new();
    for line in print(&[])?.lines().filter(|line| line.contains("CALLING_CONTEXT;")) {
        let part = line.split("CALLING_CONTEXT;").nth(1).context("a value")?;
        let number = part.split('<').nth(1).and_then(|rest| rest.split('>').next());
        let number: u64 = number.context("a number")?.parse()?;
        named.insert(paths.get(&number).context("a definition")?.clone());
    }
    Ok(named)
}
