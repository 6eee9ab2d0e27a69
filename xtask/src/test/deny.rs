//! cargo-deny over the dependency tree: licences, duplicate or banned crates,
//! sources. Its database of advisories comes from GitHub, which is not always
//! within reach, so it is not asked for here.

use crate::checked::Check;
use crate::{repository, shell};
use anyhow::Result;
use std::path::PathBuf;

/// Pinned: a new release must not turn an old commit red.
const VERSION: &str = "0.20.2";

/// The step. Its verdict depends on the dependencies and on what is allowed.
pub fn run(always: bool) -> Result<()> {
    let manifests = repository::names()?.into_iter().filter(|name| name.ends_with("Cargo.toml"));
    let files = manifests.chain(["Cargo.lock", "deny.toml"].map(str::to_owned));
    let files = files.map(PathBuf::from).collect();
    Check { name: "licences-and-sources", files }.pass(always, check)
}

/// cargo-deny is built once and kept beside what cargo builds.
fn check() -> Result<()> {
    let program = tools().join("bin/cargo-deny");
    if !has_version(&program) {
        install()?;
    }
    let mut deny = shell::command(&program.to_string_lossy());
    deny.args(["check", "licenses", "bans", "sources"]);
    shell::run(&mut deny)
}

fn tools() -> PathBuf {
    shell::target_dir().join("tools")
}

fn has_version(program: &PathBuf) -> bool {
    let answer = std::process::Command::new(program).arg("--version").output();
    answer.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(VERSION))
}

fn install() -> Result<()> {
    println!("building cargo-deny {VERSION}, once; about a minute on two cores");
    let mut cargo = shell::cargo();
    // Optimised it takes three times as long to build, for a check of a second.
    cargo.args(["install", "--quiet", "--locked", "--debug", "--version", VERSION, "cargo-deny"]);
    cargo.arg("--root").arg(tools()).env("CARGO_TARGET_DIR", tools().join("target"));
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false");
    shell::run(&mut cargo)?;
    // 600 MB that nobody needs again.
    let _ = std::fs::remove_dir_all(tools().join("target"));
    Ok(())
}
