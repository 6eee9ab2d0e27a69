//! `cargo xtask dist`: a tarball with everything a user needs, which installs by being unpacked.

mod licences;
mod pack;
mod tree;
mod trial;

use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("takes no arguments");
    }
    packages::need(Purpose::Demo)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let tarball = make()?;
    let bytes = fs::metadata(&tarball)?.len();
    println!("{} ({} KiB)", tarball.display(), bytes.div_ceil(1024));
    println!("tar xzf it anywhere, put its bin/ on the PATH; nothing else is to be installed");
    Ok(())
}

/// The step of `cargo xtask test`: made of what is built, the same twice, and used as a user would.
pub fn check() -> Result<()> {
    let tarball = make()?;
    let first = fs::read(&tarball)?;
    if fs::read(make()?)? != first {
        bail!("two tarballs of the same build differ");
    }
    trial::run(&tarball)
}

/// Makes the tarball of the release build that is there.
fn make() -> Result<PathBuf> {
    let name = format!("ompttrace-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let folder = shell::target_dir().join("dist");
    let tree = folder.join(&name);
    if tree.exists() {
        fs::remove_dir_all(&tree).with_context(|| format!("cannot empty {}", tree.display()))?;
    }
    tree::make(&tree)?;
    pack::pack(&folder, &name)
}
