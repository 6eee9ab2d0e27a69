//! A program of MPI and OpenMP, recorded on several ranks.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::build;
use crate::product::Product;

/// Number of ranks of the program.
pub const RANKS: usize = 3;

fn compiled() -> Result<PathBuf> {
    let source = build::root().join("tests/ranks/hybrid.c");
    let program = build::target_dir().join("test-programs/ranks/hybrid");
    if !build::is_current(&program, std::slice::from_ref(&source)) {
        build::make_in_place(&program, |draft| {
            let mut mpicc = Command::new("mpicc.openmpi");
            mpicc.env("OMPI_CC", "clang-19").args(["-O1", "-g", "-fopenmp", "-o"]).arg(draft);
            build::run(mpicc.arg(&source), "libopenmpi-dev").map(drop)
        })?;
    }
    Ok(program)
}

/// Runs the program under the command; each rank leaves `rank.<number>` in `folder`.
pub fn record(folder: &Path) -> Result<Vec<PathBuf>> {
    record_with(folder, &[])
}

/// As [`record`], with these options of `ompttrace run`.
pub fn record_with(folder: &Path, options: &[&str]) -> Result<Vec<PathBuf>> {
    let mut mpirun = Command::new("mpirun.openmpi");
    // Two cores, in a container, as root: that is how tests run.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OMPTTRACE_") {
            mpirun.env_remove(name);
        }
    }
    mpirun.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    mpirun.args(["--oversubscribe", "-n", &RANKS.to_string()]).current_dir(folder);
    mpirun.arg(Product::find()?.program).args(["run", "--format", "recording"]).args(options);
    build::run(mpirun.args(["--output", "rank.%r", "--"]).arg(compiled()?), "openmpi-bin")?;
    Ok((0..RANKS).map(|rank| folder.join(format!("rank.{rank}"))).collect())
}
