//! Finds the file that was mapped, and nothing that only has its name.

use std::path::PathBuf;

use crate::elf::Elf;
use crate::error::Error;
use crate::modules::{Mapping, without_deleted_mark};

/// Where to look for files.
pub(crate) struct Search {
    /// Folders as /usr/lib/debug.
    pub debug_roots: Vec<PathBuf>,
    /// The traced process, where it is still there.
    pub process: Option<u32>,
}

/// The file behind a mapping: at its path, otherwise through the process that mapped it.
pub(crate) fn find(mapping: &Mapping, process: Option<u32>) -> Result<Elf, Error> {
    at_path(mapping).or_else(|error| open_in_process(mapping, process).ok_or(error))
}

/// The kernel still leads to a file that a process runs, be it deleted or in a file system
/// that only that process sees. The process id may be another's by now: the build id decides.
fn open_in_process(mapping: &Mapping, process: Option<u32>) -> Option<Elf> {
    let process = PathBuf::from(format!("/proc/{}", process?));
    let inside = mapping.path.strip_prefix("/").ok()?;
    let range = format!("map_files/{:x}-{:x}", mapping.start, mapping.end);
    [process.join("exe"), process.join(range), process.join("root").join(inside)]
        .iter()
        .filter(|_| mapping.build_id.is_known())
        .find_map(|path| accept(Elf::open(path), mapping).ok())
}

/// The file behind a mapping, if what is at its path now is what was mapped.
fn at_path(mapping: &Mapping) -> Result<Elf, Error> {
    if !mapping.path.is_absolute() {
        return Err(Error::NoFile);
    }
    let literal = accept(Elf::open(&mapping.path), mapping);
    match without_deleted_mark(&mapping.path) {
        // A file whose very name ends so is rare, but then it is the right one.
        Some(path) if literal.is_err() => replacement(Elf::open(&path), mapping),
        _ => literal,
    }
}

fn accept(file: Result<Elf, Error>, mapping: &Mapping) -> Result<Elf, Error> {
    let file = file?;
    let recorded = &mapping.build_id;
    if recorded.is_known() && file.build_id != *recorded {
        return Err(Error::BuildId { recorded: recorded.clone(), found: file.build_id });
    }
    Ok(file)
}

/// The same for a file that replaced a deleted one: it needs a proof.
fn replacement(file: Result<Elf, Error>, mapping: &Mapping) -> Result<Elf, Error> {
    if !mapping.build_id.is_known() {
        return Err(Error::Deleted);
    }
    match file {
        Err(Error::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::Deleted)
        }
        other => accept(other, mapping),
    }
}
