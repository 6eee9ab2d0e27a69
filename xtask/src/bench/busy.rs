//! `cargo xtask bench advice --busy`: what reports find first on a busy machine, at normal priority: with a process that has
//! one core, and with twice as many processes as cores. What the cures bring is measured ahead of all of them.

use super::Subject;
use super::advice::{self, Priority, SIGN};
use super::figures::{Times, median};
use super::options::Options;
use super::report::{Report, Row};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command};

/// Least share of recordings whose first finding must be of the right kind: 80 of 90 with five of each program.
const ENOUGH: f64 = 80.0 / 90.0;

/// Other load on the machine.
#[derive(Clone, Copy)]
enum Setting {
    Neighbour,
    Crowd,
}

impl Setting {
    const ALL: [Setting; 2] = [Setting::Neighbour, Setting::Crowd];

    /// The table's name, and what it is of.
    fn names(self) -> [&'static str; 2] {
        match self {
            Setting::Neighbour => ["neighbour", "a neighbour on one core"],
            Setting::Crowd => ["crowd", "twice as many busy processes as cores"],
        }
    }

    /// The processes.
    fn begin(self) -> Result<Neighbours> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (count, bound) = match self {
            Setting::Neighbour => (1, ["taskset", "-c", "0"].as_slice()),
            Setting::Crowd => (2 * cores, ["env"].as_slice()),
        };
        let mut neighbours = Neighbours(Vec::new());
        for _ in 0..count {
            let mut command = Command::new(bound[0]);
            command.args(&bound[1..]).args(["sh", "-c", "while :; do :; done"]);
            neighbours.0.push(command.spawn().context("a busy process")?);
        }
        Ok(neighbours)
    }
}

/// Busy processes, which end with this.
struct Neighbours(Vec<Child>);

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let ended = child.kill().and_then(|()| child.wait());
            ended.err().iter().for_each(|error| eprintln!("a busy process goes on: {error}"));
        }
    }
}

pub const SUBJECT: Subject =
    Subject { name: "advice --busy", rounds: 5, loads: &advice::LOADS, words: &[], run };

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let (built, rounds) = (&advice::built()?, options.rounds);
    let programs: Vec<_> = options.loads.iter().map(|load| load.program).collect();
    let quiet = programs.iter().map(|program| measured(built, program, rounds));
    let quiet = quiet.collect::<Result<Vec<_>>>()?;
    for setting in Setting::ALL {
        let [name, words] = setting.names();
        report.table(
            name,
            &format!(
                "With {words}: in how many of {rounds} recordings the first finding is of the right kind, and the gain that it \
                 expects of the run on cores (the median, and its range over the recordings), beside what the cure brings \
                 ahead of all other processes."
            ),
        );
        let _neighbours = setting.begin()?;
        let mut all = Outcome::default();
        for (program, quiet) in programs.iter().zip(&quiet) {
            let one = recordings(built, program, rounds)?;
            report.row(one.row(program, *quiet));
            all.add(&one, *quiet);
        }
        all.print(rounds * programs.len());
    }
    Ok(())
}

/// The gain of a cure, as a share of the run without it.
fn measured(built: &Path, program: &str, rounds: usize) -> Result<f64> {
    let mut ratios = Times::new();
    for _ in 0..rounds {
        let before = advice::timed(&built.join(program))?;
        let after = advice::timed(&built.join(format!("{program}-cured")))?;
        ratios.push(1.0 - after / before.max(1e-9));
    }
    Ok(median(&ratios))
}

/// The results of a program's recordings.
#[derive(Default)]
struct Recordings {
    first: usize,
    /// The kinds that came first instead.
    others: Vec<String>,
    gains: Times,
    cores: Times,
}

fn recordings(built: &Path, program: &str, rounds: usize) -> Result<Recordings> {
    let mut all = Recordings::default();
    for _ in 0..rounds {
        let report = advice::recorded(&built.join(program), Priority::Normal)?;
        all.take(&report, advice::kind(program));
    }
    Ok(all)
}

impl Recordings {
    fn take(&mut self, report: &Value, kind: &str) {
        let first = report["findings"][0]["kind"].as_str().unwrap_or("none");
        match first == kind {
            true => self.first += 1,
            false => self.others.push(first.to_owned()),
        }
        self.gains.extend(advice::gain(report, kind).map(|[share, ..]| share));
        self.cores.extend(report["cores"]["share"].as_f64());
    }

    fn row(&self, program: &str, measured: f64) -> Row {
        let mut row = Row::new(&[("program", program), ("finding", advice::kind(program))]);
        row.number("first", self.first as f64, 0);
        row.number("measured %", 100.0 * measured, 0);
        let known = |list: &Times| (!list.is_empty()).then(|| 100.0 * median(list));
        let of = |pick: fn(f64, f64) -> f64| self.gains.iter().copied().reduce(pick);
        row.number("expected %", known(&self.gains), 0);
        row.number("from", of(f64::min).map(|share| 100.0 * share), 0);
        row.number("to", of(f64::max).map(|share| 100.0 * share), 0);
        row.number("cores %", known(&self.cores), 0);
        row.hidden("others", json!(self.others));
        row
    }
}

/// All programs in a setting.
#[derive(Default)]
struct Outcome {
    first: usize,
    /// Recordings with a gain of the right sign, and all of programs whose measured gain has one.
    right: usize,
    signed: usize,
}

impl Outcome {
    fn add(&mut self, one: &Recordings, measured: f64) {
        self.first += one.first;
        if measured.abs() > SIGN {
            self.signed += one.first + one.others.len();
            self.right += one.gains.iter().filter(|gain| **gain * measured > 0.0).count();
        }
    }

    fn print(&self, recordings: usize) {
        let wanted = (ENOUGH * recordings as f64).ceil();
        println!(
            "\nThe first finding is of the right kind in {} of {recordings} recordings (wanted: {wanted}); the sign of its gain \
             is right in {} of {} with a measured gain of more than {:.0}%.",
            self.first,
            self.right,
            self.signed,
            100.0 * SIGN,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_finding_counts_and_the_gain_of_its_kind() {
        let finding = |kind: &str, share: f64| {
            let gain = json!({"share": share, "low_share": 0.0, "high_share": 1.0});
            json!({"kind": kind, "gain": gain})
        };
        let mut all = Recordings::default();
        for first in ["lock", "serial"] {
            let findings = [finding(first, 0.2), finding("lock", 0.1)];
            all.take(&json!({"findings": findings, "cores": {"share": 0.5}}), "lock");
        }
        all.take(&json!({"findings": []}), "lock");
        assert_eq!(
            (all.first, all.others.as_slice()),
            (1, ["serial".to_owned(), "none".to_owned()].as_slice())
        );
        assert_eq!(all.gains, [0.2, 0.1]);
        let mut outcome = Outcome::default();
        outcome.add(&all, 0.5);
        assert_eq!((outcome.first, outcome.right, outcome.signed), (1, 2, 3));
        outcome.add(&all, 0.05);
        assert_eq!(outcome.signed, 3, "too little is measured for a sign");
    }
}
