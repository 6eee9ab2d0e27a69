//! `cargo xtask bench drains`: what threads notice of writing their full buffers, beside the same run
//! with buffers that hold all of it.

use super::bed::Bed;
use super::loads::{Load, load};
use super::matrix::interleaved;
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use crate::shell;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

/// Sets and unsets of a lock by each of two threads: 80 MB of records each.
const LOADS: [Load; 1] = [load("lock", 2, 1_000_000)];
/// Silences that count, in microseconds.
const LIMIT: &str = "100";
/// The default, and one that the whole run fits in: a thread has two.
const BUFFERS: [&str; 2] = ["16K", "64M"];

pub const SUBJECT: Subject = Subject { name: "drains", rounds: 5, loads: &LOADS, words: &[], run };

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(["lock"].into_iter())?;
    report.table(
        "drains",
        "Two threads with a lock of their own each. Silences are those of a thread between two events.",
    );
    let bed = |buffer| -> Result<Bed> {
        let mut bed = Bed::new(built.clone())?;
        bed.set("OMPTTRACE_BUFFER", buffer);
        Ok(bed)
    };
    let beds: Vec<Bed> = BUFFERS.into_iter().map(bed).collect::<Result<_>>()?;
    let seen = interleaved(&beds, options.rounds, |bed| bed.recorded(&LOADS[0], silences))?;
    for (buffer, rounds) in BUFFERS.iter().zip(&seen) {
        for seen in rounds {
            report.row(row(buffer, seen).context("an unknown answer of `gaps`")?);
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

fn row(buffer: &str, seen: &Value) -> Option<Row> {
    let number = |pointer: &str| seen.pointer(pointer)?.as_f64();
    let microseconds = |pointer: &str| Some(number(pointer)? / 1e3);
    let (events, drains) = (number("/events")?, number("/drains/count")?);
    let mut row = Row::new(&[("buffer", buffer)]);
    row.number("events", events, 0);
    row.number("M/s", events * 1e3 / number("/busiest_thread_ns")?.max(1.0), 1);
    row.number("drains", drains, 0);
    row.number("mean us", microseconds("/drains/nanoseconds")? / drains.max(1.0), 1);
    row.number("99.9% us", microseconds("/drains/longest_of_999_in_1000")?, 1);
    row.number("longest us", microseconds("/drains/longest")?, 1);
    row.number("> 100", number("/gaps")?, 0);
    row.number("longest silence us", microseconds("/longest_ns")?, 1);
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_has_rates_and_microseconds() {
        let drains = json!({"count": 10, "nanoseconds": 50_000, "longest": 9_000, "longest_of_999_in_1000": 8_000});
        let seen = json!({"events": 3000, "busiest_thread_ns": 100_000, "gaps": 7, "longest_ns": 150_000, "drains": drains});
        let line = row("16K", &seen).expect("all is there").shown();
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words, ["16K", "3000", "30.0", "10", "5.0", "8.0", "9.0", "7", "150.0"]);
    }
}
