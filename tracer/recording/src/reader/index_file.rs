//! The time index of a large recording, in a file in the same folder: the positions of its fragments, so that they
//! need not be looked for in gigabytes again, and the words that the timeline stored.
//!
//! The index has no information that is not in the recording. An index that is damaged, another user's or a link, or
//! that was made from other files than those present, is ignored.

use super::index::{Damage, Fragment, Streams, ThreadIndex};
use super::open;
use super::{Recording, folder};
use crate::PinnedFolder;
use crate::facts::{ClockPair, Facts};
use crate::fragment::{AREA_UNIT, check_sum, check_sum_from};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::slice::Iter;
use zerocopy::IntoBytes;

const MAGIC: u64 = u64::from_le_bytes(*b"OMPTINDX");
const VERSION: u64 = 1;
/// Bytes of an index that are no fragments, at most.
const LARGEST: u64 = 64 << 20;
/// Bytes of a fragment in the index.
const OF_FRAGMENT: u64 = 32;
/// The upper bits of a fragment's position are its file's number.
const FILE_SHIFT: u32 = 56;

/// The content of an index.
pub(super) struct Indexed {
    pub(super) files: Vec<File>,
    pub(super) streams: Streams,
    pub(super) damage: Damage,
    pub(super) checkpoints: Vec<u64>,
}

/// Reads the index of the run in `folder`, if a sound one of just these files is there.
pub(super) fn read(run: &Path, facts: &Facts) -> Option<Indexed> {
    let file = PinnedFolder::open(run).ok()?.read(folder::INDEX).ok()?;
    let known = file.metadata().ok().filter(|_| facts.closed)?;
    let owner = facts_file(run).ok()?.uid();
    let files = event_files(run)?;
    let lengths = lengths(&files).ok()?;
    let all: u64 = lengths.iter().sum();
    let most = LARGEST + all / AREA_UNIT as u64 * OF_FRAGMENT;
    if known.uid() != owner || known.len() > most || !known.len().is_multiple_of(8) {
        return None;
    }
    let mut stored = vec![0; (known.len() / 8) as usize];
    file.read_exact_at(stored.as_mut_bytes(), 0).ok()?;
    let sum = stored.pop()?;
    let words = Some(&stored[..]).filter(|words| check_sum(words) == sum)?;
    let words = words.strip_prefix(&identity(run, &files).ok()?[..])?;
    let mut words = words.iter();
    let damage = Damage {
        unreadable: next(&mut words)?,
        torn: next(&mut words)?,
        missing: next(&mut words)?,
        ..Damage::default()
    };
    let mut kind = || streams(&mut words, &lengths);
    let streams = Streams { threads: kind()?, cores: kind()?, samples: kind()? };
    // In the same memory, as these are many.
    let before = stored.len() - words.len();
    drop(stored.drain(..before));
    Some(Indexed { files, streams, damage, checkpoints: stored })
}

/// Leaves an index of a recording.
pub(super) fn write(recording: &Recording, checkpoints: &[u64]) -> io::Result<()> {
    let run = &recording.path;
    let mut words = identity(run, &recording.files)?;
    let Damage { unreadable, torn, missing, .. } = recording.damage;
    words.extend([unreadable, torn, missing]);
    for kind in [&recording.threads, &recording.cores, &recording.samples] {
        add_streams(&mut words, kind);
    }
    let sum = check_sum_from(check_sum(&words), checkpoints);
    let (run, draft) =
        (PinnedFolder::open(run)?, format!("{}.{}.part", folder::INDEX, std::process::id()));
    run.replace(folder::INDEX, draft, |file| fill(file, &run, &[&words, checkpoints, &[sum]]))
}

/// Users who may read the facts may read the index. In another user's recording no index is left: files to which it
/// may have links are read with this user's rights, and would be given to that user.
fn fill(file: &mut File, run: &PinnedFolder, words: &[&[u64]]) -> io::Result<()> {
    let (facts, ours) = (run.entry(folder::FACTS)?, file.metadata()?.uid());
    if !facts.is_file() || [facts.uid(), run.metadata()?.uid()] != [ours; 2] {
        return Err(io::Error::other("it is another user's recording"));
    }
    words.iter().try_for_each(|words| file.write_all(words.as_bytes()))?;
    file.set_permissions(facts.permissions())
}

fn facts_file(run: &Path) -> io::Result<Metadata> {
    run.join(folder::FACTS).symlink_metadata()
}

/// The event files that are there, in their order; `None`: one of them cannot be opened.
fn event_files(run: &Path) -> Option<Vec<File>> {
    let mut files = Vec::new();
    for number in 0..folder::STRIPES {
        match open::regular(&run.join(format!("{}{number}", folder::EVENTS))) {
            Ok(file) => files.push(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return None,
        }
    }
    Some(files)
}

fn lengths(files: &[File]) -> io::Result<Vec<u64>> {
    files.iter().map(|file| Ok(file.metadata()?.len())).collect()
}

/// The first words of an index, which identify its event files by their lengths and the times at which they were written.
fn identity(run: &Path, files: &[File]) -> io::Result<Vec<u64>> {
    let mut words = vec![MAGIC, VERSION, files.len() as u64];
    let mut add = |known: Metadata| {
        words.extend([known.len(), known.mtime() as u64, known.mtime_nsec() as u64]);
    };
    add(facts_file(run)?);
    for file in files {
        add(file.metadata()?);
    }
    Ok(words)
}

fn next(words: &mut Iter<'_, u64>) -> Option<u64> {
    words.next().copied()
}

fn add_streams(words: &mut Vec<u64>, streams: &[ThreadIndex]) {
    words.push(streams.len() as u64);
    for stream in streams {
        words.push(u64::from(stream.number) | u64::from(stream.os_thread) << 32);
        let (first, last) = stream.clock.unwrap_or_default();
        words.extend([first.ticks, first.monotonic, last.ticks, last.monotonic]);
        words.extend([u64::from(stream.clock.is_some()), stream.fragments.len() as u64]);
        words.extend(stream.fragments.iter().flat_map(|fragment| {
            let Fragment { file, at, chunk, offset, bytes, ticks } = *fragment;
            let range = u64::from(offset) | u64::from(bytes) << 32;
            [at | (file as u64) << FILE_SHIFT, chunk, range, ticks]
        }));
    }
}

/// The streams of one kind, whose fragments are in files of these lengths and no more than those hold.
fn streams(words: &mut Iter<'_, u64>, lengths: &[u64]) -> Option<Vec<ThreadIndex>> {
    let mut streams = Vec::new();
    let mut left: u64 = lengths.iter().sum();
    for _ in 0..next(words)? {
        let who = next(words)?;
        let mut pair = || Some(ClockPair { ticks: next(words)?, monotonic: next(words)? });
        let pairs = (pair()?, pair()?);
        let clock = (next(words)? != 0).then_some(pairs);
        let (number, os_thread) = (who as u32, (who >> 32) as u32);
        let mut stream = ThreadIndex { number, os_thread, clock, ..ThreadIndex::default() };
        for _ in 0..next(words)? {
            let fragment = fragment(words, lengths)?;
            left = left.checked_sub(u64::from(fragment.bytes))?;
            stream.fragments.push(fragment);
        }
        streams.push(stream);
    }
    Some(streams)
}

fn fragment(words: &mut Iter<'_, u64>, lengths: &[u64]) -> Option<Fragment> {
    let (position, chunk, range, ticks) = (next(words)?, next(words)?, next(words)?, next(words)?);
    let (file, at) = ((position >> FILE_SHIFT) as usize, position & ((1 << FILE_SHIFT) - 1));
    let (offset, bytes) = (range as u32, (range >> 32) as u32);
    let fits = at + u64::from(bytes) <= *lengths.get(file)?;
    let is_sound = fits && bytes.is_multiple_of(8) && offset.checked_add(bytes).is_some();
    is_sound.then_some(Fragment { file, at, chunk, offset, bytes, ticks })
}
