//! The same load with this and that beside it: a run without anything first, and what each other one adds.

use crate::bench::bed::Bed;
use crate::bench::contender::Contender;
use crate::bench::figures::{Times, median, min};
use crate::bench::loads::Load;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Beds and what runs on them; the first one is without a tool.
pub struct Sides<const N: usize>(pub [(Bed, Contender); N]);

impl<const N: usize> Sides<N> {
    /// Added thread-nanoseconds per event, minimum and median of the rounds.
    pub fn ns(&self, load: &Load, rounds: usize, events: f64) -> Result<Vec<[f64; 2]>> {
        let mut times = [const { Times::new() }; N];
        for _ in 0..rounds {
            for ((bed, contender), times) in self.0.iter().zip(&mut times) {
                times.push(bed.run(load, *contender)?.ns as f64);
            }
        }
        Ok(added(&times, load.threads as f64 / events))
    }

    /// Added instructions per event, of a run with more iterations beyond one with few, so that start and end
    /// fall out; nothing where the load has more threads, which wait at random.
    pub fn instructions(&self, load: &Load, per_iteration: f64) -> Result<Vec<f64>> {
        if load.threads > 1 {
            return Ok(Vec::new());
        }
        let (few, many) = (load.iterations / 100, load.iterations / 20);
        let events = per_iteration * begun_too(many - few);
        let mut grown = Vec::new();
        for (bed, contender) in &self.0 {
            let less = bed.instructions(load, *contender, few)?;
            grown.push(bed.instructions(load, *contender, many)? as f64 - less as f64);
        }
        Ok(grown.iter().skip(1).map(|all| (all - grown[0]) / events).collect())
    }
}

/// Minimum and median of what every other one's times are beyond the first one's.
fn added(times: &[Times], per_event: f64) -> Vec<[f64; 2]> {
    let Some((none, others)) = times.split_first() else { return Vec::new() };
    let of = |times: &Times| {
        let added: Times = times.iter().zip(none).map(|(one, none)| one - none).collect();
        [(min(times) - min(none)) * per_event, median(&added) * per_event]
    };
    others.iter().map(of).collect()
}

/// A load begins with a hundredth of its iterations.
pub fn begun_too(iterations: u64) -> f64 {
    iterations as f64 * 1.01
}

/// A bed whose programs find these libraries in front of their own.
pub fn preloaded(built: &Path, ours: &Path, libraries: &[&Path]) -> Result<Bed> {
    let mut bed = Bed::of(built.to_owned(), ours.to_owned())?;
    let names: Vec<_> = libraries.iter().map(|library| library.display().to_string()).collect();
    bed.set("LD_PRELOAD", &names.join(":"));
    bed.set("OMP_TOOL", "enabled");
    Ok(bed)
}

/// A collector that counts what it is told.
pub struct Counting {
    bed: Bed,
    told_to: PathBuf,
}

impl Counting {
    /// On a bed that has the collector.
    pub fn on(mut bed: Bed, built: &Path) -> Counting {
        let told_to = built.join("told");
        bed.set("COLLECTOR_OUTPUT", &told_to.display().to_string());
        Counting { bed, told_to }
    }

    /// Events that it is told in one iteration of the load.
    pub fn told(&self, load: &Load) -> Result<f64> {
        let _ = fs::remove_file(&self.told_to);
        self.bed.run(load, Contender::None)?;
        let text = fs::read_to_string(&self.told_to).context("the collector left no count")?;
        match text.trim().parse::<u64>().context("the collector's count is no number")? {
            0 => bail!("the collector was told nothing of {}", load.name()),
            told => Ok(told as f64 / begun_too(load.iterations)),
        }
    }
}

/// Columns of nanoseconds and then of instructions.
pub fn columns(ns: &[[f64; 2]], instructions: &[f64]) -> String {
    let ns = ns.iter().map(|[least, median]| format!("{least:>8.1}{median:>8.1}"));
    ns.chain(instructions.iter().map(|one| format!("{one:>11.1}"))).collect()
}

/// The names above them.
pub fn names(sides: &[&str]) -> String {
    let ns = sides.iter().map(|side| format!("{side:>16}"));
    ns.chain(sides.iter().map(|side| format!("{side:>11}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_beyond_the_first_and_per_event() {
        let times = [vec![10.0, 30.0, 20.0], vec![14.0, 30.0, 28.0], vec![9.0, 29.0, 19.0]];
        assert_eq!(added(&times, 0.5), [[2.0, 2.0], [-0.5, -0.5]]);
    }

    #[test]
    fn columns_stand_below_their_names() {
        let all = columns(&[[1.0, 2.0], [3.0, 4.0]], &[20.0, 30.0]);
        assert_eq!(
            all.split_whitespace().collect::<Vec<_>>().join(" "),
            "1.0 2.0 3.0 4.0 20.0 30.0"
        );
        assert_eq!(all.len(), names(&["null", "provider"]).len());
    }
}
