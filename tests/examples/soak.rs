//! Random programs for some time, each seed on every runtime: `--minutes N` (10), `--seed S` (the first
//! seed, by default from the clock), `--once S` (that seed alone), `--left-out` (every run leaves out some
//! groups of events), `--sampled` (threads are sampled, otherwise those of one seed in four). What fails is kept, and reported
//! with the command that repeats it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use ompttrace_tests::runtimes::Runtime;
use ompttrace_tests::soak::{self, Alone, Outcome, Plan};

/// The option that takes groups of events from every run.
const LEFT_OUT: &str = "--left-out";
/// The option by which threads are sampled.
const SAMPLED: &str = "--sampled";

/// Sums over all runs so far.
#[derive(Default)]
struct Sums {
    seeds: u64,
    runs: u64,
    processes: usize,
    events: u64,
    drawn: u64,
    /// Numbers of programs that hang or fail without the tool, because of the runtime.
    hang_alone: u64,
    fail_alone: u64,
    failed: u64,
    endings: BTreeMap<&'static str, u64>,
}

fn main() -> Result<()> {
    let Options { once, minutes, seed, leaves_out, sampled } = Options::read()?;
    let clock = UNIX_EPOCH.elapsed()?.as_secs();
    let first = once.or(seed).unwrap_or(clock);
    let until = Instant::now() + Duration::from_secs(60 * minutes.unwrap_or(10));
    let plan = match (leaves_out, sampled) {
        (true, _) => Plan::leaving_out,
        (_, true) => Plan::sampled,
        _ => Plan::usual,
    };
    let runtimes = soak::runtimes()?;
    let mut sums = Sums::default();
    println!("seeds from {first} on, {}", names(&runtimes));
    while (once.is_none() && Instant::now() < until) || sums.seeds == 0 {
        let seed = first.wrapping_add(sums.seeds);
        for runtime in &runtimes {
            sums.take(seed, runtime, soak::run(plan(seed), runtime)?);
        }
        sums.seeds += 1;
        if sums.seeds.is_multiple_of(50) {
            println!("{}", sums.line());
        }
    }
    println!("{}\nendings: {:?}", sums.line(), sums.endings);
    if sums.failed > 0 {
        bail!("{} runs failed", sums.failed);
    }
    Ok(())
}

impl Sums {
    fn take(&mut self, seed: u64, runtime: &Runtime, outcome: Outcome) {
        self.runs += 1;
        self.processes += outcome.processes;
        self.events += outcome.events;
        self.drawn += u64::from(outcome.plan.is_drawn && outcome.alone.is_none());
        self.hang_alone += u64::from(outcome.alone == Some(Alone::Hangs));
        self.fail_alone += u64::from(outcome.alone == Some(Alone::Fails));
        *self.endings.entry(outcome.plan.ending.name).or_default() += 1;
        if let Some(alone) = outcome.alone {
            println!("seed {seed} on {} {alone}: {}", runtime.name, outcome.plan);
        } else if !outcome.said.is_empty() {
            self.failed += 1;
            println!("\nseed {seed} on {}: {}\n{}", runtime.name, outcome.plan, outcome.said);
            if let Some(kept) = &outcome.kept {
                println!("    kept in {}", kept.display());
            }
            let with = match (outcome.plan.leaves_out, outcome.plan.is_sampled) {
                (true, _) => format!(" {LEFT_OUT}"),
                (_, true) => format!(" {SAMPLED}"),
                _ => String::new(),
            };
            println!("    again: cargo xtask soak --once {seed}{with}\n");
        }
    }

    fn line(&self) -> String {
        let Sums { seeds, runs, processes, events, drawn, hang_alone, fail_alone, failed, .. } =
            self;
        format!(
            "{seeds} seeds, {runs} runs, {processes} processes, {events} events, {drawn} runs drawn; \
             {failed} failed; without the tool too {hang_alone} hang and {fail_alone} fail"
        )
    }
}

fn names(runtimes: &[Runtime]) -> String {
    runtimes.iter().map(|runtime| runtime.name.as_str()).collect::<Vec<_>>().join(" and ")
}

#[derive(Default)]
struct Options {
    once: Option<u64>,
    minutes: Option<u64>,
    seed: Option<u64>,
    leaves_out: bool,
    sampled: bool,
}

impl Options {
    fn read() -> Result<Options> {
        let mut options = Options::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let number = match argument.as_str() {
                LEFT_OUT => {
                    options.leaves_out = true;
                    continue;
                }
                SAMPLED => {
                    options.sampled = true;
                    continue;
                }
                "--once" => &mut options.once,
                "--minutes" => &mut options.minutes,
                "--seed" => &mut options.seed,
                _ => bail!(
                    "soak takes --minutes N, --seed S, --once S, {LEFT_OUT} and {SAMPLED}, not {argument}"
                ),
            };
            let value = arguments.next().unwrap_or_default();
            let value = value.parse().with_context(|| format!("{argument} takes a number"))?;
            *number = Some(value);
        }
        Ok(options)
    }
}
