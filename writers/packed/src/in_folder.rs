//! Packing of a run folder's events into one file: it is written under a temporary name and renamed when it is
//! complete and on the disk; only then are the originals removed.
//!
//! At any time the folder has either all originals or a complete packed file, which readers prefer.

use crate::pack::{Sums, pack};
use ompttrace_recording::reader::Pool;
use ompttrace_recording::{PinnedFolder, Recording, RecordingError, folder};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

/// Options of packing.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// zstd's level, 1 to 22.
    pub level: i32,
    /// True if the original files are kept.
    pub keep: bool,
    /// Number of threads that pack at the same time; the content of the file does not depend on it.
    pub jobs: NonZero<usize>,
}

/// Result of packing a recording.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Path of the packed file.
    pub path: PathBuf,
    /// Size of the files that it replaces, in bytes.
    pub before: u64,
    /// Size of the packed file, in bytes.
    pub after: u64,
    /// Number of records in the packed file.
    pub records: u64,
    /// Number of these records that are the interface's own events.
    pub events: u64,
}

/// Steps of packing a folder, in their order; each is reported after it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Written,
    Synced,
    Named,
    FolderSynced,
    /// The original with this index was removed.
    Removed(usize),
}

/// Packs the run folder from which `recording` was opened. Its program must have ended. Now and then `watch` is called
/// with the bytes of records that are packed, and of all records.
pub fn pack_folder(
    recording: &Recording,
    options: Options,
    watch: impl FnMut(u64, u64),
) -> Result<Outcome, RecordingError> {
    let run = &recording.path;
    let draft = Draft::new(run).map_err(|error| RecordingError::io(run, error))?;
    draft.remove_stale();
    in_steps(recording, options, &draft, watch, &mut |_| Ok(()))
        .inspect_err(|_| drop(draft.run.remove(&draft.name)))
}

pub(crate) fn in_steps(
    recording: &Recording,
    options: Options,
    draft: &Draft,
    watch: impl FnMut(u64, u64),
    after: &mut impl FnMut(Step) -> io::Result<()>,
) -> Result<Outcome, RecordingError> {
    let run = &draft.run;
    let path = recording.path.join(folder::PACKED);
    let originals = originals(recording, run)?;
    let size = |name: &String| run.entry(name).map_or(0, |metadata| metadata.len());
    let before = match originals.is_empty() {
        true => size(&folder::PACKED.to_owned()),
        false => originals.iter().map(size).sum(),
    };
    let mut sums = Sums::default();
    draft
        .open()
        .and_then(|file| {
            let mut file = BufWriter::with_capacity(1 << 20, file);
            sums = pack(recording, &mut file, options, watch)?;
            file.flush()?;
            after(Step::Written)?;
            file.get_ref().sync_all()?;
            after(Step::Synced)
        })
        .map_err(|error| RecordingError::io(&path, error))?;
    // A stream that ended before its time must not become the truth.
    recording.check()?;
    run.rename(&draft.name, folder::PACKED)
        .and_then(|()| after(Step::Named))
        .and_then(|()| run.sync())
        .and_then(|()| after(Step::FolderSynced))
        .map_err(|error| RecordingError::io(&path, error))?;
    if !options.keep {
        for (index, original) in originals.iter().enumerate() {
            run.remove(original)
                .and_then(|()| after(Step::Removed(index)))
                .map_err(|error| RecordingError::io(&recording.path.join(original), error))?;
        }
        // It is of the files that are gone.
        let _ = run.remove(folder::INDEX);
        let _ = run.sync();
    }
    let Sums { records, events, bytes: after } = sums;
    Ok(Outcome { path, before, after, records, events })
}

/// Names of the files whose records a packed file replaces.
fn originals(recording: &Recording, run: &PinnedFolder) -> Result<Vec<String>, RecordingError> {
    let events = (0..folder::STRIPES).map(|number| format!("{}{number}", folder::EVENTS));
    let mut names: Vec<_> = events.filter(|name| run.entry(name).is_ok()).collect();
    // What has the pool's name and is not this run's pool is none of our business.
    if let Pool::Found(pool) = Pool::of(&recording.path, &recording.facts)?
        && pool.path == recording.path.join(folder::POOL)
    {
        names.push(folder::POOL.to_owned());
    }
    Ok(names)
}

/// The packed file while it is being written.
pub(crate) struct Draft {
    run: PinnedFolder,
    name: String,
}

impl Draft {
    pub(crate) fn new(run: &Path) -> io::Result<Draft> {
        Ok(Draft { run: PinnedFolder::open(run)?, name: draft_name(std::process::id()) })
    }

    /// Creates the file, with the mode of the facts: users who may read the one may read the other.
    ///
    /// Another user's recording is not packed: files to which its entries link would be read with our rights, and
    /// their content would be given to that user.
    fn open(&self) -> io::Result<File> {
        let facts = self.run.entry(folder::FACTS)?;
        let file = self.run.create(&self.name)?;
        let ours = file.metadata()?;
        if !facts.is_file() || [facts.uid(), self.run.metadata()?.uid()] != [ours.uid(); 2] {
            return Err(io::Error::other("it belongs to another user, who alone can pack it"));
        }
        if facts.gid() != ours.gid() {
            fchown(&file, None, Some(facts.gid()))?;
        }
        file.set_permissions(facts.permissions())?;
        Ok(file)
    }

    /// Removes the drafts of packers that were killed.
    fn remove_stale(&self) {
        for entry in fs::read_dir(self.run.path()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| {
                name.strip_prefix(folder::PACKED)?.strip_prefix('.')?.strip_suffix(".part")
            });
            let Some(packer) = number.and_then(|number| number.parse::<u32>().ok()) else {
                continue;
            };
            let itself = packer == std::process::id();
            if itself || !Path::new("/proc").join(packer.to_string()).exists() {
                let _ = self.run.remove(entry.file_name());
            }
        }
    }
}

pub(crate) fn draft_name(packer: u32) -> String {
    format!("{}.{packer}.part", folder::PACKED)
}
