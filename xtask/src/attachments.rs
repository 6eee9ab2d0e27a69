//! `cargo xtask attachments [--count N]`: a busy program bears a thousand looks and ends with the right result
//! (`tests/examples/attachments.rs`); CI keeps twenty.

use crate::packages::{self, Purpose};
use crate::product::{self, QUICK};
use crate::shell;
use anyhow::Result;

/// The command: the product as users have it, then the example.
pub fn run(arguments: &[String]) -> Result<()> {
    packages::need(Purpose::Test)?;
    product::build()?;
    let example = ["--quiet", "--package", "ompttrace-tests", "--example", "attachments", "--"];
    shell::run(shell::cargo().arg("run").args(QUICK).args(example).args(arguments))
}
