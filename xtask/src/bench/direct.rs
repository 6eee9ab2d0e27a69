//! Callbacks called directly, without a runtime: nanoseconds and instructions of each tool by family
//! of callbacks, and of ours while it is paused.

use super::bed::{Bed, VALGRIND};
use super::contender::Contender;
use super::figures::{Times, median, min, paired_ratio};
use super::report::{Report, Row};
use crate::shell;
use anyhow::{Context, Result};
use std::path::Path;

/// The families of tests/bench/direct.c.
pub const FAMILIES: [&str; 6] = ["mutex", "task", "sites", "sync", "work", "parallel"];

/// Repeats of a family in a round: few enough that most rounds have no drain in them, which the
/// loads on a runtime measure.
const REPEATS: &str = "60";

const LEGEND: &str = "Callbacks called directly: ns per callback, minimum and median of all rounds; then instructions.";

/// The bench of direct calls, with the folder of the calling program and of the tools.
pub struct Direct(Bed);

impl Direct {
    /// Uses the programs that `build` made and the release build of the tool library.
    pub fn new(built: &Path) -> Result<Direct> {
        Ok(Direct(Bed::new(built.to_owned())?))
    }

    /// Measures every family of callbacks in this many rounds.
    pub fn run(&self, report: &mut Report, rounds: usize) -> Result<()> {
        let recording = self.times(rounds, &Contender::ALL, &[])?;
        let pair = [Contender::Null, Contender::Ompttrace];
        let paused = self.times(rounds, &pair, &[("OMPTTRACE_START", "off")])?;
        report.table("direct", LEGEND);
        for (index, family) in FAMILIES.into_iter().enumerate() {
            let times = &recording[index];
            let mut row = Row::new(&[("direct", family)]);
            for tool in &Contender::ALL[1..] {
                row.number(tool.name(), min(&times[*tool as usize]), 1);
                row.median(tool.name(), median(&times[*tool as usize]));
                let name = format!("{} instr", tool.name());
                row.number(&name, self.instructions(family, *tool)?, 1);
            }
            let ours = paused[index].last().context("no times while paused")?;
            row.number("paused", min(ours), 1);
            row.median("paused", median(ours));
            let [ours, tsc] =
                [Contender::Ompttrace, Contender::Tsc].map(|one| &times[one as usize]);
            row.number("ours/tsc", paired_ratio(ours, tsc), 2);
            report.row(row);
        }
        Ok(())
    }

    /// Times by family and by index in `contenders`.
    fn times(
        &self,
        rounds: usize,
        contenders: &[Contender],
        environment: &[(&str, &str)],
    ) -> Result<Vec<Vec<Times>>> {
        let mut command = self.0.program("direct", &[]);
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
        let mut command = self.0.program("direct", &VALGRIND);
        command.args(["1", &repeats.to_string(), family, &self.name(contender)]);
        // That is read by the clock, which stands for fifty times as many callbacks here as anywhere else.
        command.env("OMPTTRACE_CORES", "off");
        let (instructions, line) = self.0.counted(&mut command)?;
        let callbacks = line.split(' ').nth(2).and_then(|word| word.parse::<f64>().ok());
        Ok((instructions as f64, callbacks.with_context(|| format!("direct said {line:?}"))?))
    }

    fn name(&self, contender: Contender) -> String {
        let library = self.0.library(contender);
        library.map_or("none".into(), |path| path.display().to_string())
    }
}

/// `family tool callbacks nanoseconds`: indices of the first two, nanoseconds per callback.
fn read(line: &str, names: &[String]) -> Option<(usize, usize, f64)> {
    let words: Vec<&str> = line.split(' ').collect();
    let [family, name, callbacks, ns] = words[..] else { return None };
    let family = FAMILIES.iter().position(|one| *one == family)?;
    let name = names.iter().position(|one| one == name)?;
    Some((family, name, ns.parse::<f64>().ok()? / callbacks.parse::<f64>().ok()?))
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
