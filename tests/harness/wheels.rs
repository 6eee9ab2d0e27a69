//! Packages of PyPI that tests read results with, unpacked once under cargo's target directory.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::build;

/// The folder that holds these, for PYTHONPATH; `folder` is its name.
pub fn packages(folder: &str, wheels: &[&str]) -> Result<PathBuf> {
    let folder = build::target_dir().join(folder);
    if !folder.exists() {
        build::make_in_place(&folder, |draft| {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(draft);
            build::run(pip.args(wheels), "python3-pip").map(drop)
        })
        .context("wheels of PyPI cannot be had (it takes python3-pip and the network)")?;
    }
    Ok(folder)
}
