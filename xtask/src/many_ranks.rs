//! `cargo xtask many-ranks [--ranks N] [--intervals N] [--messages N] [--job FOLDER] [--spark]`: tables of many ranks, made of real recordings, and how
//! long the queries that ship take; with `--messages N --job FOLDER` a job of so many ranks instead, for any command, and what the
//! correction of its clocks takes (`tests/examples/many_ranks.rs`).

use anyhow::Result;

use crate::packages::{self, Purpose};
use crate::product::{self, QUICK};
use crate::shell;

/// The command: the product as users have it, then the example.
pub fn run(arguments: &[String]) -> Result<()> {
    packages::need(Purpose::Test)?;
    if arguments.iter().any(|word| word == "--spark") {
        packages::need(Purpose::Spark)?;
    }
    product::build()?;
    let example = ["--quiet", "--package", "ompttrace-tests", "--example", "many_ranks", "--"];
    shell::run(shell::cargo().arg("run").args(QUICK).args(example).args(arguments))
}
