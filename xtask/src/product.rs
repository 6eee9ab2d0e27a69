//! The product of a checkout in one folder, `target/ompttrace`: the libraries that programs load, as packages have them
//! (`release`, with link-time optimisation), and the command as it is built in minutes (`.cargo/quick.toml`).

use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// A crate of the libraries, and the files that it makes.
type Library = (&'static str, &'static [&'static str]);

/// The one that programs on LLVM's and Intel's runtimes load, first.
const LIBRARIES: [Library; 5] = [
    ("ompttrace-tool", &["libompttrace.so", "libompttrace.a"]),
    ("ompttrace-tool-gomp", &["libompttrace_gomp.so"]),
    ("ompttrace-collector-provider", &["libompttrace_collector.so"]),
    ("ompttrace-ompi", &["libompttrace_ompi.a"]),
    ("ompttrace-mpi-entries", &["libompttrace_mpi.so"]),
];

/// The options with which cargo builds the command: settings of `dev`, whose other crates are those of the tests as well.
pub const QUICK: [&str; 2] = ["--config", ".cargo/quick.toml"];

/// The command `cargo xtask build`.
pub fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("takes no arguments");
    }
    crate::packages::need(crate::packages::Purpose::Demo)?;
    println!("the command and its libraries: {}", build()?.display());
    Ok(())
}

/// Builds all of it; returns the folder.
pub fn build() -> Result<PathBuf> {
    build_with(&LIBRARIES, &[])
}

/// Builds what traces of programs on LLVM's runtime take: one library, and the command without tables.
pub fn build_for_traces() -> Result<PathBuf> {
    build_with(&LIBRARIES[..1], &["--no-default-features", "--features", "otf2"])
}

/// Builds the command and libraries, side by side: each build ends with links that take one core.
fn build_with(wanted: &[Library], features: &[&str]) -> Result<PathBuf> {
    let mut libraries = shell::cargo();
    libraries.args(["build", "--release"]);
    libraries.args(wanted.iter().flat_map(|(library, _)| ["--package", library]));
    let mut command = shell::cargo();
    command.arg("build").args(QUICK).args(["--package", "ompttrace-cli"]).args(features);
    let mut beside = libraries.spawn().context("cannot start cargo")?;
    let command = shell::run(&mut command);
    let status = beside.wait()?;
    if !status.success() {
        bail!("`{}` ended with {status}", shell::shown(&libraries));
    }
    command?;
    assemble(wanted)
}

/// Puts together what is built.
fn assemble(libraries: &[Library]) -> Result<PathBuf> {
    let folder = folder();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for file in libraries.iter().flat_map(|(_, files)| *files) {
        link(&shell::target_dir().join("release").join(file), &folder.join(file))?;
    }
    link(&shell::target_dir().join("debug/ompttrace"), &folder.join("ompttrace"))?;
    Ok(folder)
}

/// The folder, whether it is built or not.
pub fn folder() -> PathBuf {
    shell::target_dir().join("ompttrace")
}

/// A hard link, since the library and the command look for each other in the folder that they are in: the kernel
/// resolves a symbolic link to the command. The old file stays as it is for the processes that have it open.
fn link(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_file(to).with_context(|| format!("cannot replace {}", to.display()))?;
    }
    fs::hard_link(from, to)
        .or_else(|_| fs::copy(from, to).map(drop))
        .with_context(|| format!("cannot link {} to {}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_replaces_what_an_earlier_build_left() {
        let folder = shell::target_dir().join("tests-of-product");
        fs::create_dir_all(&folder).unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.join(name));
        for text in ["one", "two"] {
            let _ = fs::remove_file(&from);
            fs::write(&from, text).unwrap();
            link(&from, &to).unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), text);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
