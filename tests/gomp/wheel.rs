//! A wheel from PyPI that brings a libgomp of its own, under another name and for itself alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::traced::Scratch;
use ompttrace_tests::{build, process};

/// Small, and all its work is one parallel loop.
const WHEELS: [&str; 2] = ["pykdtree==1.4.3", "numpy<3"];

#[test]
fn a_wheel_with_its_own_libgomp_is_told_of() -> Result<()> {
    let scratch = Scratch::new()?;
    let mut command = super::command(&scratch, Path::new("python3"))?;
    command.arg(super::source("wheel.py")).env("PYTHONPATH", packages()?);
    let ended = process::run(&mut command, super::LIMIT)?;
    ensure!(ended.last_line() == "ok wheel", "{ended:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    let library = info["runtimes"][0]["library"].as_str().context("a file")?;
    ensure!(library.contains("/pykdtree.libs/libgomp-"), "{library}");
    ensure!(number(&info, "/callbacks/parallel_begin/recorded")? > 0);
    ensure!(number(&info, "/callbacks/implicit_task/begin")? > 4);
    Ok(())
}

/// The wheels, unpacked once.
fn packages() -> Result<PathBuf> {
    let folder = build::target_dir().join("test-wheels");
    if !folder.exists() {
        build::make_in_place(&folder, |draft| {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(draft);
            build::run(pip.args(WHEELS), "python3-pip").map(drop)
        })
        .context("wheels of PyPI cannot be had (it takes python3-pip and the network)")?;
    }
    Ok(folder)
}
