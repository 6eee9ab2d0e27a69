//! `cargo xtask bench scale`: how an event's cost and the memory grow with threads, up to many more
//! than there are cores, and with the length of the run.

use super::bed::{Bed, Run};
use super::build;
use super::contender::Contender;
use super::figures::{Times, median, min};
use super::loads::Load;
use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::{Context, Result, bail};

/// Threads at the same time, with as many events in all; each has a lock of its own.
const THREADS: [usize; 6] = [2, 8, 32, 128, 256, 512];
/// Sets and unsets of locks by all threads together: 3 events each.
const TURNS: u64 = 2_000_000;
/// The lengths of runs on two threads, in the same measure.
const LENGTHS: [u64; 3] = [300_000, 3_000_000, 30_000_000];

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let (mut rounds, mut lengths, mut threads) = (5, LENGTHS.to_vec(), &THREADS[..]);
    for pair in arguments.chunks(2) {
        match pair {
            [word, number] if word == "--rounds" => {
                rounds = number.parse().context("--rounds needs a number")?;
            }
            [word, number] if word == "--turns" => {
                (threads, lengths) = (&[], vec![number.parse().context("--turns needs a number")?]);
            }
            _ => {
                bail!("bench scale takes --rounds N and --turns N (one length alone), nothing else")
            }
        }
    }
    packages::need(Purpose::Bench)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let bed = Bed::new(build::build(["lock"].into_iter())?)?;
    println!(
        "CPU ns per event: added time x cores in use / events, minimum and median of the rounds.\n\
         KiB per thread: most memory beyond that of the run without a tool, by threads.\n\n\
         {:>8}{:>12}{:>16}{:>9}{:>16}",
        "threads", "events", "CPU ns/event", "B/event", "KiB per thread"
    );
    for threads in threads {
        line(&bed, *threads, TURNS, rounds)?;
    }
    for turns in lengths {
        line(&bed, 2, turns, rounds)?;
    }
    Ok(())
}

fn line(bed: &Bed, threads: usize, turns: u64, rounds: usize) -> Result<()> {
    let iterations = (turns / threads as u64).max(1);
    let load = Load { program: "lock", threads, iterations, crowded: true };
    let events = bed.count(&load, iterations)?;
    let (mut times, mut last) = ((Times::new(), Times::new()), None);
    for _ in 0..rounds {
        let none = bed.run(&load, Contender::None)?;
        let ours = bed.run(&load, Contender::Ompttrace)?;
        times.0.push(none.ns as f64);
        times.1.push(ours.ns as f64);
        last = Some((none, ours));
    }
    let (none, ours) = last.context("no round at all")?;
    println!("{}", told(threads, events, &times, &(none, ours)));
    Ok(())
}

fn told(threads: usize, events: u64, times: &(Times, Times), last: &(Run, Run)) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(threads);
    let per_event = cores as f64 / events.max(1) as f64;
    let added: Times = times.1.iter().zip(&times.0).map(|(ours, none)| ours - none).collect();
    let best = min(&times.1) - min(&times.0);
    let kib = last.1.memory.saturating_sub(last.0.memory) as f64 / threads as f64;
    format!(
        "{threads:>8}{events:>12}{:>8.1}{:>8.1}{:>9.1}{kib:>16.1}",
        best * per_event,
        median(&added) * per_event,
        last.1.bytes as f64 / events.max(1) as f64,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_cores_and_threads() {
        let run = |memory, bytes| Run { ns: 0, memory, bytes };
        let times = (vec![100.0, 120.0, 110.0], vec![200.0, 260.0, 215.0]);
        let line = told(1, 10, &times, &(run(1000, 0), run(1040, 270)));
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["1", "10", "10.0", "10.5", "27.0", "40.0"]);
    }
}
