//! Packing: nothing of what other commands say changes, and nobody's files are taken away.

use super::*;
use serde_json::Value;

/// Standard output of a command, which must succeed without a message.
fn said(arguments: &[&str], of: &Path) -> String {
    let output = run(arguments, of);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

/// The line that a failing command prints to stderr, its only output.
fn complaint(arguments: &[&str], of: &Path) -> String {
    let output = run(arguments, of);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()));
    let line = text(&output.stderr);
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

fn json(arguments: &[&str], of: &Path) -> Value {
    serde_json::from_str(&said(arguments, of)).expect("JSON")
}

#[test]
fn a_packed_recording_says_and_draws_the_same() {
    let folder = folder();
    let mut before = json(&["info", "--json"], folder.path());
    assert_eq!(before["packed"], Value::Null);
    assert!(said(&["info"], folder.path()).contains("\npacked    no\n"));
    said(&["export", "--quiet"], folder.path());
    let packed = said(&["pack"], folder.path());
    assert!(packed.contains("events.packed: 2 events, ") && packed.contains(" per event"));
    let files = ["events.packed", "recording.json", "trace.pftrace"];
    assert_eq!(names(folder.path()), files);
    let mut after = json(&["info", "--json"], folder.path());
    let bytes = folder.path().join("events.packed").metadata().expect("metadata").len();
    assert_eq!(after["packed"]["bytes"], bytes);
    assert_eq!(after["packed"]["bytes_per_event"], bytes as f64 / 2.0);
    (before["packed"], after["packed"]) = (Value::Null, Value::Null);
    assert_eq!(before, after);
    let line = format!("\npacked    {:.2} bytes per event, {bytes} in all\n", bytes as f64 / 2.0);
    assert!(said(&["info"], folder.path()).contains(&line));
    said(&["export", "--quiet"], folder.path());
    let read = |name| std::fs::read(folder.path().join(name)).expect("a trace");
    assert!(read("trace.pftrace") == read("trace.2.pftrace"));
}

#[test]
fn a_second_pack_changes_the_level_and_keep_keeps() {
    let folder = folder();
    let packed = json(&["pack", "--keep", "--json"], folder.path());
    assert_eq!((&packed["events"], &packed["records"]), (&2.into(), &3.into()));
    assert_eq!(names(folder.path()), ["events.0", "events.packed", "recording.json"]);
    let again = json(&["pack", "--level", "19", "--json"], folder.path());
    assert_eq!(again["bytes_before"], packed["bytes_before"]);
    assert_eq!(names(folder.path()), ["events.packed", "recording.json"]);
    let third = json(&["pack", "--json"], folder.path());
    assert_eq!((&third["bytes_before"], &third["bytes"]), (&again["bytes"], &packed["bytes"]));
    assert_eq!(said(&["pack", "--quiet"], folder.path()), "");
}

#[test]
fn a_run_that_may_go_on_is_left_alone() {
    let mut alive = recording();
    (alive.facts.closed, alive.facts.process.pid) = (false, std::process::id());
    let alive = alive.write().expect("a run folder");
    let line = complaint(&["pack"], alive.path());
    assert!(line.contains("may still run"), "{line}");
    assert_eq!(names(alive.path()), ["events.0", "recording.json"]);
    let mut dead = recording();
    (dead.facts.closed, dead.facts.process.pid) = (false, u32::MAX);
    dead.facts.process.pid_namespace = namespace("pid");
    let dead = dead.write().expect("a run folder");
    said(&["pack"], dead.path());
    assert_eq!(names(dead.path()), ["events.packed", "recording.json"]);
    said(&["pack"], dead.path());
}

#[test]
fn a_damaged_packed_file_is_one_line_and_no_trace() {
    let folder = folder();
    said(&["pack"], folder.path());
    let path = folder.path().join("events.packed");
    let mut bytes = std::fs::read(&path).expect("read");
    bytes[30] ^= 4;
    std::fs::write(&path, bytes).expect("damaged");
    for command in ["info", "export", "pack"] {
        let line = complaint(&[command], folder.path());
        assert!(line.contains("events.packed: damaged at byte 16: "), "{command}: {line}");
        assert_eq!(names(folder.path()), ["events.packed", "recording.json"], "{command}");
    }
}

#[test]
fn levels_that_do_not_exist_are_wrong_usage() {
    for level in ["0", "23", "high"] {
        let output = run(&["pack", "--level", level], Path::new("nowhere"));
        assert_eq!(output.status.code(), Some(2), "{level}");
        assert!(text(&output.stderr).contains("--level"), "{}", text(&output.stderr));
    }
}
