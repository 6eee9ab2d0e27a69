//! Comparison of a recording's files with what it said of them when it was closed: a copy may lack some, or their ends.

use super::{folder, open};
use crate::facts::Facts;
use std::fmt;
use std::path::Path;

/// A file that holds less than was written to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shorter {
    /// The file's name in the run folder.
    pub name: String,
    /// Number of bytes that were written to the file.
    pub written: u64,
    /// Number of these bytes that are there.
    pub found: u64,
}

/// `events.1 (0 of 40960 bytes)`
impl fmt::Display for Shorter {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} ({} of {} bytes)", self.name, self.found, self.written)
    }
}

/// The files that are shorter than `facts` report, of those whose length `found` knows; 0 is an empty file. A file
/// that grew after the close is longer than that.
pub(super) fn shorter(facts: &Facts, found: impl Fn(&str) -> Option<u64>) -> Vec<Shorter> {
    let compared = facts.files.iter().filter_map(|(name, written)| {
        let found = found(name)?;
        (found < *written).then(|| Shorter { name: name.clone(), written: *written, found })
    });
    compared.collect()
}

/// Bytes of a file that has no fragments; `None` for one that has some.
pub(super) fn length(run: &Path, name: &str) -> Option<u64> {
    let has_none = [folder::MODULES, folder::DEVICES, folder::DEVICE_RECORDS].contains(&name);
    has_none.then(|| {
        open::regular(&run.join(name))
            .and_then(|file| file.metadata())
            .map_or(0, |known| known.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_than_was_written_is_told_and_more_is_not() {
        let files = [("events.0", 8192), ("events.1", 4096), ("events.2", 4096), ("modules", 10)];
        let files = files.map(|(name, bytes)| (name.to_owned(), bytes)).into();
        let facts = Facts { files, ..Facts::default() };
        let found = |name: &str| match name {
            "events.0" => Some(4096),
            "events.1" => Some(8192),
            "events.2" => Some(0),
            _ => None,
        };
        let told: Vec<_> = shorter(&facts, found).iter().map(Shorter::to_string).collect();
        assert_eq!(told, ["events.0 (4096 of 8192 bytes)", "events.2 (0 of 4096 bytes)"]);
    }
}
