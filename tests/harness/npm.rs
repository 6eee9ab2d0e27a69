//! Packages of npm that tests read results with, fetched once into cargo's target directory: pinned to a version and
//! checked against a hash kept with the test, so that what a registry serves tomorrow cannot change it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::build::{make_in_place, run, target_dir};

/// A package of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// `name@version`.
    pub name: &'static str,
    /// The file that npm makes of it.
    pub tarball: &'static str,
    /// The folder in it that is wanted.
    pub inside: &'static str,
    /// The file's SHA-512.
    pub sha512: &'static str,
}

/// Folder of the package below the tests' tools, under this name; the package is fetched if it is not there.
pub fn folder(name: &str, package: Package) -> Result<PathBuf> {
    let folder = target_dir().join("test-tools").join(name);
    if !folder.is_dir() {
        make_in_place(&folder, |draft| fetch(draft, package)).with_context(|| {
            format!("{} of the npm registry could not be fetched", package.name)
        })?;
    }
    Ok(folder)
}

fn fetch(draft: &Path, package: Package) -> Result<()> {
    let download = tempfile::tempdir_in(draft.parent().context("a draft lies in a folder")?)?;
    let mut pack = Command::new("npm");
    pack.args(["pack", package.name, "--silent", "--pack-destination"]).arg(download.path());
    run(pack.current_dir(download.path()), "npm")?;
    check(&download.path().join(package.tarball), package)?;
    let mut unpack = Command::new("tar");
    unpack.args(["xzf", package.tarball, package.inside]).current_dir(download.path());
    run(&mut unpack, "tar")?;
    fs::rename(download.path().join(package.inside), draft)?;
    Ok(())
}

fn check(file: &Path, Package { tarball, sha512, .. }: Package) -> Result<()> {
    let printed = run(Command::new("sha512sum").arg(file), "coreutils")?;
    let printed = String::from_utf8_lossy(&printed);
    let hash = printed.split(' ').next().unwrap_or_default();
    if hash != sha512 {
        bail!("{tarball} is not what it was: its SHA-512 is {hash}, not {sha512}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_tarball_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.tgz");
        fs::write(&file, "another").unwrap();
        // The hash of an empty file.
        let sha512 = "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                      47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e";
        let package = Package { name: "a@1", tarball: "a.tgz", inside: "package", sha512 };
        let error = check(&file, package).unwrap_err().to_string();
        assert!(error.contains("not what it was"), "{error}");
        fs::write(&file, "").unwrap();
        check(&file, package).unwrap();
    }
}
