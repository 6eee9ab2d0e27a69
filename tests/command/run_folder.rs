//! Paths that are no run folder: every command says in one line what the path is and what is
//! wanted, exits with 1, and changes nothing.

use super::*;
use std::fs;

/// All commands that read a recording.
const COMMANDS: [&[&str]; 7] = [
    &["report"],
    &["info"],
    &["export"],
    &["merge"],
    &["pack"],
    &["view", "--port", "0"],
    &["view", "--vampir"],
];

/// Number of the commands that accept a run folder only; they come first.
const ONLY_RUNS: usize = 5;

fn fails(commands: &[&[&str]], path: &Path, words: &[&str]) {
    for command in commands {
        let output = run(command, path);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        assert!(
            said.starts_with("ompttrace: ") && said.lines().count() == 1,
            "{command:?}: {said}"
        );
        assert!(said.contains(path.to_str().expect("text")), "{command:?}: {said}");
        for word in words {
            assert!(said.contains(word), "{command:?}: no {word:?} in {said}");
        }
        assert_eq!(text(&output.stdout), "", "{command:?}");
    }
}

/// Hint in the error message that says which path to give.
const WANTED: &str = "give a run folder of `ompttrace run` (NAME.PID.ompttrace)";

#[test]
fn what_is_not_there_is_reported_as_missing() {
    let scratch = tempfile::tempdir().expect("a folder");
    fails(&COMMANDS, &scratch.path().join("missing"), &["no such file or folder", WANTED]);
}

#[test]
fn a_file_that_is_no_recording_is_not_read() {
    let scratch = tempfile::tempdir().expect("a folder");
    let file = scratch.path().join("notes.txt");
    fs::write(&file, "text").expect("written");
    fails(&COMMANDS, &file, &["is not a recording", WANTED]);
}

#[test]
fn a_folder_without_a_recording_says_what_lacks() {
    let scratch = tempfile::tempdir().expect("a folder");
    fails(&COMMANDS, scratch.path(), &["is an empty folder", WANTED]);
    fs::write(scratch.path().join("notes.txt"), "text").expect("written");
    fails(&COMMANDS, scratch.path(), &["no recording.json in it", WANTED]);
    assert_eq!(names(scratch.path()), ["notes.txt"]);
}

#[test]
fn a_folder_of_run_folders_names_one() {
    let scratch = tempfile::tempdir().expect("a folder");
    let inside = |name: &str| {
        let run = scratch.path().join(name);
        fs::create_dir(&run).expect("made");
        fs::write(run.join("recording.json"), "{}").expect("written");
    };
    inside("heat.8.ompttrace");
    fails(&COMMANDS, scratch.path(), &["contains one: give ", "/heat.8.ompttrace"]);
    inside("heat.7.ompttrace");
    fails(&COMMANDS, scratch.path(), &["contains 2: give one of them", "/heat.7.ompttrace"]);
}

#[test]
fn a_trace_names_the_run_folder_it_came_from() {
    let run = folder();
    for (name, anchor) in
        [("trace.pftrace", None), ("trace.json.gz", None), ("a", Some("traces.otf2"))]
    {
        let trace = run.path().join(name);
        match anchor {
            None => fs::write(&trace, "a trace"),
            Some(anchor) => {
                fs::create_dir(&trace).and_then(|()| fs::write(trace.join(anchor), "x"))
            }
        }
        .expect("written");
        let whole =
            format!("is a trace; give the run folder it came from: {}", run.path().display());
        fails(&COMMANDS[..ONLY_RUNS], &trace, &[&whole]);
        if let Some(anchor) = anchor {
            fails(&COMMANDS[..ONLY_RUNS], &trace.join(anchor), &[&whole]);
            fails(&[COMMANDS[5]], &trace, &["is for Vampir: ompttrace view --vampir"]);
        }
    }
    let elsewhere = tempfile::tempdir().expect("a folder");
    let trace = elsewhere.path().join("merged.pftrace");
    fs::write(&trace, "a trace").expect("written");
    let words = "is a trace; give the run folder it came from (NAME.PID.ompttrace)";
    fails(&COMMANDS[..ONLY_RUNS], &trace, &[words]);
}

#[test]
fn a_part_of_a_run_folder_names_the_folder() {
    let run = folder();
    let words = format!("is part of the run folder {}; give that folder", run.path().display());
    for name in ["events.0", "recording.json"] {
        fails(&COMMANDS, &run.path().join(name), &[&words]);
    }
}
