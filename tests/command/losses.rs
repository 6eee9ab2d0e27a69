//! Losses follow a recording: those that a thread reported and those only in the facts are in what each
//! command says, and in the traces that it makes.

use super::*;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Lost, loss};
use serde_json::Value;

/// A run whose thread has lost seven flushes, and three more that no thread reports.
fn folder() -> TempDir {
    let mut run = recording();
    let event = u64::from(EventCode::new(Flush::NUMBER, Scope::None).0);
    run.put(0, 40, Scope::None, Lost { event, reason: loss::WRITE, count: 7 });
    run.facts.lost.insert("flush".into(), 3);
    run.write().expect("a run folder")
}

/// Standard output of a command, which must succeed.
fn said(arguments: &[&str], of: &Path) -> String {
    let output = run(arguments, of);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn json(arguments: &[&str], of: &Path) -> Value {
    serde_json::from_str(&said(arguments, of)).expect("JSON")
}

fn holds(trace: &Path, words: &str) -> bool {
    let bytes = std::fs::read(trace).expect("a trace");
    bytes.windows(words.len()).any(|found| found == words.as_bytes())
}

fn assert_reported(of: &Path) {
    assert!(said(&["info"], of).contains("2 recorded, 10 lost"));
    assert_eq!(json(&["info", "--json"], of)["callbacks"]["flush"]["lost"], 10);
    assert!(said(&["export"], of).contains("2 events, 10 lost"));
    assert_eq!(json(&["export", "--json"], of)["lost"], 10);
}

#[test]
fn of_a_recording_and_of_a_packed_one() {
    let folder = folder();
    assert_reported(folder.path());
    said(&["pack"], folder.path());
    assert_reported(folder.path());
}

/// The loss of the thread lies in none of these, so that the trace itself has a remark.
#[test]
fn of_a_window_and_of_parts() {
    let folder = folder();
    let window = ["export", "--format", "chrome,perfetto", "--to", "22ns"];
    assert!(said(&window, folder.path()).contains("read for the window: 2 events, 10 lost"));
    for trace in ["trace.json", "trace.pftrace"] {
        assert!(holds(&folder.path().join(trace), "10 records lost"), "{trace}");
    }
    let json = json(&[&window[..], &["--json"]].concat(), folder.path());
    assert_eq!(json["lost"], 10, "{json}");
    let parts = said(&["export", "--split", "1M"], folder.path());
    assert!(parts.contains("2 events, 10 lost"), "{parts}");
}

#[test]
fn of_merged_recordings() {
    let (folder, out) = (folder(), tempfile::tempdir().expect("a folder"));
    let trace = out.path().join("merged.pftrace");
    let merge = ["merge", "--output", trace.to_str().expect("text")];
    assert!(said(&merge, folder.path()).contains("2 events, 10 lost"));
    std::fs::remove_file(&trace).expect("removed");
    let json = json(&[&merge[..], &["--json"]].concat(), folder.path());
    assert_eq!(json["processes"][0]["lost"], 10, "{json}");
}
