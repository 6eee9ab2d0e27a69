//! `cargo xtask publish`: packs and builds every crate that is published as a registry would get it, and publishes none.
//! The command needs the registry's index and these crates' dependencies, from the network or from cargo's cache.

use crate::shell;
use anyhow::{Result, bail};

/// Runs the command. Changes that are not committed are included.
pub fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("takes no arguments: it publishes nothing");
    }
    let mut cargo = shell::cargo();
    cargo.args(["publish", "--workspace", "--dry-run", "--locked", "--allow-dirty"]);
    shell::run(&mut cargo)
}
