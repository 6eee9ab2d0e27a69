//! Changes to the files of a recording after its run: each file is old or new, never half of it, and stays its
//! owner's.

use anyhow::{Context, Result};
use ompttrace_recording::folder;
use serde_json::{Map, Value};
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

/// Changes what `recording.json` in a run folder says, and leaves all else in it as it is.
pub fn amend(run: &Path, change: impl FnOnce(&mut Map<String, Value>)) -> Result<()> {
    let path = run.join(folder::FACTS);
    let shown = || format!("{}", path.display());
    let owner = fs::metadata(&path).with_context(shown)?;
    let mut facts: Value = serde_json::from_slice(&fs::read(&path).with_context(shown)?)?;
    change(facts.as_object_mut().with_context(shown)?);
    let text = serde_json::to_vec_pretty(&facts)?;
    put(&path, &owner, |file| file.write_all(&text)).map(drop)
}

/// Writes a file beside its name and puts it in place when it is whole and on the disk.
pub fn put<T>(
    path: &Path,
    owner: &Metadata,
    fill: impl FnOnce(&mut File) -> io::Result<T>,
) -> Result<T> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}.part", std::process::id()));
    let written = File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut file| {
            let filled = fill(&mut file)?;
            give(&file, owner)?;
            file.sync_all()?;
            fs::rename(&draft, path)?;
            Ok(filled)
        })
        .inspect_err(|_| drop(fs::remove_file(&draft)));
    written.with_context(|| format!("{}", path.display()))
}

/// Gives the file to the recording's owner, when it is another one's export.
fn give(file: &File, owner: &Metadata) -> io::Result<()> {
    let ours = file.metadata()?;
    if (ours.uid(), ours.gid()) == (owner.uid(), owner.gid()) {
        return Ok(());
    }
    fchown(file, Some(owner.uid()), Some(owner.gid()))
}
