//! Programs, arguments and folders whose names have quotes, line ends, control characters and bytes
//! that are no text: the program is traced, and what is said of it stays in its line.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, Scratch};

const NAMES: &[&[u8]] = &[
    b"two words",
    b"'single' \"double\" `back` $(sub) \\",
    b"line\nend",
    b"\x1b[2Jescape\x07\x7f\r",
    b"\xff\xfe no text \xc3",
    b"%e %p %",
    "\u{202e}right to left \u{85}".as_bytes(),
    b"-rf",
];

#[test]
fn odd_programs_are_traced() -> Result<()> {
    for name in NAMES {
        let name = OsStr::from_bytes(name);
        check(name).with_context(|| format!("{name:?}"))?;
    }
    Ok(())
}

fn check(name: &OsStr) -> Result<()> {
    let program = programs::by_name("c/hello")?;
    let scratch = Scratch::new()?;
    let odd = scratch.path().join(name);
    fs::copy(program.build()?, &odd)?;
    let inner = program.command(&runtimes::libomp_19()?)?;
    let mut command = Command::new(&odd);
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    scratch.attach(&mut command, By::Runtime)?;
    command.env_remove("OMPTTRACE_OUTPUT").env("OMPTTRACE_FORMAT", "perfetto,chrome");
    command.arg(name).current_dir(scratch.path());
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end) && run.stdout == "ok hello\n", "{run:?}");
    ensure!(run.stderr.lines().count() == 1, "{:?}", run.stderr);
    harmless(run.stderr.trim_end())?;
    let folder = scratch.only_run()?;
    ensure!(folder.join("trace.pftrace").is_file() && folder.join("trace.json").is_file());
    let product = Product::find()?;
    let info = Command::new(&product.program).arg("info").arg(&folder).output()?;
    ensure!(info.status.success(), "{info:?}");
    String::from_utf8_lossy(&info.stdout).lines().try_for_each(harmless)?;
    let export = Command::new(&product.program).arg("export").arg(&folder).output()?;
    String::from_utf8_lossy(&export.stdout).lines().try_for_each(harmless)?;
    ensure!(export.status.success() && export.stdout.ends_with(b"\n"), "{export:?}");
    let reported = product.export(&folder)?;
    let trace = reported["trace"].as_str().context("a path")?;
    ensure!(trace.ends_with("/trace.3.pftrace"), "{trace}");
    // Where the path is no text, the JSON cannot name it for the judge.
    if folder.to_str().is_some() {
        let faults = Judged::open(&folder)?.judge().stats_errors()?;
        ensure!(faults.is_empty(), "{faults:?}");
    }
    Ok(())
}

/// Nothing in a line can speak to the terminal.
pub fn harmless(line: &str) -> Result<()> {
    ensure!(!line.chars().any(char::is_control), "{line:?}");
    Ok(())
}
