//! `cargo xtask same-exports --base REV [--seeds N] [--only PATTERN] [--keep]`: whether the exporter of
//! the working tree makes of many recordings what that of another revision makes of them
//! (`tests/harness/same_exports`).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::packages::{self, Purpose};
use crate::shell;

const BASE: &str = "--base";

/// The command: both exporters as users have them, then `tests/examples/same_exports.rs`.
pub fn run(arguments: &[String]) -> Result<()> {
    let (revision, rest) = base(arguments)?;
    packages::need(Purpose::Test)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let program = exporter(&revision)?;
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

/// Builds the exporter of a revision in a work tree that stays for the next time.
fn exporter(revision: &str) -> Result<PathBuf> {
    let tree = shell::target_dir().join("same-exports/base");
    let commit = format!("{revision}^{{commit}}");
    let commit = shell::output(shell::command("git").args(["rev-parse", "--verify", &commit]))?;
    check_out(&tree, commit.trim())?;
    let mut build = shell::cargo();
    build.args(["build", "--release", "--package", "ompttrace-cli"]).current_dir(&tree);
    shell::run(build.env("CARGO_TARGET_DIR", tree.join("target")))?;
    Ok(tree.join("target/release/ompttrace"))
}

fn check_out(tree: &Path, commit: &str) -> Result<()> {
    let mut git = shell::command("git");
    if tree.join(".git").exists() {
        git.args(["checkout", "--quiet", "--force", "--detach", commit]).current_dir(tree);
    } else {
        // One that was deleted by hand is still registered.
        git.args(["worktree", "add", "--quiet", "--force", "--detach"]).arg(tree).arg(commit);
    }
    shell::run(&mut git)
}
