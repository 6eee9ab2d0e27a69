//! `cargo xtask bench`: what an event costs under ompttrace, beside tools in
//! C that do as little as can be done.

mod bed;
pub mod build;
mod collector;
pub mod contender;
pub mod direct;
mod drains;
mod export;
mod figures;
mod gomp;
mod instructions;
mod loads;
mod options;
mod report;
mod rounds;
mod scale;
mod stacks;

use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::{Context, Result};

type Command = fn(&[String]) -> Result<()>;

/// Benches that measure something else than single loads beside each other.
fn command(name: &str) -> Option<Command> {
    match name {
        "collector" => Some(collector::run),
        "drains" => Some(drains::run),
        "export" => Some(export::run),
        "gomp" => Some(gomp::run),
        "scale" => Some(scale::run),
        "stacks" => Some(stacks::run),
        _ => None,
    }
}

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    if let Some((first, rest)) = arguments.split_first()
        && let Some(run) = command(first)
    {
        return run(rest);
    }
    let options = options::read(arguments)?;
    packages::need(Purpose::Bench)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    report::busy().iter().for_each(|warning| eprintln!("{warning}"));
    let direct = match options.direct {
        true => direct::Direct::new(&built)?.measure(20 * options.rounds)?,
        false => Vec::new(),
    };
    if options.direct {
        println!("{}\n", direct::table(&direct));
    }
    let bed = bed::Bed::new(built)?;
    if !options.loads.is_empty() {
        println!("{}\n\n{}", report::LEGEND, report::head());
    }
    let mut all = Vec::new();
    for load in options.loads {
        let mut measured = rounds::measure(&bed, load, options.rounds)?;
        println!("{}", report::line(&measured));
        if options.instructions {
            measured.instructions = instructions::per_event(&bed, load)?;
            report::instructions(&measured).iter().for_each(|line| println!("{line}"));
        }
        all.push(measured);
    }
    if let Some(path) = options.json {
        let text = serde_json::to_string_pretty(&report::json(
            &all,
            direct::json(&direct),
            options.rounds,
        ))?;
        std::fs::write(&path, text + "\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
