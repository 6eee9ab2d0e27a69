//! An OTF2 archive as lines of text.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::build;

/// The archive in a folder.
pub fn lines(folder: &Path) -> Result<Vec<String>> {
    let mut print = Command::new("otf2-print");
    let listing = build::run(print.arg("--show-all").arg(folder.join("traces.otf2")), "otf2-tools")?;
    Ok(String::from_utf8_lossy(&listing).lines().map(str::to_owned).collect())
}
