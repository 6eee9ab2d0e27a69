//! The tree as a Debian package, below /usr: made by dpkg-deb, the same bytes from the same tree.

use super::machine::{GLIBC, Machine};
use super::pack;
use crate::shell;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes the package of a tree in the folder of packages.
pub fn make(tree: &Path, packages: &Path, machine: Machine, version: &str) -> Result<PathBuf> {
    let root = packages.join("deb-root");
    super::empty(&root)?;
    fs::create_dir_all(root.join("DEBIAN"))?;
    super::tree::copy_all(tree, &root.join("usr"))?;
    let copyright = root.join("usr/share/doc/ompttrace/copyright");
    fs::write(copyright, COPYRIGHT)?;
    fs::write(root.join("DEBIAN/control"), control(machine, version, super::bytes_in(tree)?))?;
    // What depends on the building user: the folders' permissions.
    shell::run(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&root))?;
    let package = packages.join(format!("ompttrace_{version}_{}.deb", machine.debian));
    let mut deb = Command::new("dpkg-deb");
    deb.args(["--root-owner-group", "-Zxz", "--build"]).arg(&root).arg(&package);
    shell::run(deb.env("SOURCE_DATE_EPOCH", pack::time()?.to_string()))?;
    fs::remove_dir_all(root)?;
    Ok(package)
}

fn control(machine: Machine, version: &str, bytes: u64) -> String {
    format!(
        "Package: ompttrace\nVersion: {version}\nArchitecture: {}\nSection: devel\nPriority: optional\n\
         Installed-Size: {}\nDepends: libc6 (>= {}.{}), libgcc-s1\n\
         Maintainer: ompttrace's authors <https://github.com/ompttrace/ompttrace>\n\
         Homepage: https://github.com/ompttrace/ompttrace\n\
         Description: {}\n {}\n",
        machine.debian,
        bytes.div_ceil(1024),
        GLIBC.0,
        GLIBC.1,
        super::SUMMARY,
        super::DESCRIPTION,
    )
}

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ompttrace
Source: https://github.com/ompttrace/ompttrace

Files: *
Copyright: the authors of ompttrace
License: MIT or Apache-2.0
 The texts are LICENSE-MIT and LICENSE-APACHE beside this file; those of what is linked in, THIRD-PARTY.txt and
 LICENSE-OTF2.
";
