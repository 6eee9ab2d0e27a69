//! The versions of glibc's symbols that what we ship asks for: none may be newer than what it is built for.

use super::machine::Machine;
use crate::shell;
use anyhow::{Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Fails with the symbols that are too new, of all programs and libraries below a folder.
pub fn check(machine: Machine, folder: &Path, newest: (u32, u32)) -> Result<()> {
    let mut files = Vec::new();
    elf_files(folder, &mut files)?;
    if files.is_empty() {
        bail!("no program below {}", folder.display());
    }
    for file in files {
        let said = shell::output(machine.tool("objdump").arg("-T").arg(&file))?;
        let newer = newer_than(&said, newest);
        if !newer.is_empty() {
            bail!("{} takes glibc's {}", file.display(), newer.join(", "));
        }
        println!("{}: glibc {}", file.display(), shown(newest_of(&said)));
    }
    Ok(())
}

/// The symbols of `objdump -T` that are not defined there and are of a newer glibc.
fn newer_than(said: &str, newest: (u32, u32)) -> Vec<String> {
    let newer = symbols(said).filter(|(_, version)| *version > newest);
    newer.map(|(name, version)| format!("{name} ({})", shown(version))).collect()
}

fn newest_of(said: &str) -> (u32, u32) {
    symbols(said).map(|(_, version)| version).max().unwrap_or_default()
}

fn shown((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

/// Names and versions. A line ends with `(GLIBC_2.34) name`, a weak symbol's as well.
fn symbols(said: &str) -> impl Iterator<Item = (&str, (u32, u32))> {
    said.lines().filter(|line| line.contains("*UND*")).filter_map(|line| {
        let (_, end) = line.split_once("GLIBC_")?;
        let (version, name) = end.split_once(')').or_else(|| end.split_once(' '))?;
        let mut numbers = version.split('.').map(|number| number.parse().ok());
        Some((name.trim(), (numbers.next()??, numbers.next()??)))
    })
}

fn elf_files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            elf_files(&path, found)?;
        } else if fs::read(&path)?.starts_with(b"\x7fELF") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
0000000000000000      DF *UND*\t0000000000000000 (GLIBC_2.2.5) malloc
0000000000000000  w   DF *UND*\t0000000000000000 (GLIBC_2.34) __libc_single
0000000000000000      DF *UND*\t0000000000000000 (GLIBC_2.28) fcntl64
0000000000000000      D  *UND*\t0000000000000000  Base        ompt_start
0000000000012340 g    DF .text\t0000000000000010 (GLIBC_2.36) ours
";

    #[test]
    fn newer_symbols_are_named() {
        assert_eq!(newer_than(SAID, (2, 28)), ["__libc_single (2.34)"]);
        assert_eq!(newer_than(SAID, (2, 17)), ["__libc_single (2.34)", "fcntl64 (2.28)"]);
        assert_eq!(newer_than(SAID, (2, 34)), [""; 0]);
        assert_eq!(newest_of(SAID), (2, 34));
    }
}
