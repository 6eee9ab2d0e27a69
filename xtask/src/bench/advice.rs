//! `cargo xtask bench advice`: what reports expect of a cure, beside what it brings: the examples and programs of known
//! suites' shapes, each as it is and cured (`-DCURED`), side by side in each round.

use super::figures::{Times, median};
use super::loads::{Load, load};
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use crate::{product, shell};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Measured gains below this part of the run say nothing of the sign.
pub(super) const SIGN: f64 = 0.10;
/// A prediction is near that is off by so much of the run at most.
const NEAR: f64 = 0.15;

/// Two threads each, as everywhere in the examples.
pub(super) const LOADS: [Load; 18] = [
    load("critical_sum", 2, 1),
    load("dependence_chain", 2, 1),
    load("fine_tasks", 2, 1),
    load("imbalance", 2, 1),
    load("lock_convoy", 2, 1),
    load("longest_last", 2, 1),
    load("needless_barriers", 2, 1),
    load("oversubscription", 2, 1),
    load("serial_section", 2, 1),
    load("short_outer_loop", 2, 1),
    load("single_producer", 2, 1),
    load("small_chunks", 2, 1),
    load("waiting_for_output", 2, 1),
    load("sort", 2, 1),
    load("queens", 2, 1),
    load("regions", 2, 1),
    load("conjugate", 2, 1),
    load("histogram", 2, 1),
];

/// Programs with the shapes of known suites, which are no examples: in tests/bench/advice.
const OF_SUITES: [&str; 5] = ["sort", "queens", "regions", "conjugate", "histogram"];

/// The kind of finding whose cure a program has; of several of it the first.
pub(super) fn kind(program: &str) -> &'static str {
    match program {
        "critical_sum" | "lock_convoy" | "histogram" => "lock",
        "dependence_chain" | "waiting_for_output" => "single",
        "fine_tasks" | "single_producer" | "sort" | "queens" => "grain",
        "oversubscription" => "cores",
        "serial_section" => "serial",
        "small_chunks" => "schedule",
        "conjugate" => "short",
        _ => "imbalance",
    }
}

pub const SUBJECT: Subject = Subject { name: "advice", rounds: 21, loads: &LOADS, words: &[], run };

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = built()?;
    report.table(
        "advice",
        "The share of the run that a report expects of a finding's cure (the median of the rounds, and its range), beside \
         what the cure brings without a tool: the median of the ratios within a round.",
    );
    let mut outcomes = Vec::new();
    for load in &options.loads {
        let outcome = measure(&built, load.program, options.rounds)?;
        report.row(outcome.row(load.program));
        outcomes.push(outcome);
    }
    let large: Vec<_> = outcomes.iter().filter(|one| one.measured.abs() > SIGN).collect();
    let right = large.iter().filter(|one| one.expected * one.measured > 0.0).count();
    let near = outcomes.iter().filter(|one| one.is_near()).count();
    println!(
        "\nThe sign is right in {right} of {} with a gain of more than {:.0}%; {near} of {} are within {:.0} points.",
        large.len(),
        100.0 * SIGN,
        outcomes.len(),
        100.0 * NEAR,
    );
    Ok(())
}

/// Builds all programs; returns their folder.
pub(super) fn built() -> Result<PathBuf> {
    let folder = shell::target_dir().join("bench/advice");
    fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    let mut make = shell::command("make");
    make.args(["--silent", "-C", "examples"]).arg(format!("BUILD={}", folder.display()));
    shell::run(&mut make)?;
    for program in OF_SUITES {
        let source = format!("advice/{program}.c");
        build::compile(&source, &["-fopenmp"], &folder.join(program))?;
        let cured = folder.join(format!("{program}-cured"));
        build::compile(&source, &["-fopenmp", "-DCURED"], &cured)?;
    }
    Ok(folder)
}

/// Medians of a program's rounds: the gains that reports expect and the measured one, as shares of the run without a cure.
struct Outcome {
    expected: f64,
    low: f64,
    high: f64,
    measured: f64,
    /// Rounds in which the report had the finding.
    found: usize,
    milliseconds: [f64; 2],
}

impl Outcome {
    fn is_near(&self) -> bool {
        (self.expected - self.measured).abs() <= NEAR
    }

    fn row(&self, program: &str) -> Row {
        let mut row = Row::new(&[("program", program), ("finding", kind(program))]);
        row.number("before ms", self.milliseconds[0], 1);
        row.number("cured ms", self.milliseconds[1], 1);
        let percents = [
            ("measured %", self.measured),
            ("expected %", self.expected),
            ("from", self.low),
            ("to", self.high),
            ("off by", self.expected - self.measured),
        ];
        for (name, share) in percents {
            row.number(name, 100.0 * share, 0);
        }
        row.hidden("found", json!(self.found));
        row.hidden("near", json!(self.is_near()));
        row
    }
}

/// Each round has a run of the program, one of its cure, and one that is recorded.
fn measure(folder: &Path, program: &str, rounds: usize) -> Result<Outcome> {
    let cured = folder.join(format!("{program}-cured"));
    let program_file = folder.join(program);
    let [mut before, mut after, mut ratios] = [const { Times::new() }; 3];
    let mut gains = [const { Times::new() }; 3];
    let mut found = 0;
    for _ in 0..rounds {
        let pair = [timed(&program_file)?, timed(&cured)?];
        before.push(pair[0]);
        after.push(pair[1]);
        ratios.push(1.0 - pair[1] / pair[0].max(1e-9));
        let gain = gain(&recorded(&program_file, Priority::First)?, kind(program));
        found += usize::from(gain.is_some());
        for (list, share) in gains.iter_mut().zip(gain.unwrap_or_default()) {
            list.push(share);
        }
    }
    let [expected, low, high] = gains.each_ref().map(median);
    let milliseconds = [&before, &after].map(|times| 1e3 * median(times));
    Ok(Outcome { expected, low, high, measured: median(&ratios), found, milliseconds })
}

/// Priority of a program over all others on the machine.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Priority {
    /// Real-time priority, if the user may set it.
    First,
    Normal,
}

/// A program on two threads.
pub(super) fn command(program: &Path, priority: Priority) -> Command {
    let first = ["chrt", "--rr", "1"];
    let mut probe = Command::new(first[0]);
    probe.args(&first[1..]).arg("true").stderr(Stdio::null());
    let is_first =
        priority == Priority::First && probe.status().is_ok_and(|status| status.success());
    let mut command = Command::new(if is_first { first[0] } else { "env" });
    if is_first {
        command.args(&first[1..]);
    }
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["OMP_", "KMP_", "OMPTTRACE_"].iter().any(|start| text.starts_with(start)) {
            command.env_remove(&name);
        }
    }
    command.arg(program).env("OMP_NUM_THREADS", "2").stdout(Stdio::null());
    command
}

/// Seconds of a run without a tool, ahead of all else.
pub(super) fn timed(program: &Path) -> Result<f64> {
    let mut command = command(program, Priority::First);
    let begin = Instant::now();
    shell::run(&mut command)?;
    Ok(begin.elapsed().as_secs_f64())
}

/// Seconds after which a recorded program is killed that has no priority: one that spins while others have the cores may take minutes,
/// and a part of its run has the same findings.
const LIMIT: &str = "20";

/// The report of a recorded run, or of a part of it.
pub(super) fn recorded(program: &Path, priority: Priority) -> Result<Value> {
    let folder = std::env::temp_dir().join(format!("ompttrace-advice.{}", std::process::id()));
    let ours = product::folder().join("ompttrace");
    let mut command = command(&ours, priority);
    command.args(["run", "--quiet", "--format", "recording", "--output"]).arg(&folder);
    command.arg("--");
    match priority {
        Priority::First => shell::run(command.arg(program))?,
        // Its status is that of a killed program.
        Priority::Normal => {
            let killed = ["timeout", "--foreground", "--signal", "KILL", LIMIT];
            command.args(killed).arg(program).status().context("cannot start it")?;
        }
    }
    let report =
        shell::output(Command::new(&ours).args(["report", "--json", "--quiet"]).arg(&folder));
    fs::remove_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    serde_json::from_str(&report?).context("a report is JSON")
}

/// Gain that the first finding of a kind expects, as shares of the run: the expected value, the least, and the most.
pub(super) fn gain(report: &Value, kind: &str) -> Option<[f64; 3]> {
    let found = report["findings"].as_array()?.iter().find(|finding| finding["kind"] == kind)?;
    let share = |field: &str| found["gain"][field].as_f64();
    Some([share("share")?, share("low_share")?, share("high_share")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_finding_of_a_kind_counts() {
        let finding = |kind: &str, share: f64| {
            let gain = json!({"share": share, "low_share": 0.1, "high_share": 0.6});
            json!({"kind": kind, "gain": gain})
        };
        let found = [finding("serial", 0.4), finding("lock", 0.3), finding("lock", 0.2)];
        let report = json!({ "findings": found });
        assert_eq!(gain(&report, "lock"), Some([0.3, 0.1, 0.6]));
        assert_eq!(gain(&report, "grain"), None);
    }

    #[test]
    fn every_program_is_there() {
        for load in LOADS {
            let folder = match OF_SUITES.contains(&load.program) {
                true => shell::root().join("tests/bench/advice"),
                false => shell::root().join("examples").join(load.program),
            };
            let is_there = ["c", "cpp", "f90"]
                .iter()
                .any(|ending| folder.join(format!("{}.{ending}", load.program)).is_file());
            assert!(is_there, "{}", load.program);
        }
    }
}
