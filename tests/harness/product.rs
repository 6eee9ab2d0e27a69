//! The product under test: the libraries and the program `ompttrace`, all from one
//! folder. TEST_OMPTTRACE_PRODUCT names it, otherwise it is what `cargo xtask build` makes.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::build;

/// Paths of the product's parts.
#[derive(Clone, Debug)]
pub struct Product {
    /// libompttrace.so
    pub library: PathBuf,
    /// libompttrace_gomp.so
    pub gomp: PathBuf,
    /// libompttrace.a
    pub archive: PathBuf,
    /// libompttrace_ompi.a
    pub ompi: PathBuf,
    /// The program `ompttrace`.
    pub program: PathBuf,
}

impl Product {
    /// Finds the parts; one that is missing is an error.
    pub fn find() -> Result<Product> {
        let folder = match std::env::var_os("TEST_OMPTTRACE_PRODUCT") {
            Some(folder) => build::root().join(folder),
            None => build::target_dir().join("ompttrace"),
        };
        Product::in_folder(&folder)
    }

    fn in_folder(folder: &Path) -> Result<Product> {
        let part = |name: &str| {
            let path = folder.join(name);
            ensure!(path.is_file(), "no {}: run `cargo xtask build` first", path.display());
            Ok(path)
        };
        Ok(Product {
            library: part("libompttrace.so")?,
            gomp: part("libompttrace_gomp.so")?,
            archive: part("libompttrace.a")?,
            ompi: part("libompttrace_ompi.a")?,
            program: part("ompttrace")?,
        })
    }

    /// The output of `ompttrace info --json` for a run folder.
    pub fn info(&self, run: &Path) -> Result<Value> {
        self.json(&["info", "--json"], run)
    }

    /// Exports a run folder and returns the output of `ompttrace export --json`.
    pub fn export(&self, run: &Path) -> Result<Value> {
        self.json(&["export", "--json"], run)
    }

    /// Exports a run folder with these options and returns the output of `ompttrace export --json`. The traces show the run alone,
    /// without findings.
    pub fn export_with(&self, run: &Path, options: &[&str]) -> Result<Value> {
        self.json(&[&["export", "--json", "--no-findings"], options].concat(), run)
    }

    fn json(&self, arguments: &[&str], run: &Path) -> Result<Value> {
        let output = build::run(Command::new(&self.program).args(arguments).arg(run), "")?;
        serde_json::from_slice(&output).with_context(|| format!("{arguments:?} printed no JSON"))
    }
}

/// A number in the product's JSON.
///
/// # Errors
/// Fails if there is no number at this path: a renamed field must not pass as a count of 0.
pub fn number(value: &Value, pointer: &str) -> Result<u64> {
    let found = value.pointer(pointer).and_then(Value::as_u64);
    found.with_context(|| format!("the JSON has no number at {pointer}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_part_says_how_to_make_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = Product::in_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains("libompttrace.so: run `cargo xtask build`"), "{error}");
    }
}
