//! `cargo xtask bench collector`: what an OMPT event costs where libompttrace-collector.so turns it into those
//! of the Sun Collector API, with and without a collector behind it, beside an OMPT tool that does nothing.

use super::bed::Bed;
use super::contender::Contender;
use super::figures::{Times, median, min};
use super::loads::{Load, load};
use super::{build, options, report};
use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

const LOADS: [Load; 11] = [
    load("critical", 1, 1_000_000),
    load("lock", 1, 1_000_000),
    load("ordered", 1, 1_000_000),
    load("barrier", 1, 1_000_000),
    load("single", 1, 500_000),
    load("parallel", 1, 500_000),
    load("lock", 2, 1_000_000),
    load("held", 2, 100_000),
    load("barrier", 2, 200_000),
    load("single", 2, 100_000),
    load("parallel", 2, 100_000),
];

/// What is beside the run without a tool, in the order of the columns.
const SIDES: [&str; 3] = ["null", "provider", "collector"];

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let rounds = options::only_rounds("collector", arguments, 11)?;
    packages::need(Purpose::Bench)?;
    shell::run(shell::cargo().args(["build", "--release", "-p", "ompttrace-collector-provider"]))?;
    let beds = Beds::new(build::build(LOADS.iter().map(|load| load.program))?)?;
    report::busy().iter().for_each(|warning| eprintln!("{warning}"));
    println!("{}", head(rounds));
    for load in &LOADS {
        let events = beds.plain.count(load, load.iterations)?;
        // A load begins with a hundredth of its iterations.
        let per_iteration = |count: u64| count as f64 / (load.iterations as f64 * 1.01);
        let counts = [per_iteration(events), per_iteration(beds.told(load)?)];
        println!(
            "{}",
            line(load, counts, ns(&beds, load, rounds, events)?, instructions(&beds, load)?)
        );
    }
    Ok(())
}

/// Where the loads run: without the provider, with it, and with a collector as well.
struct Beds {
    plain: Bed,
    provider: Bed,
    collector: Bed,
    /// With a collector that counts, into `told_to`.
    counting: Bed,
    told_to: PathBuf,
}

impl Beds {
    fn new(built: PathBuf) -> Result<Beds> {
        let provider = shell::target_dir().join("release/libompttrace_collector.so");
        let collector = built.join("collector.so");
        let told_to = built.join("told");
        let both = format!("{}:{}", provider.display(), collector.display());
        let mut counting = preloaded(&built, &provider, &both)?;
        counting.set("COLLECTOR_OUTPUT", &told_to.display().to_string());
        Ok(Beds {
            provider: preloaded(&built, &provider, &provider.display().to_string())?,
            collector: preloaded(&built, &provider, &both)?,
            counting,
            told_to,
            plain: Bed::of(built, provider)?,
        })
    }

    /// The run without a tool, then those of `SIDES`.
    fn sides(&self) -> [(&Bed, Contender); 4] {
        [
            (&self.plain, Contender::None),
            (&self.plain, Contender::Null),
            (&self.provider, Contender::None),
            (&self.collector, Contender::None),
        ]
    }

    /// Events that the provider tells a collector in one run.
    fn told(&self, load: &Load) -> Result<u64> {
        let _ = std::fs::remove_file(&self.told_to);
        self.counting.run(load, Contender::None)?;
        let text = std::fs::read_to_string(&self.told_to).context("the collector left no count")?;
        match text.trim().parse().context("the collector's count is no number")? {
            0 => bail!("the collector was told nothing of {}", load.name()),
            told => Ok(told),
        }
    }
}

/// A bed on which the runtime finds its tool among the preloaded libraries.
fn preloaded(built: &Path, provider: &Path, libraries: &str) -> Result<Bed> {
    let mut bed = Bed::of(built.to_owned(), provider.to_owned())?;
    bed.set("LD_PRELOAD", libraries);
    bed.set("OMP_TOOL", "enabled");
    Ok(bed)
}

/// Added thread-nanoseconds per event, minimum and median of the rounds.
fn ns(beds: &Beds, load: &Load, rounds: usize, events: u64) -> Result<[[f64; 2]; 3]> {
    let mut times: [Times; 4] = Default::default();
    for _ in 0..rounds {
        for ((bed, contender), times) in beds.sides().iter().zip(&mut times) {
            times.push(bed.run(load, *contender)?.ns as f64);
        }
    }
    let [none, tools @ ..] = times;
    let per_event = load.threads as f64 / events.max(1) as f64;
    Ok(tools.map(|tool| {
        let added: Times = tool.iter().zip(&none).map(|(tool, none)| tool - none).collect();
        [(min(&tool) - min(&none)) * per_event, median(&added) * per_event]
    }))
}

/// Added instructions per event, of a run with more iterations beyond one with few, so that start and end
/// fall out; nothing where the load has more threads, which wait at random.
fn instructions(beds: &Beds, load: &Load) -> Result<Option<[f64; 3]>> {
    if load.threads > 1 {
        return Ok(None);
    }
    let (few, many) = (load.iterations / 100, load.iterations / 20);
    let events = beds.plain.count(load, many)? - beds.plain.count(load, few)?;
    let mut grown = [0.0; 4];
    for ((bed, contender), grown) in beds.sides().iter().zip(&mut grown) {
        let less = bed.instructions(load, *contender, few)?;
        *grown = bed.instructions(load, *contender, many)? as f64 - less as f64;
    }
    let [none, tools @ ..] = grown;
    Ok(Some(tools.map(|tool| (tool - none) / events.max(1) as f64)))
}

fn head(rounds: usize) -> String {
    let names = |width: usize| SIDES.map(|side| format!("{side:>width$}")).concat();
    format!(
        "null: an OMPT tool with empty callbacks; provider: libompttrace-collector.so, nobody asks it; collector: \
         the same\nwith a collector of empty callbacks. Events are null's callbacks, told is what the collector \
         gets.\nAdded for each event: thread-ns (minimum and median of {rounds} rounds), and instructions on one \
         thread.\n\n{:<12}{:>8}{:>6}{}{}",
        "load",
        "events",
        "told",
        names(16),
        names(11)
    )
}

fn line(
    load: &Load,
    counts: [f64; 2],
    ns: [[f64; 2]; 3],
    instructions: Option<[f64; 3]>,
) -> String {
    let [events, told] = counts;
    let ns = ns.map(|[least, median]| format!("{least:>8.1}{median:>8.1}")).concat();
    let counted = instructions.map(|all| all.map(|one| format!("{one:>11.1}")).concat());
    format!("{:<12}{events:>8.1}{told:>6.1}{ns}{}", load.name(), counted.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(instructions: Option<[f64; 3]>) -> String {
        let ns = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let line = line(&load("held", 2, 1), [3.0, 2.0], ns, instructions);
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_line_has_every_side_and_leaves_out_what_was_not_counted() {
        assert_eq!(words(None), "held@2 3.0 2.0 1.0 2.0 3.0 4.0 5.0 6.0");
        let counted = words(Some([20.0, 30.0, 40.0]));
        assert_eq!(counted, "held@2 3.0 2.0 1.0 2.0 3.0 4.0 5.0 6.0 20.0 30.0 40.0");
    }

    #[test]
    fn columns_stand_below_their_names() {
        let counted = line(&load("lock", 1, 1), [3.0, 0.0], [[0.0; 2]; 3], Some([0.0; 3]));
        let head = head(1);
        assert_eq!(head.lines().last().map(str::len), Some(counted.len()));
    }
}
