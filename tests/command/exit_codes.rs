//! 0 done, 1 failed, 2 wrong usage; and every failure names the file that it is about.

use super::*;
use ompttrace_recording::{FORMAT_VERSION, folder};

/// Both commands fail with 1, say nothing on stdout and one line that has `words`.
fn fails(path: &Path, words: &[&str]) {
    for command in ["export", "info"] {
        fails_as(&run(&[command], path), words);
    }
}

fn fails_as(output: &Output, words: &[&str]) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("ompttrace: ") && said.lines().count() == 1, "{said}");
    for word in words {
        assert!(said.contains(word), "no {word:?} in {said}");
    }
    assert_eq!(text(&output.stdout), "");
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("text")
}

#[test]
fn a_recording_is_exported_and_described() {
    let folder = folder();
    for arguments in [&["info"][..], &["info", "--json"], &["export"], &["export", "--json"]] {
        let output = run(arguments, folder.path());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{arguments:?}");
    }
    let quiet = run(&["export", "--quiet"], folder.path());
    assert_eq!(quiet.status.code(), Some(0));
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
}

#[test]
fn results_count_the_callbacks() {
    let folder = folder();
    let json = text(&run(&["export", "--json"], folder.path()).stdout);
    assert!(json.contains("\"events\": 2,"), "{json}");
    let line = run(&["export", "--closing-line"], folder.path());
    assert!(text(&line.stderr).contains("trace.2.pftrace: 2 events, 0 lost\n"), "{line:?}");
    assert!(line.stdout.is_empty());
}

#[test]
fn wrong_usage_is_2() {
    let folder = folder();
    for arguments in [&["export", "--format", "no"][..], &["export", "--no"], &["explode"], &[]] {
        assert_eq!(run(arguments, folder.path()).status.code(), Some(2), "{arguments:?}");
    }
    let nothing = Command::new(program()).output().expect("started");
    assert_eq!(nothing.status.code(), Some(2));
    let help = Command::new(program()).arg("--help").output();
    assert_eq!(help.expect("started").status.code(), Some(0));
}

#[test]
fn facts_that_are_none_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let facts = folder.path().join(folder::FACTS);
    std::fs::write(&facts, "{\"format\": 1, \"to").expect("written");
    fails(folder.path(), &[shown(&facts), "not the facts of a recording"]);
    std::fs::write(&facts, "1").expect("written");
    fails(folder.path(), &[shown(&facts), "not the facts of a recording"]);
}

#[test]
fn a_newer_recording_asks_for_a_newer_program() {
    let mut run = recording();
    run.facts.format = FORMAT_VERSION + 1;
    let folder = run.write().expect("a run folder");
    let facts = folder.path().join(folder::FACTS);
    let found = format!("recording format {}", FORMAT_VERSION + 1);
    fails(folder.path(), &[shown(&facts), &found, "use the ompttrace that recorded it"]);
}

#[test]
fn an_existing_trace_is_kept() {
    let folder = folder();
    let trace = folder.path().join("mine");
    std::fs::write(&trace, "earlier").expect("written");
    let before = names(folder.path());
    fails_as(
        &run(&["export", "--output", shown(&trace)], folder.path()),
        &[shown(&trace), "exists"],
    );
    assert_eq!(std::fs::read_to_string(&trace).expect("read"), "earlier");
    assert_eq!(names(folder.path()), before);
}

#[test]
fn an_output_that_cannot_be_written_is_named_and_leaves_nothing() {
    let folder = folder();
    let before = names(folder.path());
    for (output, why) in [("no/trace", "No such file"), ("recording.json/trace", "Not a directory")]
    {
        let output = folder.path().join(output);
        let said = run(&["export", "--output", shown(&output)], folder.path());
        fails_as(&said, &[&format!("{}: {why}", shown(&output))]);
    }
    assert_eq!(names(folder.path()), before);
}

#[test]
fn a_full_file_system_is_reported_with_the_trace_and_leaves_nothing() {
    let folder = folder();
    let before = names(folder.path());
    // No file may grow at all, and the signal for it is ignored.
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 0; exec \"$0\" export \"$1\""]);
    let output = shell.arg(program()).arg(shown(folder.path())).output();
    let trace = folder.path().join("trace.pftrace");
    fails_as(&output.expect("started"), &[shown(&trace), "File too large"]);
    assert_eq!(names(folder.path()), before);
}
