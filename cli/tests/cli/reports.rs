//! `ompttrace report`: words, JSON and a page of a recording made by hand.

use super::{folder, names, run, text};
use serde_json::Value;

#[test]
fn words_are_for_terminals_of_80_columns() {
    let folder = folder();
    let said = run(&["report"], folder.path());
    let words = text(&said.stdout);
    assert!(said.status.success(), "{}", text(&said.stderr));
    assert!(words.contains("Findings") && words.contains("parallel efficiency"), "{words}");
    assert!(!words.contains('\u{1b}'), "no colours where nobody sees them");
    assert!(words.lines().all(|line| line.chars().count() <= 80), "{words}");
    assert_eq!(names(folder.path()).len(), 2, "nothing is left behind");
}

#[test]
fn json_is_one_object_with_exact_sums() {
    let folder = folder();
    let said = run(&["report", "--json"], folder.path());
    let report: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!(report["schema"], 1);
    let thread = &report["threads"][0];
    let times = thread["times"].as_object().expect("states").values();
    assert_eq!(thread["lifetime_ns"].as_u64(), times.map(Value::as_u64).sum());
}

#[test]
fn a_page_is_written_beside_nothing_and_over_nothing() {
    let folder = folder();
    let page = folder.path().join("report.html");
    let option = page.to_str().expect("UTF-8");
    let said = run(&["report", "--html", option, "--json"], folder.path());
    assert!(said.status.success() && text(&said.stderr).contains("report.html: a page"));
    assert!(serde_json::from_slice::<Value>(&said.stdout).is_ok(), "JSON as well");
    let written = std::fs::read_to_string(&page).expect("read");
    assert!(written.starts_with("<!DOCTYPE html>") && written.contains("<svg "));
    let again = run(&["report", "--html", option], folder.path());
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("report.html exists: give another name"));
    assert_eq!(std::fs::read_to_string(&page).expect("read"), written);
}

#[test]
fn what_is_no_recording_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = run(&["report"], folder.path());
    assert_eq!(said.status.code(), Some(1));
    assert!(text(&said.stderr).lines().count() == 1 && said.stdout.is_empty());
}
