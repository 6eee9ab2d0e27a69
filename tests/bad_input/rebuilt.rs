//! A program that was built anew since its run: whose names are missing or may be wrong is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::traced::{By, Scratch};

/// Builds `c/hello` at `program`, with a build id or without.
fn built(program: &Path, flags: &[&str]) -> Result<()> {
    let source = programs::by_name("c/hello")?.source;
    let mut clang = Command::new("clang-19");
    clang.args(["-fopenmp", "-g", "-I"]).arg(build::root().join("tests/programs/c"));
    build::run(clang.args(flags).arg(source).arg("-o").arg(program), "clang-19").map(drop)
}

/// A recording of the program.
fn recorded(scratch: &Scratch, program: &Path) -> Result<PathBuf> {
    let mut command = Command::new(program);
    process::without_settings(&mut command);
    scratch.attach(&mut command, By::Runtime)?;
    command.env("OMPTTRACE_FORMAT", "recording").current_dir(scratch.path());
    process::run(&mut command, std::time::Duration::from_secs(60))?;
    scratch.only_run()
}

#[test]
fn a_program_that_was_rebuilt_is_said_to_be() -> Result<()> {
    for (id, words) in [
        ("sha1", "rebuilt since the run, so its code has no names"),
        ("none", "names and lines of its code may be wrong"),
    ] {
        let scratch = Scratch::new()?;
        let program = scratch.path().join("program");
        let id = format!("-Wl,--build-id={id}");
        built(&program, &["-O0", &id])?;
        let run = recorded(&scratch, &program)?;
        let said = |command: &str| -> Result<String> {
            let said = Command::new(Product::find()?.program).arg(command).arg(&run).output()?;
            ensure!(said.status.success(), "{said:?}");
            Ok(String::from_utf8_lossy(&said.stderr).into_owned())
        };
        ensure!(said("export")?.is_empty() && said("report")?.is_empty(), "{}", said("report")?);
        fs::remove_file(&program)?;
        built(&program, &["-O2", &id])?;
        for command in ["export", "report"] {
            let said = said(command)?;
            let line = format!("ompttrace: {}: ", program.display());
            ensure!(said.starts_with(&line) && said.contains(words), "{command}: {said}");
            ensure!(said.lines().count() == 1, "{said}");
        }
    }
    Ok(())
}
