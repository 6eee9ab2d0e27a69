//! Unfinished files of a command that was killed: the next command names them, and removes none.

use super::*;

/// A process id that no process has.
const GONE: u32 = u32::MAX;

#[test]
fn unfinished_traces_are_named_by_the_next_command() {
    let folder = folder();
    let draft = folder.path().join(format!("trace.pftrace.{GONE}.part"));
    let of_one_that_runs = folder.path().join(format!("trace.json.{}.part", std::process::id()));
    for path in [&draft, &of_one_that_runs] {
        std::fs::write(path, "half a trace").expect("written");
    }
    // As a container's has, of which no process has its number here.
    let of_another = folder.path().join(format!("trace.json.{GONE}.part"));
    let _open = std::fs::File::create(&of_another).expect("made");
    let archive = folder.path().join(format!("trace-otf2.{GONE}.part"));
    std::fs::create_dir(&archive).expect("a folder");
    for command in [&["info"][..], &["export"], &["report"], &["merge", "--output", "/dev/null/x"]]
    {
        let line = text(&run(command, folder.path()).stderr);
        let line = line.lines().next().unwrap_or_default();
        for path in [&draft, &archive] {
            assert!(line.contains(path.to_str().expect("text")), "{command:?}: {line}");
        }
        assert!(line.contains("killed") && !line.contains("json"), "{command:?}: {line}");
    }
    assert!(draft.is_file() && archive.is_dir());
}

#[test]
fn unfinished_traces_elsewhere_are_named_when_it_is_made_again() {
    let (folder, elsewhere) = (folder(), tempfile::tempdir().expect("a folder"));
    let output = elsewhere.path().join("heat");
    let [draft, other] =
        ["heat", "cold"].map(|name| elsewhere.path().join(format!("{name}.{GONE}.part")));
    for path in [&draft, &other] {
        std::fs::write(path, "half a trace").expect("written");
    }
    let made = run(&["export", "--output", output.to_str().expect("text")], folder.path());
    let line = text(&made.stderr);
    assert!(line.contains(draft.to_str().expect("text")) && !line.contains("cold"), "{line}");
    assert!(made.status.success() && draft.is_file());
}
