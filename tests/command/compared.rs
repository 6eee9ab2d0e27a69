//! `ompttrace compare` of recordings made by hand, and the words that `report --explain` knows.

use super::{folder, run, text};
use serde_json::Value;
use std::path::Path;

fn path(folder: &Path) -> &str {
    folder.to_str().expect("UTF-8")
}

#[test]
fn a_run_beside_itself_did_not_change() {
    let folder = folder();
    let said = run(&["compare", "--json", path(folder.path())], folder.path());
    let outcome: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!((&outcome["schema"], &outcome["wall"]["change_ns"]), (&1.into(), &0.into()));
    assert!(outcome["wall"]["is_clear"].is_null(), "fewer than three runs show no chance");
    let words = run(&["compare", path(folder.path())], folder.path());
    assert!(words.status.success(), "{}", text(&words.stderr));
    assert!(text(&words.stdout).contains("before: ") && !text(&words.stdout).contains('\u{1b}'));
}

#[test]
fn sides_of_several_runs_are_parted() {
    let folder = folder();
    let one = path(folder.path());
    let said = run(&["compare", "--json", one, one, "--", one], folder.path());
    let outcome: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!((&outcome["before"]["runs"], &outcome["after"]["runs"]), (&2.into(), &2.into()));
    assert!(outcome["wall"]["is_clear"].is_null());
    let said = run(&["compare", "--json", one, one, one, "--", one, one, one], folder.path());
    let outcome: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!(outcome["wall"]["is_clear"], false);
    for wrong in [&["compare"][..], &["compare", one, one]] {
        let said = run(wrong, folder.path());
        assert_eq!(said.status.code(), Some(2), "{wrong:?}");
        assert!(text(&said.stderr).contains("put `--` between"), "{}", text(&said.stderr));
    }
}

/// The recording of `folder`, with a process that lasts longer by so many nanoseconds.
fn longer(by: u64) -> tempfile::TempDir {
    let folder = folder();
    let facts = folder.path().join("recording.json");
    let text = std::fs::read(&facts).expect("read");
    let mut known: Value = serde_json::from_slice(&text).expect("JSON");
    let report = run(&["report", "--json"], folder.path());
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    let wall = report["wall_ns"].as_u64().expect("a time");
    let first = known["clock"]["pairs"][0]["monotonic"].as_u64().expect("a time");
    known["life"]["ended"] =
        serde_json::json!({ "monotonic": first + 10 * wall + by, "by": "exit", "number": 0 });
    std::fs::write(&facts, known.to_string()).expect("written");
    folder
}

#[test]
fn a_run_that_is_slower_than_allowed_is_an_exit_status() {
    let (base, slower) = (longer(0), longer(1_000_000_000));
    let [base, slower] = [&base, &slower].map(|folder| path(folder.path()));
    let gate = |allowed: &str, runs: [&str; 2]| {
        let said = run(&["compare", "--fail-above", allowed, runs[0]], Path::new(runs[1]));
        (said.status.code(), text(&said.stderr).lines().last().unwrap_or_default().to_owned())
    };
    let (status, line) = gate("5%", [base, slower]);
    assert_eq!(status, Some(4), "{line}");
    assert!(line.starts_with("ompttrace: failed: slower than allowed: +"), "{line}");
    assert!(line.ends_with("allowed +5.0%; noise unknown with one run a side"), "{line}");
    for runs in [[slower, base], [base, base]] {
        let (status, line) = gate("5%", runs);
        assert_eq!(status, Some(0), "{line}");
        assert!(line.starts_with("ompttrace: passed: within the limit: "), "{line}");
    }
    let wrong = gate("much", [base, base]);
    assert_eq!(wrong.0, Some(2), "{}", wrong.1);
}

#[test]
fn a_page_of_a_comparison_is_written_over_nothing() {
    let folder = folder();
    let page = folder.path().join("change.html");
    let arguments = ["compare", "--html", path(&page), path(folder.path())];
    assert!(run(&arguments, folder.path()).status.success());
    let written = std::fs::read_to_string(&page).expect("read");
    assert!(written.starts_with("<!DOCTYPE html>"));
    assert_eq!(run(&arguments, folder.path()).status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&page).expect("read"), written);
}

#[test]
fn words_of_reports_are_explained() {
    let said = run(&["report", "--explain"], Path::new("Load Balance"));
    assert!(text(&said.stdout).starts_with("load balance: mean work of a thread"));
    let all = run(&["report", "--explain"], Path::new("all"));
    assert!(text(&all.stdout).lines().count() > 50);
    let unknown = run(&["report", "--explain"], Path::new("nonsense"));
    assert_eq!(unknown.status.code(), Some(1));
    let with_a_run = run(&["report", "--explain", "gain"], folder().path());
    assert_eq!(with_a_run.status.code(), Some(2));
}
