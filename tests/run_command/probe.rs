//! `ompttrace doctor --probe`: what each runtime promised, and what it delivered to a program that uses it.

use super::*;
use anyhow::Context;
use ompttrace_tests::{build, runtimes};
use serde_json::Value;
use std::path::Path;

/// A run of it with a runtime in this folder, as JSON.
fn probe(folder: &Path, options: &[&str]) -> Result<Finished> {
    let scratch = Scratch::new()?;
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.args(["doctor", "--probe"]).args(options).env("LD_LIBRARY_PATH", folder);
    let run = process::run(command.current_dir(scratch.path()), LIMIT)?;
    assert_eq!((scratch.names()?, &*run.stderr), (Vec::new(), ""), "it leaves nothing");
    Ok(run)
}

/// The probe's results for one library.
fn of<'v>(value: &'v Value, library: &Path) -> Result<&'v Value> {
    let library = std::fs::canonicalize(library)?;
    let probes = value["probes"].as_array().context("a list")?;
    let found = probes.iter().find(|one| one["library"].as_str() == library.to_str());
    found.with_context(|| format!("{}: {value:#}", library.display()))
}

fn callback<'v>(probe: &'v Value, name: &str) -> Result<&'v Value> {
    let callbacks = probe["callbacks"].as_array().context("a list")?;
    callbacks.iter().find(|one| one["name"] == name).with_context(|| format!("{name}: {probe:#}"))
}

/// Probes of runtimes that keep their promises see every event that they cause, and have no complaints.
#[test]
fn what_runtimes_promise_is_seen() -> Result<()> {
    let older = runtimes::by_name("libomp-14")?.library;
    let run = probe(older.parent().context("a folder")?, &["--json"])?;
    let value: Value = serde_json::from_str(&run.stdout)?;
    ensure!(value["works"] == true, "{value:#}");
    let gnu =
        Path::new("/usr/lib").join(format!("{}-linux-gnu/libgomp.so.1", std::env::consts::ARCH));
    for library in [older, runtimes::libomp_19()?.library, gnu] {
        let probe = of(&value, &library)?;
        ensure!(probe["why_not"].is_null() && probe["stopped"].is_null(), "{probe:#}");
        let mut seen = 0;
        for one in probe["callbacks"].as_array().context("a list")? {
            let is_promised = one["used"] == true && one["promised"] == "always";
            ensure!(
                !is_promised || one["seen"].as_u64() > Some(0),
                "{one} of {}",
                library.display()
            );
            seen += u64::from(is_promised);
        }
        ensure!(seen >= 18, "{seen} kinds: {probe:#}");
    }
    Ok(())
}

fn promising(folder: &Path, options: &[&str]) -> Result<()> {
    let source = build::root().join("tests/runtimes/promises.c");
    let mut clang = Command::new("clang-19");
    clang.args(["-shared", "-fPIC", "-o"]).arg(folder.join("libomp.so.5"));
    clang.args(options).arg(source).arg("-I/usr/lib/llvm-19/lib/clang/19/include");
    build::run(&mut clang, "clang-19").map(drop)
}

/// A runtime that does not keep its word, and one that dies.
#[test]
fn promises_that_are_not_kept_are_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    promising(folder.path(), &[])?;
    let value: Value = serde_json::from_str(&probe(folder.path(), &["--json"])?.stdout)?;
    let runtime = of(&value, &folder.path().join("libomp.so.5"))?;
    ensure!(runtime["version"] == "Promises version: 1", "{runtime:#}");
    for (name, used, seen, note) in [
        ("parallel_begin", true, true, ""),
        ("sync_region", true, false, "promised, used, and not received"),
        ("flush", false, false, ""),
        ("task_create", false, false, ""),
    ] {
        let one = callback(runtime, name)?;
        let is_seen = one["seen"].as_u64() > Some(0);
        ensure!(one["asked"] == true && one["promised"] == "always", "{one}");
        ensure!(
            (one["used"] == used, is_seen, &one["note"]) == (true, seen, &note.into()),
            "{one}"
        );
    }
    promising(folder.path(), &["-DDIES"])?;
    let said = probe(folder.path(), &[])?.stdout;
    let words = "its program ended at `barrier` (signal: 6 (SIGABRT))";
    ensure!(said.contains(words), "{said}");
    let line = said.lines().find(|line| line.starts_with("parallel_end ")).context("a line")?;
    ensure!(line.split_whitespace().eq(["parallel_end", "yes", "always", "yes", "1"]), "{line}");
    Ok(())
}
