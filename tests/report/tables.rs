//! Tables of a real run: names fit where no terminal shows them, too, are whole in pages and JSON, and say what things are.

use super::{record, report};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use std::fs;
use std::process::Command;

const FUNCTION: &str =
    "a_function_whose_name_alone_is_longer_than_any_line_of_eighty_columns_has_room_for";

#[test]
fn names_fit_and_ordered_is_no_mutex() -> Result<()> {
    let program = programs::of_test("tests/report/long_names.c")?;
    let traced = record(&program, &runtimes::libomp_19()?)?;
    let (run, file) = (traced.scratch.only_run()?, traced.scratch.path().join("page.html"));
    let mut command = Command::new(Product::find()?.program);
    let command = command.args(["report", "--quiet", "--html"]).arg(&file).arg(&run);
    let words = String::from_utf8(build::run(command, "")?)?;
    let page = fs::read_to_string(&file)?;
    let source = fs::read_to_string(&program.source)?;
    let line = source.lines().position(|line| line.contains("/* region */")).context("a line")? + 1;
    let region = format!("long_names.c:{line} ({FUNCTION})");
    let location = format!("long_names.c:{line} (");
    let of_tables = words.lines().filter(|line| line.contains(&location) && line.contains('…'));
    let widest = of_tables.clone().map(|line| line.chars().count()).max().unwrap_or(0);
    ensure!(of_tables.count() >= 3 && widest <= 120, "{widest} columns in {words}");
    ensure!(page.contains(&region), "no {region:?} in the page");
    let constructs = report(&run)?["constructs"].to_string();
    ensure!(constructs.contains(&region), "no {region:?} in {constructs}");
    let narrow = |columns: &str| -> Result<usize> {
        let mut command = Command::new(Product::find()?.program);
        let command = command.args(["report", "--quiet"]).arg(&run).env("COLUMNS", columns);
        let words = String::from_utf8(build::run(command, "")?)?;
        Ok(words.lines().map(|line| line.chars().count()).max().unwrap_or(0))
    };
    ensure!(narrow("300")? > 120 && narrow("90")? <= 90, "COLUMNS counts");
    for text in [&words, &page] {
        ensure!(text.contains("Ordered regions") && !text.contains("Mutexes"), "{text}");
        ensure!(!text.contains("Where mutexes are held"), "{text}");
    }
    let report = report(&run)?;
    let findings = report["findings"].to_string();
    // On a busy machine threads that have no core at the same time hardly wait for their turns.
    let is_busy = !report["busy_machine"].is_null();
    ensure!(
        (is_busy || findings.contains("turn")) && !findings.contains("more locks"),
        "{findings}"
    );
    Ok(())
}
