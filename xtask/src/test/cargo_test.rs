//! The step that runs the tests themselves: `cargo test` over the workspace,
//! shown as it comes, with its result lines kept for the end.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Runs the tests.
pub fn run(last_lines: &mut Vec<String>) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.args(["test", "--workspace", "--no-fail-fast"]).stdout(Stdio::piped());
    let mut child = cargo.spawn().context("cannot start cargo test")?;
    let stdout = child.stdout.take().context("cargo test has no stdout")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        println!("{line}");
        if worth_repeating(&line) {
            last_lines.push(line);
        }
    }
    let status = child.wait()?;
    if !status.success() {
        last_lines.iter().for_each(|line| println!("{line}"));
        bail!("cargo test ended with {status}");
    }
    Ok(())
}

/// cargo's verdict on one binary, unless that binary held no tests.
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
