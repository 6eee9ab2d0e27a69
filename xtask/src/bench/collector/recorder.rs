//! Where we are the collector: libompttrace.so on the test runtime with the Collector API, beside a collector
//! of empty callbacks.

use super::sides::{Counting, Sides, begun_too, columns, names, preloaded};
use crate::bench::bed::Bed;
use crate::bench::build;
use crate::bench::contender::Contender;
use crate::bench::loads::{Load, load};
use crate::shell;
use anyhow::Result;

/// What `loads/observed.c` is compiled to do, a program each.
const LOADS: [Load; 3] = [
    load("observed_barrier", 1, 500_000),
    load("observed_masked", 1, 1_000_000),
    load("observed_parallel", 1, 500_000),
];

/// Measures and prints.
pub fn table(rounds: usize) -> Result<()> {
    let built = build::build(std::iter::empty())?;
    LOADS.iter().try_for_each(|load| build::on_collector_runtime(load.program, &built))?;
    let library = shell::tool_library()?;
    let collector = built.join("collector.so");
    let with_collector = || preloaded(&built, &library, &[&collector]);
    let counting = Counting::on(with_collector()?, &built);
    let sides = Sides([
        (Bed::of(built.clone(), library.clone())?, Contender::None),
        (with_collector()?, Contender::None),
        (preloaded(&built, &library, &[&library])?, Contender::Ompttrace),
    ]);
    println!("{}", head(rounds));
    for load in &LOADS {
        let told = counting.told(load)?;
        let ns = sides.ns(load, rounds, told * begun_too(load.iterations))?;
        let columns = columns(&ns, &sides.instructions(load, told)?);
        println!("{:<20}{told:>6.1}{columns}", load.name());
    }
    Ok(())
}

fn head(rounds: usize) -> String {
    format!(
        "On the test runtime with the Collector API. empty: a collector of empty callbacks; told is what it gets in \
         an iteration.\nAdded for each of these events: ns (minimum and median of {rounds} rounds), and \
         instructions.\n\n{:<20}{:>6}{}",
        "load",
        "told",
        names(&["empty", "ompttrace"])
    )
}
