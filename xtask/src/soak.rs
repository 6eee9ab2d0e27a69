//! `cargo xtask soak [--minutes N] [--seed S] [--once SEED] [--left-out | --sampled]`: random programs, each checked
//! for exactness (`tests/soak`).

use crate::packages::{self, Purpose};
use crate::product;
use crate::shell;
use anyhow::Result;

/// The command: the product as users have it, then `tests/examples/soak.rs` with these arguments.
pub fn run(arguments: &[String]) -> Result<()> {
    packages::need(Purpose::Test)?;
    product::build()?;
    let soak = ["run", "--quiet", "--package", "ompttrace-tests", "--example", "soak", "--"];
    shell::run(shell::cargo().args(soak).args(arguments))
}
