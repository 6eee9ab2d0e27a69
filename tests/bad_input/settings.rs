//! Settings that nobody would write on purpose: empty, endless, no text, made of control characters. Each
//! gets an answer that fits into a line.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::settings::SETTINGS;
use ompttrace_tests::process;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, Scratch};

use super::names::harmless;

pub fn odd_values() -> Vec<OsString> {
    vec![
        "".into(),
        "x".repeat(100_000).into(),
        "\u{1b}]0;title\u{7}\n\r%".into(),
        OsString::from_vec(b"\xff%\xfe".to_vec()),
        OsString::from_vec([b"%".as_slice(), &[0x80; 4000]].concat()),
    ]
}

#[test]
fn odd_settings_get_a_line_that_says_what_is_allowed() -> Result<()> {
    for setting in SETTINGS {
        let (variable, allowed) = (setting.variable(), (setting.allowed)());
        for value in odd_values().into_iter().filter(|value| !value.is_empty()) {
            let what = format!("{variable}={:.40?}", value);
            let stderr = untraced(&variable, &value).context(what.clone())?;
            ensure!(stderr.contains(&variable) && stderr.contains(&allowed), "{what}: {stderr}");
        }
    }
    Ok(())
}

#[test]
fn odd_names_of_settings_get_a_line() -> Result<()> {
    for name in ["X".repeat(100_000), "\n\u{1b}[2J".into()] {
        let stderr = untraced(&format!("OMPTTRACE_{name}"), OsStr::new("1"))?;
        ensure!(stderr.contains("OMPTTRACE_CLOCK"), "{stderr}");
    }
    Ok(())
}

/// A folder that cannot be, for its name is too long: the reason is not cut off.
#[test]
fn a_name_that_is_too_long_is_reported() -> Result<()> {
    let stderr = untraced("OMPTTRACE_OUTPUT", OsStr::new(&"long".repeat(700)))?;
    ensure!(stderr.contains("File name too long") && stderr.contains("OUTPUT"), "{stderr}");
    Ok(())
}

/// Runs a program with the setting, which must go untraced, and returns the one line.
fn untraced(variable: &str, value: &OsStr) -> Result<String> {
    let program = programs::by_name("c/hello")?;
    let scratch = Scratch::new()?;
    let mut command = program.command(&runtimes::libomp_19()?)?;
    scratch.attach(&mut command, By::Runtime)?;
    command.env(variable, value).current_dir(scratch.path());
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end) && run.stdout == "ok hello\n", "{run:?}");
    let line = run.stderr.strip_suffix('\n').context("no line")?;
    harmless(line)?;
    ensure!(line.starts_with("ompttrace: ") && line.contains("runs untraced"), "{line}");
    ensure!(scratch.names()? == [""; 0], "left something");
    Ok(line.to_owned())
}
