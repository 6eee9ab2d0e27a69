//! The reading path's cost: instructions that an export takes for each event, counted by valgrind, of the command in
//! `target/ompttrace`. What the machine's speed decides is left out, so that limits can be narrow. Programs run on one thread: how the
//! records of two threads alternate differs from run to run, and with it the count, by up to 4 %. Traces for Perfetto are
//! exact: what is short would be left out, and is shorter on a faster machine.

use crate::bench::build;
use crate::bench::loads::{Load, load};
use crate::bench::reading::{self, Pair, per_event};
use crate::{product, shell};
use anyhow::{Context, Result, bail};
use std::num::NonZero;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

/// The exports of a recording: the name in messages, the format, the number of threads, and options.
const EXPORTS: [(&str, &str, u64, &[&str]); 3] = [
    ("Perfetto", "perfetto", 1, &["--exact", "--no-findings"]),
    ("OTF2", "otf2", 1, &[]),
    ("Perfetto by two threads", "perfetto", 2, &["--exact", "--no-findings"]),
];

/// Instructions per event of each export, by load.
type Counts = [f64; EXPORTS.len()];

/// The counts when they last became smaller. The recordings take several windows, two of n-queens.
const EXPECTED: [(Load, Counts); 4] = [
    (load("lock", 1, 40_000), [1217.0, 896.0, 1233.0]),
    (load("for", 1, 20_000), [1193.0, 918.0, 1200.0]),
    (load("task", 1, 40_000), [1272.0, 1300.0, 1287.0]),
    (load("nqueens", 1, 8), [1527.0, 1255.0, 1554.0]),
];

/// The most that is allowed, as a share of what is expected.
const LIMIT: f64 = 1.03;

/// Counts below this share of what is expected are to be written down.
const SMALLER: f64 = 0.99;

/// The step. The counts are those of the code for x86-64.
pub fn run(last_lines: &mut Vec<String>) -> Result<()> {
    if !cfg!(target_arch = "x86_64") {
        return Ok(());
    }
    let command = product::folder().join("ompttrace");
    let built = build::loads(EXPECTED.iter().map(|(load, _)| load.program))?;
    let kept = shell::target_dir().join("bench/recordings");
    let mut pairs = Vec::new();
    for (load, _) in EXPECTED {
        pairs.push(reading::recorded(&load, &built, &shell::tool_library()?, &kept)?);
    }
    let counts = counts(&command, &pairs)?;
    let mut lines: Vec<String> = EXPECTED
        .iter()
        .zip(&counts)
        .map(|((load, expected), counts)| line(load, expected, counts))
        .collect();
    lines.extend(smaller(&counts));
    lines.iter().for_each(|line| println!("{line}"));
    last_lines.extend(lines);
    match over(&counts) {
        problems if problems.is_empty() => Ok(()),
        problems => bail!("too many instructions per event: {}", problems.join("; ")),
    }
}

/// Counts all exports, as many at a time as there are cores.
fn counts(command: &Path, pairs: &[Pair]) -> Result<Vec<Counts>> {
    let cases = (0..pairs.len()).flat_map(|load| (0..EXPORTS.len()).map(move |of| (load, of)));
    let queue = Mutex::new(cases.collect::<Vec<_>>());
    let counted = Mutex::new(vec![[0.0; EXPORTS.len()]; pairs.len()]);
    let count = || -> Result<()> {
        loop {
            let Some((load, of)) = queue.lock().unwrap().pop() else { return Ok(()) };
            let (_, format, jobs, options) = EXPORTS[of];
            let count = per_event(command, &pairs[load], (format, jobs), options)?;
            counted.lock().unwrap()[load][of] = count.instructions;
        }
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(count)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().ok().context("counting panicked")?)
    })?;
    Ok(counted.into_inner().unwrap())
}

fn line(load: &Load, expected: &Counts, counts: &Counts) -> String {
    let all = EXPORTS.iter().zip(counts.iter().zip(expected));
    let all = all.map(|((name, ..), (count, expected))| {
        format!("{name} {count:.0} of {:.0}", expected * LIMIT)
    });
    format!("instructions per event, {}: {}", load.name(), all.collect::<Vec<_>>().join(", "))
}

/// A request to write down counts that became smaller, for each load that has some.
fn smaller(counts: &[Counts]) -> Vec<String> {
    let found = EXPECTED.iter().zip(counts).filter(|((_, expected), counts)| {
        counts.iter().zip(expected).any(|(count, expected)| *count < expected * SMALLER)
    });
    let asked = found.map(|((load, expected), counts)| {
        let least = counts.iter().zip(expected).map(|(count, expected)| count.min(*expected));
        let least: Vec<String> = least.map(|count| format!("{count:.1}")).collect();
        let name = load.name();
        format!("lower the limits: {name} takes [{}] (EXPECTED in {})", least.join(", "), file!())
    });
    asked.collect()
}

/// The counts over their limits.
fn over(counts: &[Counts]) -> Vec<String> {
    let mut over = Vec::new();
    for ((load, expected), counts) in EXPECTED.iter().zip(counts) {
        for ((name, ..), (count, expected)) in EXPORTS.iter().zip(counts.iter().zip(expected)) {
            let limit = expected * LIMIT;
            if *count > limit {
                over.push(format!("{} {name}: {count:.0}, {limit:.0} allowed", load.name()));
            }
        }
    }
    over
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_over_their_limits_are_named_and_smaller_ones_are_to_be_written_down() {
        let mut counts = EXPECTED.map(|(_, expected)| expected);
        assert!(over(&counts).is_empty() && smaller(&counts).is_empty());
        counts[0][1] *= 1.04;
        counts[2][0] = 1000.0;
        let named = over(&counts);
        assert!(named.len() == 1 && named[0].starts_with("lock@1 OTF2: "), "{named:?}");
        let asked = smaller(&counts);
        assert!(asked.len() == 1 && asked[0].contains("task@1 takes [1000.0, "), "{asked:?}");
    }
}
