//! A run folder's events go into one packed file: written beside its name and renamed when it is
//! whole and on the disk; only then do the originals go.
//!
//! At any time either all originals or a whole packed file are there, which readers prefer.

use crate::pack::{Sums, pack};
use ompttrace_recording::reader::Pool;
use ompttrace_recording::{Recording, RecordingError, folder};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

/// How to pack.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// zstd's level, 1 to 22.
    pub level: i32,
    /// Whether the originals stay.
    pub keep: bool,
    /// Threads that pack at the same time; the file does not depend on that.
    pub jobs: NonZero<usize>,
}

/// What became of a recording.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The packed file.
    pub path: PathBuf,
    /// Bytes of the files that it replaces.
    pub before: u64,
    /// Its bytes.
    pub after: u64,
    /// Records in it.
    pub records: u64,
    /// Those of the interface's own events.
    pub events: u64,
}

/// What has just been done, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Written,
    Synced,
    Named,
    FolderSynced,
    /// The number of originals that were removed.
    Removed(usize),
}

/// Packs the run folder that `recording` was opened from. Its program must be over. Now and then
/// `watch` is given how many of how many bytes of records are done.
pub fn pack_folder(
    recording: &Recording,
    options: Options,
    watch: impl FnMut(u64, u64) + Send,
) -> Result<Outcome, RecordingError> {
    let draft = Draft::new(&recording.path);
    draft.remove_stale();
    in_steps(recording, options, &draft, watch, &mut |_| Ok(()))
        .inspect_err(|_| drop(fs::remove_file(&draft.path)))
}

pub(crate) fn in_steps(
    recording: &Recording,
    options: Options,
    draft: &Draft<'_>,
    watch: impl FnMut(u64, u64) + Send,
    after: &mut impl FnMut(Step) -> io::Result<()>,
) -> Result<Outcome, RecordingError> {
    let run = &recording.path;
    let path = run.join(folder::PACKED);
    let originals = originals(recording)?;
    let size = |path: &PathBuf| path.symlink_metadata().map_or(0, |metadata| metadata.len());
    let before = match originals.is_empty() {
        true => size(&path),
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
    fs::rename(&draft.path, &path)
        .and_then(|()| after(Step::Named))
        .and_then(|()| sync_folder(run))
        .and_then(|()| after(Step::FolderSynced))
        .map_err(|error| RecordingError::io(&path, error))?;
    if !options.keep {
        for (index, original) in originals.iter().enumerate() {
            fs::remove_file(original)
                .and_then(|()| after(Step::Removed(index)))
                .map_err(|error| RecordingError::io(original, error))?;
        }
        // It is of the files that are gone.
        let _ = fs::remove_file(run.join(folder::INDEX));
        let _ = sync_folder(run);
    }
    let Sums { records, events, bytes: after } = sums;
    Ok(Outcome { path, before, after, records, events })
}

/// The files whose records a packed file holds.
fn originals(recording: &Recording) -> Result<Vec<PathBuf>, RecordingError> {
    let run = &recording.path;
    let events = |number| run.join(format!("{}{number}", folder::EVENTS));
    let mut paths: Vec<_> =
        (0..folder::STRIPES).map(events).filter(|path| path.symlink_metadata().is_ok()).collect();
    // What has the pool's name and is not this run's pool is none of our business.
    if let Pool::Found(pool) = Pool::of(run, &recording.facts)?
        && pool.path == run.join(folder::POOL)
    {
        paths.push(pool.path);
    }
    Ok(paths)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// The packed file while it is being written.
pub(crate) struct Draft<'r> {
    run: &'r Path,
    path: PathBuf,
}

impl Draft<'_> {
    pub(crate) fn new(run: &Path) -> Draft<'_> {
        Draft { run, path: run.join(draft_name(std::process::id())) }
    }

    /// Its mode is that of the facts: users who may read the one may read the other.
    ///
    /// Another user's recording is not packed: what its files are links to is read with our rights, and would be
    /// given to that user.
    fn open(&self) -> io::Result<File> {
        let facts = self.run.join(folder::FACTS).symlink_metadata()?;
        let file = File::options().write(true).create_new(true).mode(0o600).open(&self.path)?;
        let ours = file.metadata()?;
        if !facts.is_file() || [facts.uid(), fs::metadata(self.run)?.uid()] != [ours.uid(); 2] {
            return Err(io::Error::other("it belongs to another user, who alone can pack it"));
        }
        if facts.gid() != ours.gid() {
            fchown(&file, None, Some(facts.gid()))?;
        }
        file.set_permissions(facts.permissions())?;
        Ok(file)
    }

    /// Removes what packers left that were killed.
    fn remove_stale(&self) {
        for entry in fs::read_dir(self.run).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| {
                name.strip_prefix(folder::PACKED)?.strip_prefix('.')?.strip_suffix(".part")
            });
            let Some(packer) = number.and_then(|number| number.parse::<u32>().ok()) else {
                continue;
            };
            let itself = packer == std::process::id();
            if itself || !Path::new("/proc").join(packer.to_string()).exists() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

pub(crate) fn draft_name(packer: u32) -> String {
    format!("{}.{packer}.part", folder::PACKED)
}
