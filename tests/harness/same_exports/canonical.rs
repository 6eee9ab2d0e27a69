//! A trace or a report as lines of text that two writers share where they mean the same.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::{chrome, otf2, perfetto};

/// Kinds of an exporter's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// A `.pftrace` file.
    Perfetto,
    /// A `trace.json` file.
    Chrome,
    /// A folder with an OTF2 archive.
    Otf2,
    /// The JSON printed on stdout.
    Report,
    /// The lines printed on stderr, and the exit status.
    Words,
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Format::Perfetto => "Perfetto",
            Format::Chrome => "Chrome",
            Format::Otf2 => "OTF2",
            Format::Report => "JSON on stdout",
            Format::Words => "stderr and status",
        })
    }
}

/// The text of a file or of an archive's folder.
pub fn lines(path: &Path, format: Format) -> Result<Vec<String>> {
    match format {
        Format::Perfetto => perfetto::lines(&fs::read(path)?),
        Format::Chrome => chrome::lines(&fs::read(path)?),
        Format::Otf2 => otf2::lines(path),
        Format::Report => report(&fs::read(path)?),
        Format::Words => Ok(split(&String::from_utf8_lossy(&fs::read(path)?))),
    }
}

/// Each value on a line of its own, keys sorted.
fn report(bytes: &[u8]) -> Result<Vec<String>> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let value: Value = serde_json::from_slice(bytes)?;
    Ok(split(&serde_json::to_string_pretty(&value)?))
}

fn split(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}
