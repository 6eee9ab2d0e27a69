//! Recordings that are damaged, made up or not ours, names that nobody expects, and output paths
//! that are taken: no panic, no endless memory, one clear word, and nothing of anybody else's touched.

#[path = "bad_input/arguments.rs"]
mod arguments;
#[path = "bad_input/copies.rs"]
mod copies;
#[path = "bad_input/damage.rs"]
mod damage;
#[path = "bad_input/live.rs"]
mod live;
#[path = "bad_input/memory.rs"]
mod memory;
#[path = "bad_input/names.rs"]
mod names;
#[path = "bad_input/output_paths.rs"]
mod output_paths;
#[path = "bad_input/rebuilt.rs"]
mod rebuilt;
#[path = "bad_input/settings.rs"]
mod settings;
#[path = "bad_input/swapped.rs"]
mod swapped;
#[path = "bad_input/symbols.rs"]
mod symbols;
#[path = "bad_input/unexpected_files.rs"]
mod unexpected_files;
#[path = "bad_input/working_folder.rs"]
mod working_folder;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};

/// A small recording of a real program.
fn small() -> Result<(Traced, PathBuf)> {
    let program = programs::by_name("c/hello")?;
    let traced =
        traced::run_in_memory(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    ensure!(traced.run.ended_by(program.directives.end), "{:?}", traced.run);
    let run = traced.scratch.only_run()?;
    Ok((traced, run))
}
