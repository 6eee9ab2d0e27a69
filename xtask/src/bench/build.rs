//! Compiles the baseline tools and the loads into `target/bench`.

use crate::shell;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

const TOOLS: [&str; 4] = ["null", "tsc", "raw", "count"];

/// Compiles everything and hands back the folder.
pub fn build<'p>(programs: impl Iterator<Item = &'p str>) -> Result<PathBuf> {
    let folder = shell::target_dir().join("bench");
    std::fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    for tool in TOOLS {
        let flags = ["-shared", "-fPIC", "-Wl,-z,nodelete"];
        compile(&format!("tools/{tool}.c"), &flags, &folder.join(format!("{tool}.so")))?;
    }
    for program in programs {
        compile(&format!("loads/{program}.c"), &["-fopenmp"], &folder.join(program))?;
    }
    Ok(folder)
}

fn compile(source: &str, flags: &[&str], output: &Path) -> Result<()> {
    let mut clang = shell::command("clang-19");
    clang.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror"]).args(flags);
    clang.arg(format!("tests/bench/{source}")).arg("-o").arg(output);
    shell::run(&mut clang)
}
