//! The one runner: every load under every side of a comparison, each of them once a round, and each round starting
//! with another one, so that drift of the machine meets all alike.

use super::bed::{Bed, Run};
use super::contender::Contender;
use super::figures::{Times, median, min};
use super::loads::Load;
use super::report::{Report, Row};
use crate::shell;
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::path::Path;

/// One side of a comparison.
pub struct Side {
    pub name: &'static str,
    pub bed: Bed,
    pub contender: Contender,
    /// Index of the side that this one is compared with; a side whose base is itself is not shown.
    pub base: usize,
}

impl Side {
    /// Makes a side; its cost is the difference to the side with the index `base`.
    pub fn new(name: &'static str, bed: Bed, contender: Contender, base: usize) -> Side {
        Side { name, bed, contender, base }
    }
}

/// Unit in which events are counted.
pub enum Events {
    /// A callback of OMPT.
    Callback,
    /// A record in the recording; each side has its own number of them.
    Record,
    /// An event that is delivered to the collector on this bed.
    Delivered(Bed),
    /// An iteration of the load.
    Turn,
}

impl Events {
    /// Number of events in one run of the load under a side.
    pub fn count(&self, side: &Side, load: &Load) -> Result<f64> {
        Ok(match self {
            Events::Callback => side.bed.count(load)? as f64,
            Events::Record if side.contender == Contender::None => 0.0,
            Events::Record => side.bed.recorded(load, recorded)?,
            Events::Delivered(bed) => bed.delivered(load)? as f64,
            Events::Turn => load.begun(),
        })
    }

    /// Numbers of events in one run of the load, by the index of the side.
    fn counts(&self, sides: &[Side], load: &Load) -> Result<Vec<f64>> {
        match (self, sides) {
            (Events::Record, _) => sides.iter().map(|side| self.count(side, load)).collect(),
            (_, [first, ..]) => Ok(vec![self.count(first, load)?; sides.len()]),
            _ => Ok(Vec::new()),
        }
    }
}

fn recorded(run: &Path) -> Result<f64> {
    let mut info =
        shell::command(&shell::target_dir().join("release/ompttrace").display().to_string());
    let answer = shell::output(info.args(["info", "--json"]).arg(run))?;
    let answer: Value = serde_json::from_str(&answer).context("`info` answers in JSON")?;
    let number = answer.pointer("/events/recorded").and_then(Value::as_f64);
    number.context("`info` says no number of events")
}

/// A comparison of sides, with the unit of its events.
pub struct Matrix {
    pub sides: Vec<Side>,
    pub events: Events,
    /// True if instructions are counted as well as time.
    pub instructions: bool,
}

/// All measurements of one load; vectors are indexed by side.
pub struct Measured<'l> {
    pub load: &'l Load,
    pub events: Vec<f64>,
    pub runs: Vec<Vec<Run>>,
    /// Instructions that each side adds to its base's, per event.
    pub instructions: Option<Vec<f64>>,
}

/// Runs every side once a round, this many rounds.
pub fn interleaved<S, T>(
    sides: &[S],
    rounds: usize,
    mut run: impl FnMut(&S) -> Result<T>,
) -> Result<Vec<Vec<T>>> {
    let mut all: Vec<Vec<T>> = sides.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        for turn in 0..sides.len() {
            let at = (round + turn) % sides.len();
            all[at].push(run(&sides[at])?);
        }
    }
    Ok(all)
}

impl Matrix {
    /// Measures every load, and reports it with what `more` adds to its line.
    pub fn run(
        &self,
        report: &mut Report,
        loads: &[Load],
        rounds: usize,
        more: impl Fn(&Measured, &mut Row) -> Result<()>,
    ) -> Result<()> {
        for load in loads {
            let runs = interleaved(&self.sides, rounds, |side| side.bed.run(load, side.contender))?;
            let events = self.events.counts(&self.sides, load)?;
            let instructions = self.instructions(load)?;
            let measured = Measured { load, events, runs, instructions };
            let mut row = self.row(&measured);
            more(&measured, &mut row)?;
            report.row(row);
        }
        Ok(())
    }

    /// Instructions that each side adds per event: the difference between a run with many iterations and one with few, without the
    /// start and the end. None if instructions are not counted, or the load has more threads, which wait at random.
    fn instructions(&self, load: &Load) -> Result<Option<Vec<f64>>> {
        if !self.instructions || load.threads > 1 {
            return Ok(None);
        }
        let [few, many] =
            [100, 20].map(|part| Load { iterations: load.iterations / part, ..*load });
        let (less, more) =
            (self.events.counts(&self.sides, &few)?, self.events.counts(&self.sides, &many)?);
        let grown = |side: &Side| -> Result<f64> {
            let less = side.bed.instructions(&few, side.contender)?;
            Ok(side.bed.instructions(&many, side.contender)? as f64 - less as f64)
        };
        let grown: Vec<f64> = self.sides.iter().map(grown).collect::<Result<_>>()?;
        let added = |(at, side): (usize, &Side)| {
            (grown[at] - grown[side.base]) / (more[at] - less[at]).max(1.0)
        };
        Ok(Some(self.sides.iter().enumerate().map(added).collect()))
    }

    /// The sides that are shown, with their indices.
    fn shown(&self) -> impl Iterator<Item = (usize, &Side)> {
        self.sides.iter().enumerate().filter(|(at, side)| *at != side.base)
    }

    /// Load, events, what each side adds in time, and in instructions.
    fn row(&self, measured: &Measured) -> Row {
        let mut row = Row::new(&[("load", &measured.load.name())]);
        row.number("events", measured.events.iter().copied().fold(0.0, f64::max), 0);
        for (at, side) in self.shown() {
            let [least, median] = measured.added(at, side.base);
            row.number(side.name, least, 1);
            row.median(side.name, median);
        }
        for (at, side) in self.shown().filter(|_| self.instructions) {
            let counted = measured.instructions.as_ref().map(|all| all[at]);
            row.number(&format!("{} instr", side.name), counted, 1);
        }
        let times = self.sides.iter().enumerate();
        let times: Map<String, Value> =
            times.map(|(at, side)| (side.name.to_owned(), json!(measured.times(at)))).collect();
        row.hidden("ns", times.into());
        row
    }
}

impl Measured<'_> {
    /// A side's times, round by round.
    pub fn times(&self, side: usize) -> Times {
        self.runs[side].iter().map(|run| run.ns as f64).collect()
    }

    /// The last run of a side.
    pub fn last(&self, side: usize) -> Option<&Run> {
        self.runs[side].last()
    }

    /// Added thread-nanoseconds per event: from the minima of all rounds, and the median of the differences within a
    /// round. Threads count as far as there are cores for them.
    pub fn added(&self, side: usize, base: usize) -> [f64; 2] {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let per_event = self.load.threads.min(cores) as f64 / self.events[side].max(1.0);
        let (ours, none) = (self.times(side), self.times(base));
        let added: Times = ours.iter().zip(&none).map(|(ours, none)| ours - none).collect();
        [(min(&ours) - min(&none)) * per_event, median(&added) * per_event]
    }

    /// Bytes in a side's files per event, after its last run.
    pub fn bytes_per_event(&self, side: usize) -> Option<f64> {
        Some(self.last(side)?.bytes as f64 / self.events[side].max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::loads::load;

    #[test]
    fn every_side_runs_once_a_round_and_begins_in_turn() {
        let mut order = String::new();
        let all = interleaved(&['a', 'b', 'c'], 2, |side| {
            order.push(*side);
            Ok(order.len())
        });
        assert_eq!(order, "abcbca");
        assert_eq!(all.expect("no error"), [[1, 6], [2, 4], [3, 5]]);
    }

    #[test]
    fn what_is_added_is_beyond_the_base_and_per_event() {
        let runs =
            |times: [u64; 3]| times.map(|ns| Run { ns, around: 0, memory: 0, bytes: 40 }).into();
        let measured = Measured {
            load: &load("task", 1, 1),
            events: vec![2.0; 3],
            runs: vec![runs([10, 30, 20]), runs([14, 30, 28]), runs([9, 29, 19])],
            instructions: None,
        };
        assert_eq!(measured.added(1, 0), [2.0, 2.0]);
        assert_eq!(measured.added(2, 0), [-0.5, -0.5]);
        assert_eq!(measured.bytes_per_event(1), Some(20.0));
    }
}
