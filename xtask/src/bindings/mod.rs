//! `cargo xtask bindings`: the C types of omp-tools.h and of OTF2, written once by
//! bindgen and committed, so that a build needs neither bindgen nor libclang.

#[cfg(feature = "bindings")]
mod generate;
#[cfg(feature = "bindings")]
mod ompt;
#[cfg(feature = "bindings")]
mod otf2;

use anyhow::Result;

/// Writes the committed files again, or compares them with `--check`.
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
