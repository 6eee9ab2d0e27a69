//! Search for the file that was mapped; a file that only has its name is not accepted.

use std::path::PathBuf;

use crate::elf::Elf;
use crate::error::Error;
use crate::modules::{Mapping, without_deleted_mark};

/// Parameters of the search for files.
pub(crate) struct Search {
    /// Folders with separate debug files, such as /usr/lib/debug.
    pub debug_roots: Vec<PathBuf>,
    /// Id of the traced process, if it may still exist.
    pub process: Option<u32>,
}

/// Finds the file of a mapping: at its path, otherwise through the process that mapped it.
pub(crate) fn find(mapping: &Mapping, process: Option<u32>) -> Result<Elf, Error> {
    at_path(mapping).or_else(|error| open_in_process(mapping, process).ok_or(error))
}

/// Finds the file through the kernel, which still refers to the files of a running process, even if they are deleted
/// or in a file system that only that process sees. The process id may be another's by now: the build id decides.
fn open_in_process(mapping: &Mapping, process: Option<u32>) -> Option<Elf> {
    let process = PathBuf::from(format!("/proc/{}", process?));
    let inside = mapping.path.strip_prefix("/").ok()?;
    let range = format!("map_files/{:x}-{:x}", mapping.start, mapping.end);
    [process.join("exe"), process.join(range), process.join("root").join(inside)]
        .iter()
        .filter(|_| mapping.build_id.is_known())
        .find_map(|path| accept(Elf::open(path), mapping).ok())
}

/// The file of a mapping, if the one at its path now is the one that was mapped.
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

/// The file at the path of a deleted one, if its build id proves that it is the same.
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
