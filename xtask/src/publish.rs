//! `cargo xtask publish`: packs and builds every crate that is published as a registry would get it, and publishes none.
//! The command needs the registry's index and these crates' dependencies, from the network or from cargo's cache.

use crate::shell;
use anyhow::{Result, bail};

/// The crates, with their folders. Examples in their documentation are compiled by `cargo xtask test`.
pub const CRATES: [(&str, &str); 6] = [
    ("ompt-sys", "runtime/ompt-sys/"),
    ("ompttrace-recording", "tracer/recording/"),
    ("ompttrace-model", "writers/model/"),
    ("otf2-sys", "writers/otf2-sys/"),
    ("ompttrace-symbols", "writers/symbols/"),
    ("ompttrace-timeline", "writers/timeline/"),
];

/// Runs the command. Changes that are not committed are included.
pub fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("takes no arguments: it publishes nothing");
    }
    let mut cargo = shell::cargo();
    cargo.args(["publish", "--workspace", "--dry-run", "--locked", "--allow-dirty"]);
    shell::run(&mut cargo)
}
