//! `cargo xtask bench collector`: what an event of the Sun Collector API costs on its two sides, where
//! libompttrace-collector.so tells it to a collector and where libompttrace.so is the collector.

mod provider;
mod recorder;
mod sides;

use super::{options, report};
use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::Result;

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let rounds = options::only_rounds("collector", arguments, 11)?;
    packages::need(Purpose::Bench)?;
    let ours = ["-p", "ompttrace-tool", "-p", "ompttrace-collector-provider"];
    shell::run(shell::cargo().args(["build", "--release"]).args(ours))?;
    report::busy().iter().for_each(|warning| eprintln!("{warning}"));
    provider::table(rounds)?;
    println!();
    recorder::table(rounds)
}
