//! `cargo xtask publish`: packs and builds every crate that is published as a registry would get it, and publishes none.
//! It takes the registry's index and what these crates need of it, from the network or from cargo's cache.

use crate::shell;
use anyhow::{Result, bail};

/// The command. What is changed and not committed counts.
pub fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("takes no arguments: it publishes nothing");
    }
    let mut cargo = shell::cargo();
    cargo.args(["publish", "--workspace", "--dry-run", "--locked", "--allow-dirty"]);
    shell::run(&mut cargo)
}
