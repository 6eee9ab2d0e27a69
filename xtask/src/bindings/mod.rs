//! `cargo xtask bindings`: the C types of omp-tools.h, written once by
//! bindgen and committed, so that a build needs neither bindgen nor libclang.

#[cfg(feature = "bindings")]
mod generate;

use anyhow::Result;

/// Writes the committed file again, or compares it with `--check`.
#[cfg(feature = "bindings")]
pub fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => generate::write(),
        [check] if check == "--check" => generate::check(),
        _ => anyhow::bail!("the only option is --check"),
    }
}

/// Starts cargo once more with bindgen compiled in.
#[cfg(not(feature = "bindings"))]
pub fn run(arguments: &[String]) -> Result<()> {
    let mut again = crate::shell::cargo();
    again.args(["run", "--quiet", "--package", "xtask", "--features", "bindings", "--"]);
    crate::shell::run(again.arg("bindings").args(arguments))
}
