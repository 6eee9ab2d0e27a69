//! `cargo xtask same-exports --base REV [--seeds N] [--only PATTERN] [--keep]`: whether the exporter of
//! the working tree makes of many recordings what that of another revision makes of them
//! (`tests/harness/same_exports`).

use anyhow::{Context, Result, bail};

use crate::packages::{self, Purpose};
use crate::revisions::Revision;
use crate::shell;

const BASE: &str = "--base";

/// The command: both exporters as users have them, then `tests/examples/same_exports.rs`.
pub fn run(arguments: &[String]) -> Result<()> {
    let (revision, rest) = base(arguments)?;
    packages::need(Purpose::Test)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let program = Revision::named(&revision)?.command()?;
    let example = [
        "run",
        "--release",
        "--quiet",
        "--package",
        "ompttrace-tests",
        "--example",
        "same_exports",
    ];
    let mut compare = shell::cargo();
    compare.args(example).arg("--").arg(BASE).arg(program);
    shell::run(compare.arg("--revision").arg(&revision).args(rest))
}

/// The revision's name, and all other arguments.
fn base(arguments: &[String]) -> Result<(String, Vec<String>)> {
    let at = arguments.iter().position(|word| word == BASE).context("--base REV is missing")?;
    let Some(revision) = arguments.get(at + 1) else { bail!("{BASE} takes a revision") };
    let rest = [&arguments[..at], &arguments[at + 2..]].concat();
    Ok((revision.clone(), rest))
}
