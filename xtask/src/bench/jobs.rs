//! `cargo xtask bench advice --jobs`: what the reports of jobs find first, of programs of ranks and threads that lose time for one
//! reason each (`tests/bench/jobs/planted.c`). The source says at which line the cause is, and which kinds of findings are right.

use super::Subject;
use super::advice::{self, Priority};
use super::loads::{Load, load};
use super::options::Options;
use super::report::{Report, Row};
use crate::{product, shell};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two ranks each, of which no more than two threads work at a time.
const LOADS: [Load; 8] = [
    load("imbalanced_loop", 2, 1),
    load("serial_section", 2, 1),
    load("lock", 2, 1),
    load("slow_rank", 2, 1),
    load("late_receiver", 2, 1),
    load("idle_threads", 2, 1),
    load("fine_tasks", 2, 1),
    load("chain", 2, 1),
];

const SOURCE: &str = "tests/bench/jobs/planted.c";

/// Least share of recordings whose first finding must be right.
const ENOUGH: f64 = 7.0 / 8.0;

pub const SUBJECT: Subject =
    Subject { name: "advice --jobs", rounds: 5, loads: &LOADS, words: &[], run };

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let program = built()?;
    let source = fs::read_to_string(shell::root().join(SOURCE)).context(SOURCE)?;
    report.table(
        "jobs",
        &format!(
            "In how many of {} recordings of two ranks the first finding has a right kind and the line of the cause.",
            options.rounds
        ),
    );
    let (mut right, mut all) = (0, 0);
    for load in &options.loads {
        let causes = causes(&source, load.program);
        let mut found = Vec::new();
        for _ in 0..options.rounds {
            found.push(First::of(&recorded(&program, load.program)?));
        }
        let count = found.iter().filter(|first| first.is_right(&causes)).count();
        report.row(row(load.program, &causes, count, &found));
        right += count;
        all += found.len();
    }
    println!(
        "\nThe first finding is right in {right} of {all} recordings (wanted: {}).",
        (ENOUGH * all as f64).ceil()
    );
    Ok(())
}

/// A line that a finding may name, and the kinds that are right there.
#[derive(Debug, PartialEq, Eq)]
struct Cause {
    line: usize,
    kinds: Vec<String>,
}

/// The lines of a program's cause, by the comments of the source.
fn causes(source: &str, program: &str) -> Vec<Cause> {
    let cause = |(line, text): (usize, &str)| {
        let (name, kinds) = text.split_once("// finds ")?.1.split_once(": ")?;
        let kinds = kinds.split_whitespace().map(str::to_owned).collect();
        (name == program).then_some(Cause { line, kinds })
    };
    (1..).zip(source.lines()).filter_map(cause).collect()
}

/// The first finding of a report.
struct First {
    kind: String,
    location: String,
}

impl First {
    fn of(report: &Value) -> First {
        let text = |field: &str| report["findings"][0][field].as_str().unwrap_or("none").to_owned();
        First { kind: text("kind"), location: text("location") }
    }

    fn is_right(&self, causes: &[Cause]) -> bool {
        let line = self.location.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
        let is_it = |cause: &Cause| Some(cause.line) == line && cause.kinds.contains(&self.kind);
        causes.iter().any(is_it)
    }
}

fn row(program: &str, causes: &[Cause], right: usize, found: &[First]) -> Row {
    let in_words = |first: &First| format!("{} {}", first.kind, first.location);
    let others = found.iter().filter(|first| !first.is_right(causes)).map(in_words);
    let others: Vec<_> = others.collect();
    let kinds = found.iter().find(|first| first.is_right(causes)).map(in_words);
    let shown = others.first().map_or("-", String::as_str).to_owned();
    let mut row = Row::new(&[("program", program)]);
    row.number("right", right as f64, 0);
    row.text("found", kinds.as_deref().unwrap_or("-"), 32);
    row.text("instead", &shown, 32);
    row.hidden("others", json!(others));
    row
}

fn built() -> Result<PathBuf> {
    let program = shell::target_dir().join("bench/planted.mpich");
    fs::create_dir_all(shell::target_dir().join("bench"))?;
    let mut compiler = shell::command("mpicc.mpich");
    compiler.env("MPICH_CC", "clang-19").args(["-O2", "-g", "-w", "-fopenmp", SOURCE, "-o"]);
    shell::run(compiler.arg(&program))?;
    Ok(program)
}

/// The report of a recorded job. Threads that wait, also for locks, do not spin, because other ranks need their cores.
fn recorded(program: &Path, name: &str) -> Result<Value> {
    let folder = std::env::temp_dir().join(format!("ompttrace-jobs.{}", std::process::id()));
    fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    let ours = product::folder().join("ompttrace");
    let mut launcher = advice::command(Path::new("mpirun.mpich"), Priority::First);
    launcher.current_dir(&folder).env("OMP_WAIT_POLICY", "passive").env("KMP_BLOCKTIME", "0");
    launcher.env("KMP_LOCK_KIND", "futex");
    launcher.args(["-n", "2"]).arg(&ours).args(["run", "--quiet", "--format", "recording"]);
    shell::run(launcher.args(["--output", "rank.%r", "--"]).arg(program).arg(name))?;
    let report = shell::output(Command::new(&ours).args(["report", "--json"]).arg(&folder));
    fs::remove_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    serde_json::from_str(&report?).context("a report is JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_says_what_is_right() {
        let source =
            "int x;\nsend(); // finds chain: late_sender other\nrecv(); // finds lock: lock\n";
        let causes = causes(source, "chain");
        let kinds = ["late_sender", "other"].map(str::to_owned).to_vec();
        assert_eq!(causes, [Cause { line: 2, kinds }]);
        let first = |kind: &str, location: &str| {
            First::of(&json!({ "findings": [{ "kind": kind, "location": location }] }))
        };
        assert!(first("late_sender", "planted.c:2").is_right(&causes));
        assert!(!first("late_sender", "planted.c:3").is_right(&causes));
        assert!(!first("lock", "planted.c:2").is_right(&causes));
        assert!(!First::of(&json!({ "findings": [] })).is_right(&causes));
    }

    #[test]
    fn every_program_has_its_cause() {
        let source = fs::read_to_string(shell::root().join(SOURCE)).expect("the source");
        for load in LOADS {
            assert!(!causes(&source, load.program).is_empty(), "{}", load.program);
        }
    }
}
