//! Every kept input of every fuzz target is handled without a failure. `cargo xtask fuzz` looks for more.

use std::fs;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::fuzz::{TARGETS, Target, corpus};

/// Reads all inputs of a target; returns how much was found in them.
fn replay(target: &Target) -> Result<usize> {
    let (mut inputs, mut found) = (0, 0);
    for entry in fs::read_dir(corpus(target.name))? {
        let path = entry?.path();
        found += (target.read)(&fs::read(&path)?).with_context(|| path.display().to_string())?;
        inputs += 1;
    }
    ensure!(inputs >= 3, "{inputs} inputs");
    Ok(found)
}

/// Inputs in which nothing is found would not report whether a target reads at all.
#[test]
fn the_corpus_is_read_and_reported() -> Result<()> {
    for target in &TARGETS {
        let found = replay(target).context(target.name)?;
        ensure!(found > 10, "{}: {found}", target.name);
    }
    Ok(())
}
