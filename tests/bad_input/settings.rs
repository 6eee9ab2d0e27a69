//! Settings that nobody would write on purpose: empty, endless, no text, made of control characters. Each
//! gets an answer that fits into a line.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::process;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, Scratch};

use super::names::harmless;

/// Each setting, and a word of what is allowed.
const SETTINGS: [(&str, &str); 15] = [
    ("OMPTTRACE_FORMAT", "perfetto"),
    ("OMPTTRACE_OUTPUT", "%e, %p, %h, %r and %%"),
    ("OMPTTRACE_VIEW", "auto, threads, regions or both"),
    ("OMPTTRACE_LIMIT", "none, or a size of at least 1MB"),
    ("OMPTTRACE_BUFFER", "4K to 64M"),
    ("OMPTTRACE_EVENTS", "excludes one"),
    ("OMPTTRACE_START", "on or off"),
    ("OMPTTRACE_QUIET", "1 or 0"),
    ("OMPTTRACE_CLOCK", "auto or quanta"),
    ("OMPTTRACE_OVERFLOW", "wait, drop or ring"),
    ("OMPTTRACE_CORES", "auto, switches, accounting or off"),
    ("OMPTTRACE_COUNTERS", "a list of up to 8 of page-faults, "),
    ("OMPTTRACE_SAMPLE", "samples of each thread per second"),
    ("OMPTTRACE_CALLSTACK", "from 1 to 128"),
    (OF_RUN, "only `ompttrace run` sets it"),
];

/// No setting of a user's.
const OF_RUN: &str = "OMPTTRACE_RUN";

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
    for (variable, allowed) in SETTINGS {
        for value in odd_values().into_iter().filter(|value| !value.is_empty()) {
            let what = format!("{variable}={:.40?}", value);
            let stderr = untraced(variable, &value).context(what.clone())?;
            ensure!(stderr.contains(variable) && stderr.contains(allowed), "{what}: {stderr}");
        }
    }
    Ok(())
}

/// The line about an unknown setting lists all that there are.
#[test]
fn no_setting_is_left_out_here() -> Result<()> {
    let stderr = untraced("OMPTTRACE_NONE", OsStr::new("1"))?;
    let (_, listed) = stderr.split_once("not a setting of ompttrace: ").context("no list")?;
    let ends = |letter: char| letter != '_' && !letter.is_ascii_uppercase();
    let listed = listed.split(ends).filter(|word| word.starts_with("OMPTTRACE_"));
    let known = SETTINGS.iter().map(|(name, _)| *name).filter(|name| *name != OF_RUN);
    let (listed, known): (BTreeSet<_>, BTreeSet<_>) = (listed.collect(), known.collect());
    ensure!(listed == known && known.len() == SETTINGS.len() - 1, "{listed:?}");
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
