//! Functions that a program makes while it runs: their names come from the list that it writes for perf.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::folder;
use ompttrace_recording::reader::read_facts;
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use serde_json::Value;

/// The list of a process, which is removed with this.
struct List(PathBuf);

impl Drop for List {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn samples_in_code_that_the_program_made_have_its_names() -> Result<()> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_SAMPLE", "500")];
    let traced = traced::run_own("tests/perf_map/made.c", &[], By::Preload, &settings)?;
    let run = traced.scratch.only_run()?;
    let list = List(format!("/tmp/perf-{}.map", read_facts(&run)?.process.pid).into());
    let report = || -> Result<Value> {
        let mut command = Command::new(Product::find()?.program);
        Ok(serde_json::from_slice(&build::run(command.args(["report", "--json"]).arg(&run), "")?)?)
    };
    let functions = report()?["samples"]["functions"].clone();
    let first = functions[0].as_object().context("samples")?;
    ensure!(first["function"] == "hot_loop", "{functions}");
    // The recording has it from now on.
    ensure!(fs::read(&list.0)? == fs::read(run.join(folder::PERF_MAP))?, "another list");
    fs::remove_file(&list.0)?;
    ensure!(report()?["samples"]["functions"] == functions, "it is gone with the list");
    let copy = crate::anonymised::copied(&run, "--anonymise", "copy")?;
    ensure!(crate::anonymised::has(&crate::anonymised::contents(&copy)?, "hot_loop"), "no name");
    ensure!(!copy.join(folder::PERF_MAP).exists(), "the list has paths");
    Ok(())
}
