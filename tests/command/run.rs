//! `ompttrace run` without its library: nothing is started, and one line says what is missing. What
//! it does with it, real programs show in `tests/run_command.rs`.

use super::*;

/// The command alone in a folder, as `bin/ompttrace`, with what else is put there.
fn alone(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    std::fs::create_dir(folder.path().join("bin")).expect("a folder");
    std::fs::create_dir(folder.path().join("lib")).expect("a folder");
    // The command looks beside the name by which it was started. A copy would be open for writing in
    // children of other tests, and could then not be executed.
    std::fs::hard_link(program(), folder.path().join("bin/ompttrace")).expect("linked");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn run_in(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(folder.path().join("bin/ompttrace"));
    command.arg("run").args(arguments).current_dir(folder.path()).stdin(Stdio::null());
    command.output().expect("started")
}

fn fails_with(folder: &TempDir, words: &str) {
    let output = run_in(folder, &["touch", "started"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("ompttrace: ") && said.contains(words), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(names(folder.path()), ["bin", "lib"], "the program was started");
}

#[test]
fn a_missing_library_is_reported_with_where_it_should_be() {
    fails_with(&alone(&[]), "no libompttrace.so in ");
}

#[test]
fn what_is_no_library_is_reported() {
    for path in ["bin/libompttrace.so", "lib/libompttrace.so"] {
        let folder = alone(&[(path, "no library")]);
        fails_with(&folder, &format!("{path} cannot be used: "));
    }
}

#[test]
fn a_program_is_required() {
    for arguments in [&[][..], &["--"], &["--quiet"], &["--no-such-option", "touch", "started"]] {
        assert_eq!(run_in(&alone(&[]), arguments).status.code(), Some(2), "{arguments:?}");
    }
}
