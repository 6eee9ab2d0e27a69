//! Changes to the files of a recording after its run: each file is old or new, never half of it, and stays its
//! owner's.
//!
//! The folder may be another user's: what is given to that user is the user's own already.

use anyhow::{Context, Result, ensure};
use ompttrace_recording::{PinnedFolder, folder};
use serde_json::{Map, Value};
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::Path;

/// Maximum size of `recording.json`, in bytes: far more than any recording's facts take.
const LARGEST_FACTS: u64 = 16 << 20;

/// Writes a file of that name, gives it to `to` where there is one, and puts it in place when it is whole and on the
/// disk.
pub fn put<T>(
    run: &PinnedFolder,
    name: &str,
    to: Option<&Metadata>,
    fill: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    run.replace(name, format!("{name}.{}.part", std::process::id()), |file| {
        let filled = fill(file)?;
        to.map_or(Ok(()), |owner| give(file, owner))?;
        file.sync_all()?;
        Ok(filled)
    })
}

/// Changes the facts in `recording.json` of a run folder, and keeps everything else in the file as it is.
pub fn amend(run: &Path, change: impl FnOnce(&mut Map<String, Value>)) -> Result<()> {
    let pinned = PinnedFolder::open(run).map_err(anyhow::Error::from);
    let amended = pinned.and_then(|run| amend_in(&run, change));
    amended.with_context(|| format!("{}", run.join(folder::FACTS).display()))
}

/// Changes the facts in `recording.json` of an opened run folder.
pub fn amend_in(run: &PinnedFolder, change: impl FnOnce(&mut Map<String, Value>)) -> Result<()> {
    let (text, owner) = facts(run)?;
    let mut facts: Value = serde_json::from_slice(&text)?;
    change(facts.as_object_mut().context("no object")?);
    let text = serde_json::to_vec_pretty(&facts)?;
    Ok(put(run, folder::FACTS, Some(&owner), |file| file.write_all(&text))?)
}

/// The text of the facts, if they are the folder's owner's.
fn facts(run: &PinnedFolder) -> Result<(Vec<u8>, Metadata)> {
    let file = run.read(folder::FACTS)?;
    let owner = file.metadata()?;
    ensure!(owner.uid() == run.metadata()?.uid(), "owned by another user than the folder");
    let mut text = Vec::new();
    file.take(LARGEST_FACTS).read_to_end(&mut text)?;
    Ok((text, owner))
}

/// Gives the file to the recording's owner, when it is another one's export.
fn give(file: &File, owner: &Metadata) -> io::Result<()> {
    let ours = file.metadata()?;
    if (ours.uid(), ours.gid()) == (owner.uid(), owner.gid()) {
        return Ok(());
    }
    fchown(file, Some(owner.uid()), Some(owner.gid()))
}
