//! The tree as an rpm package, below /usr: made by rpmbuild, the same bytes from the same tree.

use super::machine::{GLIBC, Machine};
use super::pack;
use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of 64-bit libraries on distributions with rpm, which their dynamic linker searches by default.
const LIBRARIES: &str = "/usr/lib64";

/// Makes the package of a tree in the folder of packages.
pub fn make(tree: &Path, packages: &Path, machine: Machine, version: &str) -> Result<PathBuf> {
    let work = packages.join("rpm-work");
    super::empty(&work)?;
    fs::create_dir_all(&work)?;
    fs::write(work.join("ompttrace.spec"), spec(tree, version))?;
    let mut rpm = Command::new("rpmbuild");
    rpm.args(["-bb", "--quiet", "--target", &format!("{}-linux", machine.name)]);
    let time = pack::time()?.to_string();
    for (name, value) in [
        ("_topdir", &*work.to_string_lossy()),
        ("_buildhost", "reproducible"),
        ("use_source_date_epoch_as_buildtime", "1"),
        ("clamp_mtime_to_source_date_epoch", "1"),
        // Files are stripped already, and none is a script to look at.
        ("__os_install_post", "%{nil}"),
        ("_binary_payload", "w9.gzdio"),
        ("_build_id_links", "none"),
    ] {
        rpm.args(["--define", &format!("{name} {value}")]);
    }
    rpm.env("SOURCE_DATE_EPOCH", &time).arg(work.join("ompttrace.spec"));
    shell::run(&mut rpm).context("rpmbuild is of Debian's package rpm")?;
    let name = format!("ompttrace-{version}-1.{}.rpm", machine.name);
    let package = packages.join(&name);
    fs::rename(work.join("RPMS").join(machine.name).join(&name), &package)?;
    fs::remove_dir_all(work)?;
    Ok(package)
}

fn spec(tree: &Path, version: &str) -> String {
    let (major, minor) = GLIBC;
    let (summary, description, tree) = (super::SUMMARY, super::DESCRIPTION, tree.display());
    format!(
        "Name: ompttrace\nVersion: {version}\nRelease: 1\nSummary: {summary}\n\
         License: (MIT OR Apache-2.0) AND BSD-3-Clause\nURL: https://github.com/ompttrace/ompttrace\n\
         AutoReqProv: no\nRequires: glibc >= {major}.{minor}, libgcc\n\
         %description\n{description}\n\
         %install\nmkdir -p %{{buildroot}}/usr\ncp -a '{tree}/.' %{{buildroot}}/usr\n\
         mkdir %{{buildroot}}{LIBRARIES}\nmv %{{buildroot}}/usr/lib/libompttrace* %{{buildroot}}{LIBRARIES}\n\
         chmod -R u=rwX,go=rX %{{buildroot}}\n\
         %files\n%defattr(-,root,root)\n/usr/bin/ompttrace\n{LIBRARIES}/libompttrace*\n/usr/lib/ompttrace-ompi\n\
         /usr/include/ompttrace.*\n/usr/share/ompttrace\n%doc /usr/share/doc/ompttrace\n\
         /usr/share/man/man1/ompttrace*\n/usr/share/bash-completion/completions/ompttrace\n\
         /usr/share/zsh/site-functions/_ompttrace\n/usr/share/fish/vendor_completions.d/ompttrace.fish\n"
    )
}
