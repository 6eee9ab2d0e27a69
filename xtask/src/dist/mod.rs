//! `cargo xtask dist`: packages with everything a user needs, which run on any machine of their kind with glibc 2.28
//! or later: a tarball that installs by being unpacked, packages for dpkg and rpm, and a wheel for pip.

mod deb;
mod hidden;
mod licences;
mod machine;
mod pack;
mod portable;
mod rpm;
mod tree;
mod trial;
mod versions;
mod wheel;

use crate::packages::{self, Purpose};
use crate::product;
use crate::shell;
use anyhow::{Context, Result, bail};
use machine::{GLIBC, Machine};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const SUMMARY: &str = "traces of OpenMP programs for Perfetto, Vampir and Chrome";
const DESCRIPTION: &str = "A library that the OpenMP runtime loads records what a program does, a command makes traces, \
                           tables and reports of it.";

/// The command: `dist [--machine x86_64|aarch64] [--built FOLDER]`.
pub fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (machine, built) = match words[..] {
        [] => (Machine::here()?, None),
        ["--machine", name] => (Machine::named(name)?, None),
        ["--built", folder] => (Machine::here()?, Some(PathBuf::from(folder))),
        ["--machine", name, "--built", folder] => (Machine::named(name)?, Some(folder.into())),
        _ => bail!("dist [--machine x86_64|aarch64] [--built FOLDER]"),
    };
    packages::need(Purpose::Demo)?;
    packages::need(Purpose::Dist)?;
    let built = built.map_or_else(|| portable::build(machine), Ok)?;
    let (folder, tree) = make_tree(machine, &built)?;
    versions::check(machine, &tree, GLIBC)?;
    let mut made = vec![pack::pack(&folder, &name_of(machine))?];
    made.push(deb::make(&tree, &folder, machine, VERSION)?);
    made.push(rpm::make(&tree, &folder, machine, VERSION)?);
    made.push(wheel::make(&tree, &folder, machine, VERSION)?);
    sums(&folder, machine, &made)?;
    if machine.is_here() {
        trial::run(&made[0])?;
        trial::others(&made)?;
    }
    for package in made {
        println!("{} ({} KiB)", package.display(), fs::metadata(&package)?.len().div_ceil(1024));
    }
    Ok(())
}

/// The step of `cargo xtask test`, of what is built for this machine alone: made twice the same, and used as a user
/// would.
pub fn check() -> Result<()> {
    let machine = Machine::here()?;
    let make = || {
        let (folder, _) = make_tree(machine, &product::folder())?;
        pack::archive(&folder, &name_of(machine))
    };
    let first = fs::read(make()?)?;
    let archive = make()?;
    if fs::read(&archive)? != first {
        bail!("two archives of the same build differ");
    }
    let tarball = pack::compressed(&archive)?;
    trial::run(&tarball)
}

fn name_of(machine: Machine) -> String {
    format!("ompttrace-{VERSION}-{}-linux", machine.name)
}

/// Makes the tree of what was built; returns the folder of packages, and the tree in it.
fn make_tree(machine: Machine, built: &Path) -> Result<(PathBuf, PathBuf)> {
    let folder = shell::target_dir().join("dist");
    let tree = folder.join(name_of(machine));
    empty(&tree)?;
    tree::make(&tree, machine, built)?;
    Ok((folder, tree))
}

/// Removes a folder that may be there.
fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    Ok(())
}

/// Writes the packages' checksums, as `sha256sum --check` takes them.
fn sums(folder: &Path, machine: Machine, packages: &[PathBuf]) -> Result<()> {
    let mut command = Command::new("sha256sum");
    command.current_dir(folder).args(packages.iter().filter_map(|path| path.file_name()));
    let file = folder.join(format!("{}.sha256", name_of(machine)));
    Ok(fs::write(file, shell::output(&mut command)?)?)
}

/// Bytes of all files below a folder.
fn bytes_in(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => bytes_in(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}
