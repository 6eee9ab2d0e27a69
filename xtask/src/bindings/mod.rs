//! `cargo xtask bindings`: the C types of omp-tools.h and of OTF2 (by bindgen) and the messages of Perfetto's schema
//! (by prost-build), generated once and committed, so that a build needs no generator and no libclang.

#[cfg(feature = "bindings")]
mod generate;
#[cfg(feature = "bindings")]
mod ompt;
#[cfg(feature = "bindings")]
mod otf2;
#[cfg(feature = "bindings")]
mod perfetto;

use crate::checked::{Check, files_in};
use crate::shell;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// The committed files that are generated.
const GENERATED: [&str; 3] = [
    "runtime/ompt-sys/src/bindings.rs",
    "writers/otf2-sys/src/bindings.rs",
    "writers/perfetto-protos/src/generated.rs",
];

/// The header of LLVM 19, in the folder that clang-19 itself searches; and what the generators depend on.
const SOURCES: [&str; 3] = [OMP_TOOLS, "Cargo.lock", "rustfmt.toml"];
const OMP_TOOLS: &str = "/usr/lib/llvm-19/lib/clang/19/include/omp-tools.h";

/// Folders of headers, schemas and of the code here.
const FOLDERS: [&str; 3] = [OTF2, PERFETTO, "xtask/src/bindings"];
const OTF2: &str = "/usr/include/otf2";
/// The schema of Perfetto's messages.
const PERFETTO: &str = "writers/perfetto-protos/proto";

/// Writes the committed files again, or compares them with `--check`.
#[cfg(feature = "bindings")]
pub fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => generate::write(),
        [check] if check == "--check" => generate::check(),
        _ => anyhow::bail!("the only option is --check"),
    }
}

/// Starts cargo once more with the generators compiled in.
#[cfg(not(feature = "bindings"))]
pub fn run(arguments: &[String]) -> Result<()> {
    with_generators(arguments)
}

fn with_generators(arguments: &[String]) -> Result<()> {
    let mut again = shell::cargo();
    again.args(["run", "--quiet", "--package", "xtask", "--features", "bindings", "--"]);
    shell::run(again.arg("bindings").args(arguments))
}

/// The step of `cargo xtask test`: `bindings --check`, unless it has passed with these headers, generators and files.
pub fn check(always: bool) -> Result<()> {
    let mut files: Vec<PathBuf> = GENERATED.iter().chain(&SOURCES).map(PathBuf::from).collect();
    for folder in FOLDERS {
        files.extend(files_in(&shell::root().join(folder))?.iter().map(|path| relative(path)));
    }
    let check = Check { name: "bindings", files };
    check.pass(always, || with_generators(&["--check".to_owned()]))
}

/// The path relative to the top of the repository, as `xtask/checked.txt` has it.
fn relative(path: &Path) -> PathBuf {
    path.strip_prefix(shell::root()).map_or_else(|_| path.to_path_buf(), Path::to_path_buf)
}
