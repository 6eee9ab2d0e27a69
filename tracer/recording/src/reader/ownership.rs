//! The owner of a pool. Pools of all users are in one folder, and a recording may come from an untrusted source: a path in it is
//! that of a pool to be read, and to be moved, only if both belong to the same user.

use super::pool_file::PoolFile;
use crate::folder;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Returns true if the pool is of the recording in `run`: its file belongs to the user who owns the folder and the facts.
///
/// On file systems that show all files as one user's (NFS and shared folders of virtual machines may do so) the pool
/// has to name this very folder.
pub(super) fn is_of_recording(pool: &PoolFile, run: &Path) -> io::Result<bool> {
    let (owner, folder) = (pool.file.metadata()?.uid(), fs::metadata(run)?);
    // Not what a link leads to, which may be another user's.
    let facts = run.join(folder::FACTS).symlink_metadata()?;
    let alike = facts.is_file() && folder.uid() == facts.uid() && folder.uid() == owner;
    Ok(alike || names(pool, &folder))
}

/// Returns true if the run folder that the pool names is this one.
fn names(pool: &PoolFile, folder: &Metadata) -> bool {
    let named = pool.run().and_then(|run| fs::metadata(run).ok());
    named.is_some_and(|named| (named.dev(), named.ino()) == (folder.dev(), folder.ino()))
}
