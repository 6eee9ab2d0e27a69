//! Expected size of a large trace, before it is written: a small part of it is made, which is not kept.

use crate::arguments::ExportArguments;
use crate::detail::Detail;
use crate::formats::open_nowhere;
use crate::formats::table::{Format, Opens, row};
use crate::formats::writer::SampledPart;
use crate::trace_size;
use anyhow::{Result, bail};
use ompttrace_recording::Recording;
use rustix::fs::statvfs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Maximum size in bytes up to which traces are not estimated: with two threads they are there in a second or two, of
/// which this would be up to a seventh, and more with more threads.
const WORTH: u64 = 4_000_000_000;
/// Minimum number of bytes of records that are representative of the others.
const FEWEST: u64 = 100_000;

/// Reports the expected size of traces that neither `--limit` nor `--detail` bounds, if it is large; fails if the disk has less
/// space. Compressed output, whose size is not known, parts of a run and exports at the end of a run are not estimated.
pub fn say(recording: &Recording, arguments: &ExportArguments, say: impl Fn(&str)) -> Result<()> {
    if arguments.gzip || arguments.compress || arguments.closing_line || arguments.is_window() {
        return Ok(());
    }
    let has_limit = arguments.detail != Detail::All && arguments.limit != Some(u64::MAX);
    let is_wanted = |format: &Format| match row(*format).opens {
        Opens::Tracks(_) => !has_limit,
        Opens::Folder(_) => true,
        _ => false,
    };
    let wanted: Vec<_> = arguments.formats().filter(is_wanted).collect();
    let folder = folder(arguments);
    let free =
        statvfs(&folder).map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    let per_byte = wanted.iter().map(|format| row(*format).most_per_byte).sum();
    let most = recording.bytes().saturating_mul(per_byte);
    if most < arguments.announced.unwrap_or(WORTH).min(free) {
        return Ok(());
    }
    let size = |format| Some((format, size(recording, arguments, format)?));
    let sizes: Vec<_> = wanted.into_iter().filter_map(size).collect();
    let all: u64 = sizes.iter().map(|(_, size)| size).sum();
    if all == 0 {
        return Ok(());
    }
    let words = sizes
        .iter()
        .map(|(format, size)| format!("{} for {}", trace_size::in_words(*size), format.name()));
    let words = words.collect::<Vec<_>>().join(", ");
    if all > free {
        bail!(
            "the output will take about {words}, and {} has only {} free: make an overview (--detail auto) or a \
             time window (--from, --to), or use another disk (--output)",
            folder.display(),
            trace_size::in_words(free)
        );
    }
    say(&format!("the output will take about {words}"));
    Ok(())
}

/// Folder in which the traces will be.
fn folder(arguments: &ExportArguments) -> PathBuf {
    let parent = arguments.output.as_deref().and_then(Path::parent);
    let parent = parent.map(|path| if path == Path::new("") { Path::new(".") } else { path });
    parent.unwrap_or(&arguments.run).to_owned()
}

/// Expected size of a whole trace, in bytes, by a few windows of the run or, where it cannot be cut into windows, by its begin;
/// `None` if too little is known.
fn size(recording: &Recording, arguments: &ExportArguments, format: Format) -> Option<u64> {
    let by = |part| {
        let folder = tempfile::tempdir().ok();
        let folder = folder.as_ref().map(|folder| folder.path());
        let (writer, size) = open_nowhere(arguments, format, folder)?;
        let sample = writer.sample(part, recording, arguments)?;
        let bytes = size.load(Ordering::Relaxed) + folder.map_or(0, bytes_in);
        (sample.read >= FEWEST).then(|| sample.of_all(bytes))
    };
    by(SampledPart::Windows).or_else(|| by(SampledPart::Begin))
}

/// Bytes of all files below a folder.
fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = folder.read_dir() else { return 0 };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let size = |path: &Path| path.metadata().map_or(0, |known| known.len());
    paths.map(|path| if path.is_dir() { bytes_in(&path) } else { size(&path) }).sum()
}
