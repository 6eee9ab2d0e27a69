//! Unfinished files of commands that were killed: nothing else will remove them, and they can be large.
//!
//! They are named and not removed: a file of the user's own may have such a name.

use crate::{process, say, trace_size};
use ompttrace_recording::reader::regular;
use rustix::process::geteuid;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// One line about unfinished files in `folder` whose names begin like this; `None` if there are none.
pub fn remark(folder: &Path, beginning: &str) -> Option<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let name = entry.file_name();
        let owner = entry.metadata().map(|metadata| metadata.uid());
        let name = name.to_str().filter(|name| name.starts_with(beginning));
        let is_ours = owner.is_ok_and(|owner| owner == geteuid().as_raw());
        is_ours && name.is_some_and(is_abandoned) && !is_written(&entry.path())
    });
    let mut paths: Vec<PathBuf> = ours.map(|entry| entry.path()).collect();
    paths.sort();
    let shown: Vec<_> = paths.iter().map(|path| say::shown(path)).collect();
    let bytes = trace_size::in_words(paths.iter().map(|path| size(path)).sum());
    (!paths.is_empty()).then(|| {
        format!(
            "unfinished output of a killed command, which you may remove: {} ({bytes})",
            shown.join(", ")
        )
    })
}

/// True if a process has the file open, even one of another PID namespace, whose number means another process here.
fn is_written(path: &Path) -> bool {
    regular(path).is_ok_and(|file| process::is_written(&file) == Some(true))
}

/// True if the name is that of a draft (`NAME.PID.part`, `NAME.PID-2.part`) whose process does not exist.
fn is_abandoned(name: &str) -> bool {
    let number = name.strip_suffix(".part").and_then(|name| name.rsplit('.').next());
    let process = number.and_then(|number| number.split('-').next()?.parse::<u32>().ok());
    process.is_some_and(|process| !process::exists(process))
}

/// Size of a file, or of all files in a folder, in bytes.
fn size(path: &Path) -> u64 {
    let inside = fs::read_dir(path).into_iter().flatten().flatten();
    let own = path
        .symlink_metadata()
        .map_or(0, |metadata| if metadata.is_dir() { 0 } else { metadata.len() });
    inside.map(|entry| size(&entry.path())).sum::<u64>() + own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_of_processes_that_are_gone_are_abandoned() {
        let (here, gone) = (std::process::id(), u32::MAX);
        for (name, abandoned) in [
            (format!("trace.pftrace.{gone}.part"), true),
            (format!("trace.pftrace.{gone}-2.part"), true),
            (format!("trace.pftrace.{here}.part"), false),
            (format!("trace.pftrace.{here}-2.part"), false),
            ("notes.part".to_owned(), false),
            (format!("trace.{gone}"), false),
        ] {
            assert_eq!(is_abandoned(&name), abandoned, "{name}");
        }
    }
}
