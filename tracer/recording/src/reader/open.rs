//! Opening untrusted files in a run folder: regular files only, for a pipe would be
//! waited for without end, and of small files no more than such a file of ours can have.

use super::{LARGEST_MODULES, Recording};
use crate::folder;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The opening of a pipe must not wait for its other end.
pub(super) const O_NONBLOCK: i32 = OFlags::NONBLOCK.bits() as i32;

/// A link is an error.
pub(super) const O_NOFOLLOW: i32 = OFlags::NOFOLLOW.bits() as i32;

/// Opens a regular file, or a link to one.
pub fn regular(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("no regular file")) }
}

/// Reads a regular file of at most `limit` bytes.
pub(super) fn small(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (mut bytes, file) = (Vec::new(), regular(path)?);
    let is_small = |length| match length <= limit {
        true => Ok(()),
        false => Err(io::Error::other(format!("larger than {limit} bytes"))),
    };
    is_small(file.metadata()?.len())?;
    // Nor does it grow meanwhile.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    is_small(bytes.len() as u64)?;
    Ok(bytes)
}

impl Recording {
    /// The text of `symbols.json`; `None` if the recording has none.
    pub fn symbols_text(&self) -> Option<io::Result<Vec<u8>>> {
        match small(&self.path.join(folder::SYMBOLS), LARGEST_MODULES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            text => Some(text),
        }
    }

    /// The text of `perf.map`; empty if there is none.
    pub fn perf_map_text(&self) -> Vec<u8> {
        small(&self.path.join(folder::PERF_MAP), LARGEST_MODULES).unwrap_or_default()
    }
}
