//! Damaged copies of a recording: a file cut short, and bytes overwritten where a seed has it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::exports;
use crate::seeded::Seeded;

/// Number of bytes that are overwritten.
const BYTES: usize = 8;

/// Makes both beside the recording, with names of their own.
pub fn make(recording: &Path, seed: u64) -> Result<()> {
    let mut dice = Seeded::new(seed);
    let Some(file) = largest(recording)? else { return Ok(()) };
    let bytes = fs::read(recording.join(&file))?;
    let kept = dice.below(bytes.len());
    put(recording, "cut", &file, &bytes[..kept])?;
    let mut overwritten = bytes.clone();
    for _ in 0..BYTES {
        let at = dice.below(bytes.len());
        overwritten[at] = dice.draw() as u8;
    }
    put(recording, "overwritten", &file, &overwritten)
}

/// The largest file with events in it.
fn largest(recording: &Path) -> Result<Option<PathBuf>> {
    let mut found: Option<(u64, PathBuf)> = None;
    for entry in fs::read_dir(recording)? {
        let entry = entry?;
        let name = entry.file_name();
        let has_events = name == "pool" || name.to_string_lossy().starts_with("events.");
        // Of two that are as large, the one whose name is first.
        let size = entry.metadata()?.len();
        let path = PathBuf::from(name);
        let is_larger =
            |(most, first): &(u64, PathBuf)| size > *most || (size == *most && path < *first);
        if has_events && size > 0 && found.as_ref().is_none_or(is_larger) {
            found = Some((size, path));
        }
    }
    Ok(found.map(|(_, name)| name))
}

fn put(recording: &Path, how: &str, file: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = recording.as_os_str().to_owned();
    name.push(format!("-{how}"));
    let copy = PathBuf::from(name);
    exports::copy(recording, &copy)?;
    Ok(fs::write(copy.join(file), bytes)?)
}
