//! `cargo xtask bench scale`: how an event's cost and the memory grow with threads, up to many more
//! than there are cores, and with the length of the run.

use super::bed::Bed;
use super::contender::Contender;
use super::loads::Load;
use super::matrix::{Events, Matrix, Measured, Side};
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use anyhow::Result;

pub const SUBJECT: Subject =
    Subject { name: "scale", rounds: 5, loads: &LOADS, words: &["--turns"], run };

/// Loads by length on two threads, then by threads with equally many events in total. Each thread has a lock of its own; an
/// iteration sets and unsets it: 3 events.
const LOADS: [Load; 9] = [
    turns(2, 300_000),
    turns(2, 3_000_000),
    turns(2, 30_000_000),
    turns(2, 2_000_000),
    turns(8, 2_000_000),
    turns(32, 2_000_000),
    turns(128, 2_000_000),
    turns(256, 2_000_000),
    turns(512, 2_000_000),
];

/// This many turns of all threads together.
const fn turns(threads: usize, turns: u64) -> Load {
    Load { program: "lock", threads, iterations: turns / threads as u64, crowded: true }
}

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(["lock"].into_iter())?;
    let side = |name, contender| Ok(Side::new(name, Bed::new(built.clone())?, contender, 0));
    let sides: Result<Vec<Side>> =
        [side("none", Contender::None), side("ns/event", Contender::Ompttrace)]
            .into_iter()
            .collect();
    report.table(
        "scale",
        "CPU ns per event: added time x cores in use / events, minimum and median of the rounds.\n\
         KiB/thread: most memory beyond that of the run without a tool, by threads.",
    );
    let matrix = Matrix { sides: sides?, events: Events::Callback, instructions: false };
    matrix.run(report, &options.loads, options.rounds, more)
}

fn more(measured: &Measured, row: &mut Row) -> Result<()> {
    let memory = |side| measured.last(side).map_or(0, |run| run.memory);
    let kib = memory(1).saturating_sub(memory(0)) as f64 / measured.load.threads as f64;
    row.number("B/event", measured.bytes_per_event(1), 1);
    row.number("KiB/thread", kib, 1);
    Ok(())
}
