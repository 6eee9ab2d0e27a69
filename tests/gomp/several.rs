//! Several libgomps in one process: each call goes to the one that its library depends on.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::traced::Scratch;
use ompttrace_tests::{build, process};

/// The installed libgomp's name, and one of equal length for its double.
const NAME: &[u8] = b"libgomp.so.1";
const DOUBLE: &[u8] = b"libgomp-2.so";

#[test]
fn a_library_with_a_libgomp_of_its_own_gets_that_one() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let plugin = path("plugin.so");
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "-fopenmp", "-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-DPLUGIN", "-o"]);
    build::run(gcc.arg(&plugin).arg(super::source("several.c")), "gcc")?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "-fopenmp", "-o"]).arg(path("program")).arg(super::source("several.c"));
    build::run(gcc.arg("-ldl"), "gcc")?;
    let output = build::run(Command::new("ldd").arg(path("program")), "libc-bin")?;
    let output = String::from_utf8_lossy(&output).into_owned();
    let line = output.lines().find(|line| line.contains("libgomp.so.1")).context("linked")?;
    let libgomp = line.split_whitespace().nth(2).context("found")?;
    rename(Path::new(libgomp), &path("libgomp-2.so"))?;
    rename(&plugin, &plugin)?;

    let scratch = Scratch::new()?;
    let mut command = super::command(&scratch, &path("program"))?;
    let ended = process::run(command.arg(&plugin), super::LIMIT)?;
    // Each library asks its own libgomp for a number of threads that was set in that one alone.
    ensure!(ended.last_line() == "ok several", "{ended:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    let libraries = info["runtimes"].as_array().context("a list")?;
    let files: Vec<_> = libraries.iter().filter_map(|one| one["library"].as_str()).collect();
    ensure!(files.len() == 2 && files[1].ends_with("libgomp-2.so"), "{files:?}");
    ensure!(number(&info, "/callbacks/parallel_begin/recorded")? == 4);
    ensure!(number(&info, "/callbacks/implicit_task/begin")? == 2 * (3 + 5) + 1);
    Ok(())
}

/// A copy of a library that asks for, or is, the double.
fn rename(from: &Path, to: &Path) -> Result<()> {
    let mut bytes = fs::read(from)?;
    let found: Vec<_> = (0..bytes.len() - NAME.len())
        .filter(|&at| bytes[at..at + NAME.len()] == *NAME && bytes[at + NAME.len()] == 0)
        .collect();
    ensure!(!found.is_empty(), "{} does not name {NAME:?}", from.display());
    for at in found {
        bytes[at..at + NAME.len()].copy_from_slice(DOUBLE);
    }
    fs::write(to, bytes).with_context(|| to.display().to_string())
}
