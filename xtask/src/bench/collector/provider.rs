//! Where we are the runtime's side: libompttrace-collector.so under libomp, with and without a collector
//! behind it, beside an OMPT tool that does nothing.

use super::sides::{Counting, Sides, begun_too, columns, names, preloaded};
use crate::bench::bed::Bed;
use crate::bench::build;
use crate::bench::contender::Contender;
use crate::bench::loads::{Load, load};
use crate::shell;
use anyhow::Result;

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

/// Measures and prints.
pub fn table(rounds: usize) -> Result<()> {
    let built = build::build(LOADS.iter().map(|load| load.program))?;
    let library = shell::target_dir().join("release/libompttrace_collector.so");
    let collector = built.join("collector.so");
    let plain = || Bed::of(built.clone(), library.clone());
    let with_collector = || preloaded(&built, &library, &[&library, &collector]);
    let counting = Counting::on(with_collector()?, &built);
    let counter = plain()?;
    let sides = Sides([
        (plain()?, Contender::None),
        (plain()?, Contender::Null),
        (preloaded(&built, &library, &[&library])?, Contender::None),
        (with_collector()?, Contender::None),
    ]);
    println!("{}", head(rounds));
    for load in &LOADS {
        let events = counter.count(load, load.iterations)? as f64;
        let per_iteration = events / begun_too(load.iterations);
        let told = counting.told(load)?;
        let ns = sides.ns(load, rounds, events)?;
        let columns = columns(&ns, &sides.instructions(load, per_iteration)?);
        println!("{:<12}{per_iteration:>8.1}{told:>6.1}{columns}", load.name());
    }
    Ok(())
}

fn head(rounds: usize) -> String {
    format!(
        "null: an OMPT tool with empty callbacks; provider: libompttrace-collector.so, nobody asks it; collector: \
         the same\nwith a collector of empty callbacks. Events are null's callbacks, told is what the collector \
         gets, both in an iteration.\nAdded for each event: thread-ns (minimum and median of {rounds} rounds), \
         and instructions on one thread.\n\n{:<12}{:>8}{:>6}{}",
        "load",
        "events",
        "told",
        names(&["null", "provider", "collector"])
    )
}
