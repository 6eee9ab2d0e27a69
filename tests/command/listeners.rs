//! The reader of the command's output may stop reading, and a disk may be full.

use super::*;
use std::fs::File;

#[test]
fn a_reader_that_is_gone_is_a_quiet_end() {
    let folder = folder();
    for arguments in [&["info"][..], &["info", "--json"], &["export"], &["export", "--json"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = ompttrace(arguments, folder.path()).stdout(writer).output().expect("started");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", text(&output.stderr));
    }
    assert!(names(folder.path()).contains(&"trace.2.pftrace".to_owned()));
}

#[test]
fn a_closed_stderr_changes_no_exit_status() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = ompttrace(&["info"], Path::new("/missing")).stderr(writer).status();
    assert_eq!(status.expect("started").code(), Some(1));
}

#[test]
fn a_result_that_cannot_be_reported_is_a_failure() {
    let folder = folder();
    let full = File::options().write(true).open("/dev/full").expect("opened");
    let output = ompttrace(&["info"], folder.path()).stdout(full).output().expect("started");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("ompttrace: stdout: "), "{output:?}");
}

#[test]
fn without_a_terminal_there_is_no_bar() {
    let folder = folder();
    let output = run(&["export", "--closing-line"], folder.path());
    assert!(!output.stderr.contains(&0x1b), "{}", text(&output.stderr));
}
