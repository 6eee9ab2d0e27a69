//! The oracle from Rust: builds `tests/oracle` and puts it into a program's run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::Result;

use crate::build;
pub use crate::counts::{Counts, EVENTS, EventCounts, Totals};

/// Folder of omp-tools.h in Debian's libomp-19-dev; GCC's own folders have none.
const TOOLS_HEADERS: &str = "/usr/lib/llvm-19/lib/clang/19/include";

/// Builds the oracle when it is not current and returns the library's path.
pub fn library() -> Result<PathBuf> {
    shared_library("tests/oracle", "liboracle.so")
}

/// Builds the self-check's own tool, `tests/oracle/witness`.
pub fn witness() -> Result<PathBuf> {
    shared_library("tests/oracle/witness", "libwitness.so")
}

/// Builds one C file that needs omp-tools.h into a shared library.
pub fn shared(source: &str, name: &str) -> Result<PathBuf> {
    let flags = ["-O2", "-fPIC", "-shared"];
    compiled(&[build::root().join(source)], name, &flags)
}

/// Compiles all C files of a folder into one shared library.
fn shared_library(folder: &str, name: &str) -> Result<PathBuf> {
    let headers = files(&build::root().join("tests/oracle"), "h")?;
    let sources = files(&build::root().join(folder), "c")?;
    let flags = "-O2 -g -Wall -Wextra -Werror -fPIC -shared -Wl,-z,nodelete -fvisibility=hidden";
    let flags: Vec<&str> = flags.split(' ').collect();
    compiled(&[sources, headers].concat(), name, &flags)
}

/// Compiles C files that need omp-tools.h, among them headers that are only looked at for their age.
pub fn compiled(sources: &[PathBuf], name: &str, flags: &[&str]) -> Result<PathBuf> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let made = build::target_dir().join("test-programs").join(name);
    if build::is_current(&made, sources) {
        return Ok(made);
    }
    build::make_in_place(&made, |draft| {
        let mut command = Command::new("clang-19");
        command.args(flags).arg("-I").arg(TOOLS_HEADERS).arg("-o").arg(draft);
        let is_code = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "c");
        command.args(sources.iter().filter(is_code));
        build::run(&mut command, "clang-19 libomp-19-dev").map(drop)
    })?;
    Ok(made)
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Puts the oracle into a program's run, with a tool behind it or (None) alone. `counts` may hold
/// `%p` for the process id: forked children then count into files of their own.
pub fn attach(command: &mut Command, counts: &Path, tool: Option<&Path>) -> Result<()> {
    command.env("OMP_TOOL_LIBRARIES", library()?).env("OMP_TOOL", "enabled");
    command.env("ORACLE_COUNTS", counts);
    match tool {
        Some(tool) => command.env("ORACLE_TOOL", tool),
        None => command.env_remove("ORACLE_TOOL"),
    };
    Ok(())
}
