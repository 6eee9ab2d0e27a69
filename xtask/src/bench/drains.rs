//! `cargo xtask bench drains`: what threads notice of writing their full buffers, beside the same run
//! with buffers that hold all of it.

use super::bed::Bed;
use super::loads::Load;
use super::{build, options, report};
use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

/// Sets and unsets of a lock by each of two threads: 80 MB of records each.
const TURNS: u64 = 1_000_000;
/// Silences that count, in microseconds.
const LIMIT: &str = "100";
/// The default, and one that the whole run fits in: a thread has two.
const BUFFERS: [&str; 2] = ["16K", "64M"];

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let rounds = options::only_rounds("drains", arguments, 5)?;
    packages::need(Purpose::Bench)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let bed = Bed::new(build::build(["lock"].into_iter())?)?;
    report::busy().iter().for_each(|warning| eprintln!("{warning}"));
    println!(
        "Two threads with a lock of their own each. Silences are those of a thread between two events.\n\n\
         {:>7}{:>10}{:>8}{:>10}{:>10}{:>12}{:>13}{:>9}{:>12}",
        "buffer",
        "events",
        "M/s",
        "drains",
        "mean us",
        "99.9% us",
        "longest us",
        "> 100",
        "longest us"
    );
    let load = Load { program: "lock", threads: 2, iterations: TURNS, crowded: false };
    for _ in 0..rounds {
        for buffer in BUFFERS {
            let silences = bed.recorded(&load, buffer, silences)?;
            println!("{}", line(buffer, &silences).context("an unknown answer of `gaps`")?);
        }
    }
    Ok(())
}

fn silences(run: &Path) -> Result<Value> {
    let mut gaps = shell::cargo();
    gaps.args(["run", "--release", "--quiet", "-p", "ompttrace-recording", "--example", "gaps"]);
    let answer = shell::output(gaps.args(["--", LIMIT]).arg(run))?;
    serde_json::from_str(&answer).context("`gaps` answers in JSON")
}

fn line(buffer: &str, seen: &Value) -> Option<String> {
    let number = |pointer: &str| seen.pointer(pointer)?.as_u64();
    let (events, busiest) = (number("/events")?, number("/busiest_thread_ns")?.max(1));
    let drains = number("/drains/count")?;
    let microseconds = |ns: u64| ns as f64 / 1e3;
    Some(format!(
        "{buffer:>7}{events:>10}{:>8.1}{drains:>10}{:>10.1}{:>12.1}{:>13.1}{:>9}{:>12.1}",
        events as f64 * 1e3 / busiest as f64,
        microseconds(number("/drains/nanoseconds")?) / drains.max(1) as f64,
        microseconds(number("/drains/longest_of_999_in_1000")?),
        microseconds(number("/drains/longest")?),
        number("/gaps")?,
        microseconds(number("/longest_ns")?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_has_rates_and_microseconds() {
        let drains = json!({"count": 10, "nanoseconds": 50_000, "longest": 9_000, "longest_of_999_in_1000": 8_000});
        let seen = json!({"events": 3000, "busiest_thread_ns": 100_000, "gaps": 7, "longest_ns": 150_000, "drains": drains});
        let line = line("16K", &seen).expect("all is there");
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words, ["16K", "3000", "30.0", "10", "5.0", "8.0", "9.0", "7", "150.0"]);
    }
}
