//! The tree as a wheel, for `pip install ompttrace`: the command among the environment's programs, all else below its
//! prefix, where the command finds it, and the package `ompttrace` (PEP 427; a zip of files and their checksums).

use super::machine::{GLIBC, Machine};
use super::pack;
use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes the zip: every file under its name, in order, with RECORD last; the time is the same for all.
const WRITER: &str = include_str!("wheel.py");

/// Makes the wheel of a tree in the folder of packages.
pub fn make(tree: &Path, packages: &Path, machine: Machine, version: &str) -> Result<PathBuf> {
    let root = packages.join("wheel-root");
    super::empty(&root)?;
    let data = root.join(format!("ompttrace-{version}.data"));
    super::tree::copy_all(tree, &data.join("data"))?;
    fs::create_dir_all(data.join("scripts"))?;
    fs::rename(data.join("data/bin/ompttrace"), data.join("scripts/ompttrace"))?;
    fs::remove_dir(data.join("data/bin"))?;
    package(&root.join("ompttrace"))?;
    let info = root.join(format!("ompttrace-{version}.dist-info"));
    fs::create_dir_all(&info)?;
    let platform = format!("manylinux_{}_{}_{}", GLIBC.0, GLIBC.1, machine.name);
    fs::write(info.join("METADATA"), metadata(version)?)?;
    fs::write(info.join("WHEEL"), about(&platform))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::create_dir_all(info.join("licenses"))?;
        fs::copy(shell::root().join(licence), info.join("licenses").join(licence))?;
    }
    let wheel = packages.join(format!("ompttrace-{version}-py3-none-{platform}.whl"));
    let mut python = Command::new("python3");
    python.args(["-c", WRITER]).arg(&root).arg(&wheel).arg(pack::time()?.to_string());
    shell::run(&mut python)?;
    fs::remove_dir_all(root)?;
    Ok(wheel)
}

/// Copies the Python package, without what a run of it has left in its folder.
fn package(to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(shell::root().join("python/ompttrace")).context("python/ompttrace")? {
        let file = entry?.path();
        let is_source = file.extension().is_some_and(|end| end == "py" || end == "typed");
        if let Some(name) = file.file_name().filter(|_| is_source) {
            fs::copy(&file, to.join(name))?;
        }
    }
    Ok(())
}

fn about(platform: &str) -> String {
    format!(
        "Wheel-Version: 1.0\nGenerator: ompttrace-xtask\nRoot-Is-Purelib: false\n\
         Tag: py3-none-{platform}\n"
    )
}

fn metadata(version: &str) -> Result<String> {
    let readme = fs::read_to_string(shell::root().join("README.md")).context("README.md")?;
    Ok(format!(
        "Metadata-Version: 2.4\nName: ompttrace\nVersion: {version}\nSummary: {}\n\
         License-Expression: (MIT OR Apache-2.0) AND BSD-3-Clause\n\
         License-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\n\
         Project-URL: Source, https://github.com/ompttrace/ompttrace\nRequires-Python: >=3.8\n\
         Description-Content-Type: text/markdown\n\n{readme}",
        super::SUMMARY
    ))
}
