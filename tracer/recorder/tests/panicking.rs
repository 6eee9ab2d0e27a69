//! A panic during a callback, which no C code may see: the program runs on and ends as without us, one line is
//! said, and the recording ends there, readable.
//!
//! The program is this test again, in a process of its own.

mod common;

use common::{FLUSH, arm_into, folder, read, record, write_facts};
use ompttrace_recorder::{State, caught, close, report_panics, slow, state};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

/// The variables with the program's scenario, and the path of the run.
const SCENARIO: &str = "SCENARIO";
const RUN: &str = "RUN";

/// A callback like those of the adapters: a panic that got here would abort.
extern "C" fn callback() {
    slow(FLUSH, |_| panic!("a defect\nof two lines"));
}

extern "C" fn hook() {
    let outcome: Option<()> = caught(|| panic!("a defect"));
    assert!(outcome.is_none());
}

/// Actions of the program after the panic, in which nothing goes wrong.
fn go_on() {
    assert_eq!(state(), State::Off, "still recording");
    thread::spawn(|| record(4)).join().expect("a new thread");
    record(5);
    close(true);
}

#[test]
fn program() {
    let (Ok(scenario), Some(run)) = (std::env::var(SCENARIO), std::env::var_os(RUN)) else {
        return;
    };
    report_panics();
    arm_into(Path::new(&run), State::Recording);
    record(1);
    thread::spawn(|| record(2)).join().expect("a thread");
    // One that lives on, in the midst of its fast path.
    let (to, commands) = std::sync::mpsc::channel();
    let (reported, answers) = std::sync::mpsc::channel();
    let other = thread::spawn(move || {
        for number in commands {
            record(number);
            reported.send(()).expect("sent");
        }
    });
    let report = |number| {
        to.send(number).expect("sent");
        answers.recv().expect("answered");
    };
    report(10);
    match scenario.as_str() {
        "callback" => callback(),
        "hook" => hook(),
        "another thread" => thread::spawn(|| callback()).join().expect("it runs on"),
        _ => {
            // Not ours: it goes the way it always went, and recording continues.
            thread::spawn(|| panic!("the program's own")).join().expect_err("its own panic");
            assert_eq!(state(), State::Recording);
            record(3);
            close(true);
            std::process::exit(7);
        }
    }
    report(11);
    drop(to);
    other.join().expect("the other thread");
    go_on();
    std::process::exit(7);
}

fn run(scenario: &str, folder: &Path) -> Output {
    let mut program = Command::new(std::env::current_exe().expect("this test"));
    program.args(["--exact", "program", "--nocapture"]);
    program.env(SCENARIO, scenario).env(RUN, AsRef::<OsStr>::as_ref(folder));
    program.output().expect("it runs")
}

#[test]
fn a_panic_ends_the_recording_and_nothing_else() {
    for scenario in ["callback", "hook", "another thread"] {
        let folder = folder();
        let ended = run(scenario, &folder);
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(7), "{scenario}: {stderr}");
        let words = stderr.strip_prefix("ompttrace: internal error at ").expect("our line");
        let words =
            words.strip_suffix("; recording ended, the program runs on\n").expect("its end");
        assert!(words.contains("panicking.rs:") && !words.contains('\n'), "{stderr}");
        write_facts(&folder, true);
        let mut found = read(&folder).0;
        found.sort();
        found.retain(|numbers| !numbers.is_empty());
        assert_eq!(found, [[1], [2], [10]], "{scenario}");
    }
}

/// A Rust program that links the tool in has one standard library with it.
#[test]
fn a_panic_of_the_programs_own_is_not_ours() {
    let folder = folder();
    let ended = run("the program's own", &folder);
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(7), "{stderr}");
    assert!(stderr.contains("the program's own") && !stderr.contains("ompttrace: "), "{stderr}");
    write_facts(&folder, true);
    assert!(read(&folder).0.contains(&vec![1, 3]));
}
