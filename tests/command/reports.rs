//! `ompttrace report`: words, JSON and a page of a recording made by hand.

use super::{folder, names, program, run, text};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;
use std::process::Command;

#[test]
fn words_have_no_colours_where_nobody_sees_them() {
    let folder = folder();
    let said = run(&["report"], folder.path());
    let words = text(&said.stdout);
    assert!(said.status.success(), "{}", text(&said.stderr));
    assert!(words.contains("Findings") && words.contains("parallel efficiency"), "{words}");
    assert!(!words.contains('\u{1b}'), "no colours where nobody sees them");
    assert_eq!(names(folder.path()).len(), 2, "nothing is left behind");
}

/// The words of a report, as a terminal of this many columns shows them.
fn on_terminal(folder: &Path, columns: u16) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("it is ours");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("a size");
    let name = ptsname(&terminal, Vec::new()).expect("a name").into_string().expect("UTF-8");
    let other = OpenOptions::new().read(true).write(true).open(name).expect("its other end");
    let mut command = Command::new(program());
    let mut child = command.arg("report").arg(folder).stdout(other).spawn().expect("a process");
    drop(command);
    let mut words = Vec::new();
    // The end of what nobody writes to any more is an error, of a terminal.
    drop(File::from(terminal).read_to_end(&mut words));
    assert!(child.wait().expect("its end").success());
    anstream::adapter::strip_str(&text(&words)).to_string()
}

#[test]
fn a_line_is_as_long_as_the_terminal_is_wide() {
    let folder = folder();
    let longest = |words: &str| words.lines().map(|line| line.chars().count()).max();
    let [narrow, wide] = [70, 200].map(|columns| on_terminal(folder.path(), columns));
    assert!(longest(&narrow) <= Some(70), "{narrow}");
    assert!(longest(&wide) > Some(80) && longest(&wide) <= Some(200), "{wide}");
    let said = run(&["report"], folder.path());
    assert!(longest(&text(&said.stdout)) >= longest(&wide));
}

#[test]
fn json_is_one_object_with_exact_sums() {
    let folder = folder();
    let said = run(&["report", "--json"], folder.path());
    let report: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!(report["schema"], 4);
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
