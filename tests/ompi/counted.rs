//! What the runtime counted: numbers in the order of tests/runtimes/ompi/count.h, where their names stand.

use anyhow::{Result, ensure};
use ompttrace_tests::build;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Counts by name.
#[derive(Clone, Debug)]
pub struct Counted(BTreeMap<String, u64>);

impl Counted {
    /// Reads the file.
    pub fn read(file: &Path) -> Result<Counted> {
        let header = fs::read_to_string(build::root().join("tests/runtimes/ompi/count.h"))?;
        let names = header.split("X(").skip(1).filter_map(|rest| rest.split(')').next());
        let names: Vec<_> = names.map(str::to_owned).collect();
        let bytes = fs::read(file)?;
        let words = bytes.chunks_exact(8);
        ensure!(words.len() == names.len(), "{} numbers of {names:?}", words.len());
        let numbers = words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")));
        Ok(Counted(names.into_iter().zip(numbers).collect()))
    }

    /// How often it happened.
    ///
    /// # Panics
    /// When the runtime counts nothing of that name.
    pub fn of(&self, name: &str) -> u64 {
        *self.0.get(name).unwrap_or_else(|| panic!("{name} is not counted"))
    }

    /// What did not happen at all.
    pub fn never(&self) -> Vec<&str> {
        self.0.iter().filter(|(_, count)| **count == 0).map(|(name, _)| name.as_str()).collect()
    }
}
