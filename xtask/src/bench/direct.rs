//! Callbacks called directly, without a runtime: nanoseconds and instructions of each tool by family
//! of callbacks, and of ours while it is paused.

use super::bed::collected;
use super::contender::{Contender, settings};
use super::figures::{Times, median, min, paired_ratio};
use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The families of tests/bench/direct.c.
pub const FAMILIES: [&str; 6] = ["mutex", "task", "sites", "sync", "work", "parallel"];

/// Repeats of a family in a round: few enough that most rounds have no drain in them, which the
/// loads on a runtime measure.
const REPEATS: &str = "60";

/// Where the program and the tools are.
pub struct Direct {
    built: PathBuf,
    ours: PathBuf,
}

/// One family's times by contender, in nanoseconds per callback, and the instructions of a callback.
pub struct Measured {
    pub family: &'static str,
    pub times: Vec<Times>,
    pub paused: Times,
    pub instructions: Vec<f64>,
}

impl Direct {
    /// With what `build` made and the release library.
    pub fn new(built: &Path) -> Result<Direct> {
        Ok(Direct { built: built.to_owned(), ours: shell::tool_library()? })
    }

    /// Measures every family, so many rounds.
    pub fn measure(&self, rounds: usize) -> Result<Vec<Measured>> {
        let recording = self.times(rounds, &Contender::ALL, &[])?;
        let pair = [Contender::Null, Contender::Ompttrace];
        let paused = self.times(rounds, &pair, &[("OMPTTRACE_START", "off")])?;
        let mut all = Vec::new();
        for (place, family) in FAMILIES.into_iter().enumerate() {
            let count = |contender: &Contender| self.instructions(family, *contender);
            let ours = paused[place].last().cloned();
            all.push(Measured {
                family,
                times: recording[place].clone(),
                paused: ours.context("no times while paused")?,
                instructions: Contender::ALL.iter().map(count).collect::<Result<_>>()?,
            });
        }
        Ok(all)
    }

    /// Times by family and by place in `contenders`.
    fn times(
        &self,
        rounds: usize,
        contenders: &[Contender],
        environment: &[(&str, &str)],
    ) -> Result<Vec<Vec<Times>>> {
        let folder = Scratch::new()?;
        let mut command = self.command(&[], &folder.0);
        command.args([&rounds.to_string(), REPEATS, "all"]);
        let names: Vec<String> = contenders.iter().map(|one| self.name(*one)).collect();
        command.args(&names).envs(environment.iter().copied());
        let said = shell::output(&mut command)?;
        let mut times = vec![vec![Times::new(); contenders.len()]; FAMILIES.len()];
        for line in said.lines() {
            let found = read(line, &names);
            let (family, name, ns) = found.with_context(|| format!("direct said {line:?}"))?;
            times[family][name].push(ns);
        }
        Ok(times)
    }

    /// Instructions of a callback of the family, the call itself left out.
    pub fn instructions(&self, family: &str, contender: Contender) -> Result<f64> {
        const FEW: u64 = 2_000;
        const MANY: u64 = 12_000;
        let grown = |contender| -> Result<(f64, f64)> {
            let (few, before) = self.count(family, FEW, contender)?;
            let (many, after) = self.count(family, MANY, contender)?;
            Ok((many - few, after - before))
        };
        let (none, callbacks) = grown(Contender::None)?;
        // The function that stands for no tool has two.
        Ok((grown(contender)?.0 - none) / callbacks + 2.0)
    }

    /// All instructions of a run, and the callbacks in it.
    fn count(&self, family: &str, repeats: u64, contender: Contender) -> Result<(f64, f64)> {
        let folder = Scratch::new()?;
        let valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
        let mut command = self.command(&valgrind, &folder.0);
        command.args(["1", &repeats.to_string(), family, &self.name(contender)]);
        let output = command.output().context("cannot start valgrind")?;
        let said = String::from_utf8_lossy(&output.stderr);
        let line = String::from_utf8_lossy(&output.stdout);
        let callbacks = line.split(' ').nth(2).and_then(|word| word.parse::<f64>().ok());
        match (collected(&said), callbacks) {
            (Some(instructions), Some(callbacks)) => Ok((instructions as f64, callbacks)),
            _ => bail!("valgrind did not count: {said}"),
        }
    }

    fn name(&self, contender: Contender) -> String {
        let library = contender.library(&self.built, &self.ours);
        library.map_or("none".into(), |path| path.display().to_string())
    }

    fn command(&self, under: &[&str], folder: &Path) -> Command {
        let program = self.built.join("direct");
        let mut command = match under {
            [] => Command::new(program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        settings(&mut command, folder);
        command
    }
}

/// A folder for what the tools leave.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        let folder = std::env::temp_dir().join(format!("ompttrace-direct.{}", std::process::id()));
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `family tool callbacks nanoseconds`: places of the first two, nanoseconds per callback.
fn read(line: &str, names: &[String]) -> Option<(usize, usize, f64)> {
    let words: Vec<&str> = line.split(' ').collect();
    let [family, name, callbacks, ns] = words[..] else { return None };
    let family = FAMILIES.iter().position(|one| *one == family)?;
    let name = names.iter().position(|one| one == name)?;
    Some((family, name, ns.parse::<f64>().ok()? / callbacks.parse::<f64>().ok()?))
}

/// The table.
pub fn table(all: &[Measured]) -> String {
    let tools: Vec<Contender> =
        Contender::ALL.into_iter().filter(|one| *one != Contender::None).collect();
    let mut text = format!("{:<10}", "direct");
    for tool in &tools {
        text += &format!("{:>20}", tool.name());
    }
    text += &format!("{:>14}{:>10}\n", "paused", "ours/tsc");
    for one in all {
        text += &format!("{:<10}", one.family);
        for tool in &tools {
            let (times, count) = (&one.times[*tool as usize], one.instructions[*tool as usize]);
            text += &format!("{:>7.1}{:>6.1}{:>7.1}", min(times), median(times), count);
        }
        let ours = &one.times[Contender::Ompttrace as usize];
        let ratio = paired_ratio(ours, &one.times[Contender::Tsc as usize]);
        text += &format!("{:>8.1}{:>6.1}{ratio:>10.2}\n", min(&one.paused), median(&one.paused));
    }
    text + "ns per callback: minimum, median of all rounds; then instructions per callback"
}

/// The same for programs.
pub fn json(all: &[Measured]) -> Value {
    let one = |measured: &Measured| {
        let tools: serde_json::Map<String, Value> = Contender::ALL
            .iter()
            .map(|tool| {
                let times = &measured.times[*tool as usize];
                let value = json!({
                    "ns_min": min(times),
                    "ns_median": median(times),
                    "instructions": measured.instructions[*tool as usize],
                });
                (tool.name().to_owned(), value)
            })
            .collect();
        let paused =
            json!({ "ns_min": min(&measured.paused), "ns_median": median(&measured.paused) });
        json!({ "family": measured.family, "contenders": tools, "paused": paused })
    };
    Value::Array(all.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_others_refused() {
        let names = ["none".to_owned(), "a.so".to_owned()];
        assert_eq!(read("task a.so 4 10", &names), Some((1, 1, 2.5)));
        for bad in ["", "task b.so 4 10", "tusk a.so 4 10", "task a.so 4", "task a.so 4 x"] {
            assert_eq!(read(bad, &names), None, "{bad}");
        }
    }
}
