//! `cargo xtask bench collector`: what an event of the Sun Collector API costs on its two sides, where
//! libompttrace-collector.so reports it to a collector and where libompttrace.so is the collector.

use super::bed::Bed;
use super::contender::Contender;
use super::loads::{Load, load};
use super::matrix::{Events, Matrix, Side};
use super::options::Options;
use super::report::Report;
use super::{Subject, build};
use crate::shell;
use anyhow::Result;

pub const SUBJECT: Subject =
    Subject { name: "collector", rounds: 11, loads: &LOADS, words: &[], run };

/// Loads of the runtime's side, under libomp; then the programs that `loads/observed.c` is compiled to, on the test runtime
/// with the Collector API.
const LOADS: [Load; 14] = [
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
    load("observed_barrier", 1, 500_000),
    load("observed_masked", 1, 1_000_000),
    load("observed_parallel", 1, 500_000),
];

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let (observed, others): (Vec<Load>, Vec<Load>) =
        options.loads.iter().partition(|load| load.program.starts_with("observed_"));
    if !others.is_empty() {
        provider(&others, options.rounds, report)?;
    }
    if !observed.is_empty() {
        recorder(&observed, options.rounds, report)?;
    }
    Ok(())
}

/// Measures the provider of the Collector API: without and with a collector that asks for events, beside an empty OMPT tool.
fn provider(loads: &[Load], rounds: usize, report: &mut Report) -> Result<()> {
    let built = build::build(loads.iter().map(|load| load.program))?;
    let library = shell::target_dir().join("release/libompttrace_collector.so");
    let collector = built.join("collector.so");
    let plain = || Bed::of(built.clone(), library.clone());
    let with_collector = || Bed::preloading(&built, &library, &[&library, &collector]);
    let alone = Bed::preloading(&built, &library, &[&library])?;
    let sides = vec![
        Side::new("none", plain()?, Contender::None, 0),
        Side::new("null", plain()?, Contender::Null, 0),
        Side::new("provider", alone, Contender::None, 0),
        Side::new("collector", with_collector()?, Contender::None, 0),
    ];
    report.table(
        "provider",
        "null: an OMPT tool with empty callbacks; provider: libompttrace-collector.so, nobody asks it; \
         collector: the same\nwith a collector of empty callbacks. Events are null's callbacks, delivered is what the \
         collector gets.\nAdded for each event: thread-ns (minimum and median of the rounds), and instructions on \
         one thread.",
    );
    let counting = with_collector()?;
    let matrix = Matrix { sides, events: Events::Callback, instructions: true };
    matrix.run(report, loads, rounds, |measured, row| {
        let turns = measured.load.begun();
        row.number("events/turn", measured.events[0] / turns, 1);
        row.number("delivered/turn", counting.delivered(measured.load)? as f64 / turns, 1);
        Ok(())
    })
}

/// Measures the recorder on a runtime with the Collector API, beside a collector of empty callbacks.
fn recorder(loads: &[Load], rounds: usize, report: &mut Report) -> Result<()> {
    let built = build::build(std::iter::empty())?;
    loads.iter().try_for_each(|load| build::on_collector_runtime(load.program, &built))?;
    let library = shell::tool_library()?;
    let collector = built.join("collector.so");
    let with_collector = || Bed::preloading(&built, &library, &[&collector]);
    let ours = Bed::preloading(&built, &library, &[&library])?;
    let sides = vec![
        Side::new("none", Bed::of(built.clone(), library.clone())?, Contender::None, 0),
        Side::new("empty", with_collector()?, Contender::None, 0),
        Side::new("ompttrace", ours, Contender::Ompttrace, 0),
    ];
    report.table(
        "recorder",
        "On the test runtime with the Collector API. empty: a collector of empty callbacks; events are what it \
         gets.\nAdded for each of these events: ns (minimum and median of the rounds), and instructions.",
    );
    let matrix = Matrix { sides, events: Events::Delivered(with_collector()?), instructions: true };
    matrix.run(report, loads, rounds, |measured, row| {
        row.number("events/turn", measured.events[0] / measured.load.begun(), 1);
        Ok(())
    })
}
