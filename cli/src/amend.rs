//! Changes to the files of a recording after its run: each file is old or new, never half of it, and stays its
//! owner's.
//!
//! The folder may be another user's, who can rename it and put links into it at any time: what is written and
//! given to that user goes into the folder that was opened first, and is the user's own already.

use anyhow::{Context, Result, ensure};
use ompttrace_recording::folder;
use serde_json::{Map, Value};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

/// Far more than any recording's facts take.
const LARGEST_FACTS: u64 = 16 << 20;

/// A folder that stays the same, whatever its path comes to mean.
pub struct Pinned {
    file: File,
    /// Whose it is.
    pub owner: Metadata,
}

impl Pinned {
    /// The folder that has this path now.
    pub fn open(folder: &Path) -> io::Result<Pinned> {
        let flags = libc::O_PATH | libc::O_DIRECTORY;
        let file = File::options().read(true).custom_flags(flags).open(folder)?;
        Ok(Pinned { owner: file.metadata()?, file })
    }

    /// A path that means this folder for as long as this value lives.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// Writes a file of that name beside it, gives it to `to` where there is one, and puts it in place when it
    /// is whole and on the disk.
    pub fn put<T>(
        &self,
        name: &str,
        to: Option<&Metadata>,
        fill: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> io::Result<T> {
        let folder = self.path();
        let draft = folder.join(format!("{name}.{}.part", std::process::id()));
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
        let written = || {
            let filled = fill(&mut file)?;
            to.map_or(Ok(()), |owner| give(&file, owner))?;
            file.sync_all()?;
            fs::rename(&draft, folder.join(name))?;
            Ok(filled)
        };
        written().inspect_err(|_| drop(fs::remove_file(&draft)))
    }

    /// Changes what the recording's facts say, and leaves all else in them as it is.
    pub fn amend(&self, change: impl FnOnce(&mut Map<String, Value>)) -> Result<()> {
        let (text, owner) = self.facts()?;
        let mut facts: Value = serde_json::from_slice(&text)?;
        change(facts.as_object_mut().context("no object")?);
        let text = serde_json::to_vec_pretty(&facts)?;
        Ok(self.put(folder::FACTS, Some(&owner), |file| file.write_all(&text))?)
    }

    /// The text of the facts, if they are the folder's owner's.
    fn facts(&self) -> Result<(Vec<u8>, Metadata)> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let path = self.path().join(folder::FACTS);
        let file = File::options().read(true).custom_flags(flags).open(path)?;
        let owner = file.metadata()?;
        ensure!(owner.is_file(), "not a regular file");
        ensure!(owner.uid() == self.owner.uid(), "owned by another user than the folder");
        let mut text = Vec::new();
        file.take(LARGEST_FACTS).read_to_end(&mut text)?;
        Ok((text, owner))
    }
}

/// Changes what `recording.json` in a run folder says, and leaves all else in it as it is.
pub fn amend(run: &Path, change: impl FnOnce(&mut Map<String, Value>)) -> Result<()> {
    let pinned = Pinned::open(run).map_err(anyhow::Error::from);
    let amended = pinned.and_then(|run| run.amend(change));
    amended.with_context(|| format!("{}", run.join(folder::FACTS).display()))
}

/// Gives the file to the recording's owner, when it is another one's export.
fn give(file: &File, owner: &Metadata) -> io::Result<()> {
    let ours = file.metadata()?;
    if (ours.uid(), ours.gid()) == (owner.uid(), owner.gid()) {
        return Ok(());
    }
    fchown(file, Some(owner.uid()), Some(owner.gid()))
}
