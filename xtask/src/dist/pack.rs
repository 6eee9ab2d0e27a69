//! The tarball of a tree: the same bytes from the same files, for any user and time.

use crate::shell;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packs `folder/name` into `folder/name.tar.gz`.
pub fn pack(folder: &Path, name: &str) -> Result<PathBuf> {
    compressed(&archive(folder, name)?)
}

/// Packs `folder/name` into `folder/name.tar`, without compression.
pub fn archive(folder: &Path, name: &str) -> Result<PathBuf> {
    let archive = folder.join(format!("{name}.tar"));
    let mut tar = Command::new("tar");
    tar.current_dir(folder).args(["--create", "--file"]).arg(&archive);
    tar.args(["--format=gnu", "--sort=name"]);
    tar.args(["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--mtime=@{}", time()?)).arg(name);
    shell::run(&mut tar)?;
    Ok(archive)
}

/// Compresses an archive, which is replaced by its tarball: gzip stores neither a name nor a time (`-n`).
pub fn compressed(archive: &Path) -> Result<PathBuf> {
    shell::run(Command::new("gzip").args(["-n9", "--force"]).arg(archive))?;
    let mut tarball = archive.as_os_str().to_owned();
    tarball.push(".gz");
    Ok(tarball.into())
}

/// The time that all files bear: SOURCE_DATE_EPOCH, otherwise that of the last commit, otherwise 1970.
pub fn time() -> Result<u64> {
    if let Some(time) = std::env::var_os("SOURCE_DATE_EPOCH") {
        return time.to_string_lossy().parse().context("SOURCE_DATE_EPOCH is no number of seconds");
    }
    let output = shell::command("git").args(["log", "-1", "--format=%ct"]).output();
    let said = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    Ok(String::from_utf8_lossy(&said.unwrap_or_default()).trim().parse().unwrap_or(0))
}
