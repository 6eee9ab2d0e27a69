//! Arguments that nobody would write on purpose, in place of every command's folder and of every
//! option's value: the command fails in one line, says how it is used, or takes them; it never panics.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;

use super::names::harmless;
use super::settings::odd_values;
use super::small;

/// Commands that are called with every odd argument.
const COMMANDS: [&str; 8] = ["run", "export", "info", "report", "view", "merge", "pack", "doctor"];

/// Values that are odd wherever they stand.
fn odd_arguments() -> Vec<OsString> {
    let more =
        ["-", "--", "/", "/dev/null", "-1", "0", "1e400", "NaN", "18446744073709551616", ","];
    odd_values().into_iter().chain(more.map(OsString::from)).collect()
}

fn command(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(Product::find()?.program);
    command.args(arguments).stdin(Stdio::null());
    Ok(command)
}

/// A command has ended as it should: with its work done, in one line of its own, or in its usage.
fn check(output: &Output, what: &str) -> Result<()> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code().with_context(|| format!("{what}: {}", output.status))?;
    match code {
        0 => {}
        // `run` ends as programs do that cannot be started.
        1 | 126 | 127 => {
            ensure!(
                stderr.starts_with("ompttrace: ") && stderr.lines().count() == 1,
                "{what}: {stderr}"
            );
            harmless(stderr.trim_end_matches('\n')).with_context(|| what.to_owned())?;
        }
        2 => ensure!(
            stderr.contains("--help") || stderr.starts_with("ompttrace: "),
            "{what}: {stderr}"
        ),
        _ => anyhow::bail!("{what}: {code}: {stderr}"),
    }
    ensure!(!stderr.contains("panicked"), "{what}: {stderr}");
    Ok(())
}

#[test]
fn instead_of_a_folder() -> Result<()> {
    for name in COMMANDS {
        for value in odd_arguments() {
            let output = command(&[name])?.arg(&value).output()?;
            let what = format!("{name} {value:.40?}");
            if name == "doctor" && value == "--" {
                continue;
            }
            if name == "doctor" && output.status.code() != Some(2) {
                // It reports what it found, and that it found something, on stdout.
                let found = String::from_utf8_lossy(&output.stdout);
                found.lines().try_for_each(harmless).with_context(|| what.clone())?;
                ensure!(output.status.code() == Some(1) && found.lines().count() > 3, "{what}");
                continue;
            }
            check(&output, &what)?;
            ensure!(!output.status.success(), "{what}: {output:?}");
        }
    }
    Ok(())
}

#[test]
fn instead_of_a_command() -> Result<()> {
    for value in odd_arguments() {
        let output = command(&[])?.arg(&value).output()?;
        ensure!(output.status.code() == Some(2), "{value:.40?}: {output:?}");
        check(&output, &format!("{value:.40?}"))?;
    }
    Ok(())
}

/// Calls commands with an odd value for every option that `--help` lists; they write to the scratch folder.
#[test]
fn instead_of_an_options_value() -> Result<()> {
    let mut tried = 0;
    for name in COMMANDS {
        let (traced, run) = small()?;
        for option in options(name)? {
            for value in odd_arguments() {
                let output = with_option(name, &option, &value, traced.scratch.path(), &run)?;
                check(&output, &format!("{name} {option}={value:.40?}"))?;
                tried += 1;
            }
        }
    }
    ensure!(tried > 300, "{tried} tried");
    Ok(())
}

fn with_option(
    name: &str,
    option: &str,
    value: &OsString,
    folder: &Path,
    run: &Path,
) -> Result<Output> {
    let mut joined = OsString::from(option);
    joined.push("=");
    joined.push(value);
    let mut command = command(&[name])?;
    command.arg(joined).current_dir(folder);
    match name {
        "run" => command.args(["--", "/bin/true"]),
        // The other end that it waits for never comes.
        "view" => command.args(["--vampir"]).arg(run),
        _ => command.arg(run),
    };
    Ok(command.output()?)
}

/// The long options of a command that take a value.
fn options(name: &str) -> Result<Vec<String>> {
    let help = String::from_utf8(command(&[name, "--help"])?.output()?.stdout)?;
    let words = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
    let with_value = words.filter_map(|line| line.split_once(" <"));
    Ok(with_value.map(|(option, _)| format!("--{option}")).collect())
}
