//! Programs with one thing wrong: the report names it, where it is.

use super::{list, record_events, report};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use serde_json::Value;
use std::fs;

fn program(name: &str) -> Result<Program> {
    programs::of_test(&format!("tests/report/{name}.c"))
}

fn report_of(name: &str) -> Result<Value> {
    let traced = record_events(&program(name)?, &runtimes::libomp_19()?)?;
    report(&traced.scratch.only_run()?)
}

/// `name.c:NN` of the line with this mark, or of the one `after` it.
fn location(name: &str, mark: &str, after: usize) -> Result<String> {
    let source = fs::read_to_string(program(name)?.source)?;
    let line = source.lines().position(|line| line.contains(&format!("/* {mark} */")));
    let line = line.with_context(|| format!("{name}.c has no mark {mark:?}"))?;
    Ok(format!("{name}.c:{}", line + 1 + after))
}

/// The findings of a kind at a location, in words.
fn findings(report: &Value, kind: &str, location: &str) -> Result<Vec<String>> {
    let found = list(report, "findings")?.iter();
    let found = found.filter(|finding| finding["kind"] == kind && finding["location"] == location);
    Ok(found.map(words).collect())
}

#[test]
fn an_uneven_loop_is_named_with_its_longest_thread() -> Result<()> {
    let report = report_of("uneven")?;
    // clang reports a loop by the line of its pragma or by that of its `for`.
    let (pragma, after) = (location("uneven", "uneven", 0)?, location("uneven", "uneven", 1)?);
    let mut found = findings(&report, "imbalance", &pragma)?;
    found.extend(findings(&report, "imbalance", &after)?);
    ensure!(found.len() == 1, "{pragma}: {}", report["findings"]);
    ensure!(found[0].contains("thread 3 works"), "{}", found[0]);
    ensure!(found[0].contains("try schedule(dynamic, "), "{}", found[0]);
    Ok(())
}

#[test]
fn a_serial_section_is_named_by_the_locations_on_either_side() -> Result<()> {
    let report = report_of("serial")?;
    let (before, after) = (location("serial", "before", 0)?, location("serial", "after", 0)?);
    let found = findings(&report, "serial", &after)?;
    // A slow end of the process after the same region may be a finding of its own: a smaller one.
    let between = found.iter().filter(|text| text.contains(&before)).count();
    ensure!(between == 1 && found[0].contains(&before), "{}", report["findings"]);
    // Three threads idle while it lasts: of all constructs it is charged with the most.
    let constructs = list(&report, "constructs")?;
    let most = constructs.iter().max_by_key(|one| one["blame"]["idle_ns"].as_u64());
    let most = most.context("a construct")?;
    ensure!(most["class"] == "serial", "{most}");
    ensure!(most["name"].as_str().is_some_and(|name| name.contains(&before)), "{most}");
    Ok(())
}

#[test]
fn waiting_for_a_lock_is_charged_to_the_line_that_holds_it() -> Result<()> {
    let report = report_of("holder")?;
    let (long, short) = (location("holder", "long", 0)?, location("holder", "short", 0)?);
    let found = findings(&report, "lock", &long)?;
    ensure!(found.len() == 1 && found[0].contains("others wait"), "{}", report["findings"]);
    let holders = list(&report, "holders")?;
    ensure!(holders[0]["location"]["short"] == long.as_str(), "{}", holders[0]);
    ensure!(
        holders.iter().any(|holder| holder["location"]["short"] == short.as_str()),
        "{holders:?}"
    );
    let lock = &list(&report, "locks")?[0];
    ensure!(lock["longest_hold_at"]["short"] == long.as_str(), "{lock}");
    Ok(())
}

#[test]
fn tasks_that_are_too_small_are_named() -> Result<()> {
    let report = report_of("tasks")?;
    let found = findings(&report, "grain", &location("tasks", "tiny", 0)?)?;
    ensure!(found.len() == 1 && found[0].contains("5000 tasks"), "{}", report["findings"]);
    let site = &report["tasks"]["sites"][0];
    ensure!(site["created"] == 5000 && site["executed"] == 5000, "{site}");
    let grains = list(site, "grains")?.iter();
    let tasks: u64 = grains.filter_map(|grain| grain["tasks"].as_u64()).sum();
    ensure!(tasks == 5000, "{site}");
    Ok(())
}

#[test]
fn data_that_is_copied_for_each_task_is_named() -> Result<()> {
    let report = report_of("copied")?;
    let found = findings(&report, "creation", &location("copied", "copied", 0)?)?;
    ensure!(found.len() == 1, "{}", report["findings"]);
    ensure!(found[0].contains("making each of "), "{}", found[0]);
    ensure!(found[0].contains(": data is copied at creation; share the data"), "{}", found[0]);
    ensure!(of_kind(&report, "grain")?.is_empty(), "{}", report["findings"]);
    Ok(())
}

/// All findings of a kind, in words.
fn of_kind(report: &Value, kind: &str) -> Result<Vec<String>> {
    let found = list(report, "findings")?.iter().filter(|finding| finding["kind"] == kind);
    Ok(found.map(words).collect())
}

#[test]
fn loops_with_hardly_any_work_are_reported_as_one_and_get_no_schedule() -> Result<()> {
    let report = report_of("short")?;
    let found = of_kind(&report, "short")?;
    // Their waiting stands at the loops or at the regions that they are; one of each may stand out.
    ensure!(!found.is_empty() && found.len() <= 4, "{}", report["findings"]);
    ensure!(found.iter().any(|text| text.contains(" locations in short.c:")), "{found:#?}");
    let findings = report["findings"].to_string();
    ensure!(!findings.contains("schedule(") && !findings.contains("-g"), "{findings}");
    ensure!(!report["caveats"].to_string().contains("-g"), "{}", report["caveats"]);
    Ok(())
}

#[test]
fn a_program_without_lines_is_reported_by_functions_and_how_to_get_lines() -> Result<()> {
    let report = report_of("no_lines")?;
    let caveats = report["caveats"].to_string();
    ensure!(
        caveats.matches("Source locations in no_lines have no lines: build it with -g").count()
            == 1,
        "{caveats}"
    );
    let found = of_kind(&report, "short")?;
    ensure!(found.iter().any(|text| text.contains(" in main (no_lines")), "{found:#?}");
    Ok(())
}

/// A finding and its cure, in words.
fn words(finding: &Value) -> String {
    [&finding["text"], &finding["cure"]].map(|text| text.as_str().unwrap_or_default()).join("; ")
}
