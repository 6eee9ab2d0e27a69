//! `cargo xtask bench`: what an event costs under ompttrace, beside tools in
//! C that do as little as can be done.

mod bed;
mod build;
mod contender;
mod figures;
mod instructions;
mod loads;
mod options;
mod report;
mod rounds;

use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::{Context, Result};

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let options = options::read(arguments)?;
    packages::need(Purpose::Bench)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    let bed = bed::Bed::new(built)?;
    report::busy().iter().for_each(|warning| eprintln!("{warning}"));
    println!("{}\n\n{}", report::LEGEND, report::head());
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
        let text = serde_json::to_string_pretty(&report::json(&all, options.rounds))?;
        std::fs::write(&path, text + "\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
