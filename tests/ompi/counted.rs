//! Counts of the runtime: numbers in the order of their names in tests/runtimes/ompi/count.h.

use anyhow::{Result, ensure};
use ompttrace_tests::build;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Counts of the runtime by name.
#[derive(Clone, Debug)]
pub struct Counted(BTreeMap<String, u64>);

impl Counted {
    /// Reads the file that the runtime wrote.
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

    /// Number of times that the runtime counted this.
    ///
    /// # Panics
    /// Panics if the runtime counts nothing of that name.
    pub fn of(&self, name: &str) -> u64 {
        *self.0.get(name).unwrap_or_else(|| panic!("{name} is not counted"))
    }

    /// Names of the counts that are zero.
    pub fn never(&self) -> Vec<&str> {
        self.0.iter().filter(|(_, count)| **count == 0).map(|(name, _)| name.as_str()).collect()
    }
}
