//! The step that runs the tests themselves. cargo builds the binaries and would run them one after the other, each of them
//! idle on most cores at its end: here the tests of the product, which are one binary, have all cores, and the others run
//! beside them, one after the other, with what its tests leave idle while they wait.

use super::binaries::{self, Binary};
use crate::{publish, shell};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;

/// The binary whose tests take longer than all others together, and start many programs.
const PRODUCT: &str = "product";

/// The variable by which tests run what takes too long for CI (`tests/harness/extent.rs`).
const ALL: &str = "TEST_OMPTTRACE_ALL";

/// Runs the tests.
pub fn run(all: bool, last_lines: &mut Vec<String>) -> Result<()> {
    let (product, others) =
        binaries::build()?.into_iter().partition::<Vec<_>, _>(|binary| binary.name == PRODUCT);
    let failed = Mutex::new(Vec::new());
    let lines = Mutex::new(last_lines);
    let note = |binary: &Binary, result: Result<Vec<String>>| match result {
        Ok(last) => lines.lock().unwrap().extend(last),
        Err(error) => failed.lock().unwrap().push(format!("{}: {error:#}", binary.name)),
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            others.iter().for_each(|binary| note(binary, quietly(binary, all)));
            if let Err(error) = documentation() {
                failed.lock().unwrap().push(format!("documentation: {error:#}"));
            }
        });
        product.iter().for_each(|binary| note(binary, aloud(binary, all)));
    });
    let failed = failed.into_inner().unwrap();
    if !failed.is_empty() {
        lines.into_inner().unwrap().iter().for_each(|line| println!("{line}"));
        bail!("failed: {}", failed.join("; "));
    }
    Ok(())
}

/// Packages with which cargo gives all crates the features that they have for the tests, so that none is compiled again. They have no
/// examples in their documentation (`doctest = false`).
const FOR_FEATURES: [&str; 3] = ["xtask", "ompttrace-tests", "ompttrace-cli"];

/// Compiles and runs the examples in the documentation of published crates.
fn documentation() -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.args(["test", "--doc", "--quiet"]);
    let published = publish::CRATES.iter().map(|(name, _)| *name);
    cargo.args(published.chain(FOR_FEATURES).flat_map(|name| ["--package", name]));
    shell::run(&mut cargo)
}

/// Runs one binary on one core; what it prints is shown in one piece.
fn quietly(binary: &Binary, all: bool) -> Result<Vec<String>> {
    let mut command = binary.command();
    command.args(["--test-threads", "1"]).envs(all.then_some((ALL, "1")));
    let output = command.stdin(Stdio::null()).output().context("cannot start it")?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    println!("\n-- {}\n{}", binary.shown(), text.trim());
    match output.status.success() {
        true => Ok(text.lines().filter(|line| worth_repeating(line)).map(str::to_owned).collect()),
        false => bail!("{}", output.status),
    }
}

/// Runs one binary on all cores; what it prints is shown as it comes.
fn aloud(binary: &Binary, all: bool) -> Result<Vec<String>> {
    println!("\n-- {}", binary.shown());
    let mut command = binary.command();
    // Tests wait for programs that end, sleep or are killed more than they work: one of 80 seconds takes 5 of a core.
    let threads = 2 * thread::available_parallelism().map_or(1, NonZero::get) + 1;
    command.args(["--test-threads", &threads.to_string()]);
    command.envs(all.then_some((ALL, "1"))).stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot start it")?;
    let stdout = child.stdout.take().context("it has no stdout")?;
    let mut last = Vec::new();
    for line in BufReader::new(stdout).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        println!("{line}");
        if worth_repeating(&line) {
            last.push(line);
        }
    }
    let status = child.wait()?;
    match status.success() {
        true => Ok(last),
        false => bail!("{status}"),
    }
}

/// The verdict on one binary, unless that binary held no tests.
fn worth_repeating(line: &str) -> bool {
    line.starts_with("test result:") && !line.contains(" 0 passed; 0 failed; 0 ignored")
}

#[cfg(test)]
mod tests {
    use super::worth_repeating;

    #[test]
    fn results_are_kept_and_empty_ones_dropped() {
        assert!(worth_repeating("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured"));
        assert!(worth_repeating("test result: FAILED. 0 passed; 1 failed; 0 ignored"));
        assert!(!worth_repeating("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured"));
        assert!(!worth_repeating("test a::b ... ok"));
    }
}
