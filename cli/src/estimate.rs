//! Expected size of a large trace, before it is written: the writers make a few parts of it, which are not kept, and
//! the size of these for each byte of records holds for all.

use crate::arguments::ExportArguments;
use crate::detail::Detail;
use crate::formats::open_nowhere;
use crate::formats::table::{Format, Opens, row};
use crate::formats::writer::Writers;
use crate::trace_size;
use anyhow::{Result, bail};
use ompttrace_model::Sink;
use ompttrace_recording::Recording;
use ompttrace_timeline::{Clock, Options, records_of, run_with, span_of};
use ompttrace_workers::try_each;
use rustix::fs::statvfs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Maximum size in bytes up to which traces are not estimated: with two threads they are there in a second or two, of
/// which this would be up to a seventh, and more with more threads.
const WORTH: u64 = 4_000_000_000;
/// Size of the records of each part, in bytes, about; below, the fraction of all records that no part exceeds, as its
/// divisor.
const BYTES: u64 = 1_000_000;
const SHARE: u64 = 50;
/// Maximum number of times among which the parts are found.
const MOST_PARTS: f64 = 1e5;
/// Begin of each part, in thousandths of the run. The records before a part may have to be interpreted for it, hence
/// the first one is early: of such a recording it is the only one.
const PARTS: [u64; 3] = [20, 350, 700];
/// Minimum number of records that are representative of the others.
const FEWEST: u64 = 10_000;

/// Reports the expected size of traces that neither `--limit` nor `--detail` bounds, if it is large; fails if the disk has less
/// space. Compressed output, whose size is not known, and exports at the end of a run are not estimated.
pub fn say(recording: &Recording, arguments: &ExportArguments, say: impl Fn(&str)) -> Result<()> {
    if arguments.gzip || arguments.compress || arguments.closing_line {
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
    let parts = Parts::of(recording, arguments);
    let sizes = wanted.into_iter();
    let sizes: Vec<_> = sizes.filter_map(|format| Some((format, parts.size(format)?))).collect();
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

/// Parts of a run that are made for the estimate.
struct Parts<'r> {
    recording: &'r Recording,
    arguments: &'r ExportArguments,
    /// Bytes of all records; below, bytes of threads' records that a part is to have.
    bytes: u64,
    wanted: u64,
    /// Begin and end of each part, in nanoseconds since the process began.
    parts: Vec<(u64, u64)>,
}

impl<'r> Parts<'r> {
    fn of(recording: &'r Recording, arguments: &'r ExportArguments) -> Parts<'r> {
        let (begin, _) = span_of(recording);
        let (first, last) = records_of(recording).unwrap_or((begin, begin));
        let bytes = recording.bytes();
        let of_threads = recording.bytes_of_threads();
        let wanted = BYTES.min(of_threads / SHARE);
        let share = wanted as f64 / of_threads.max(1) as f64;
        let clock = Clock::of(recording);
        let cuts = recording.cuts(wanted, 0);
        let mut times: Vec<_> = cuts.into_iter().map(|cut| clock.nanoseconds(cut)).collect();
        if times.len() < PARTS.len() {
            // Where nothing says where the records lie: as if they were evenly distributed.
            let whole = last.saturating_sub(first);
            let step = (whole as f64 * share).max(whole as f64 / MOST_PARTS).max(1.0);
            times = (first..last).step_by(step as usize).collect();
        }
        let part = |begins: u64| {
            let at = times.len() * begins as usize / 1000;
            let since_begin = |time: &u64| time.saturating_sub(begin);
            Some((times.get(at).map(since_begin)?, times.get(at + 1).map(since_begin)?))
        };
        let parts = PARTS.into_iter().filter_map(part).collect();
        Parts { recording, arguments, bytes, wanted, parts }
    }

    /// Expected size of a whole trace, in bytes; none if too little is known.
    fn size(&self, format: Format) -> Option<u64> {
        let (first, others) = self.parts.split_first()?;
        let first = self.part(format, *first)?;
        // Of a recording whose beginning must be interpreted for each part, one has to do.
        let others = if first.was_skipped || first.of <= 2 * self.wanted { others } else { &[] };
        let mut all = self.each(format, others)?;
        all.push(first);
        let sum = |of: fn(&PartSize) -> u64| all.iter().map(of).sum::<u64>();
        let (bytes, records, of) =
            (sum(|made| made.bytes), sum(|made| made.records), sum(|made| made.of));
        let size = u128::from(bytes) * u128::from(self.bytes) / u128::from(of.max(1));
        (records >= FEWEST).then_some(size as u64)
    }

    /// Several parts, at the same time if that is allowed.
    fn each(&self, format: Format, parts: &[(u64, u64)]) -> Option<Vec<PartSize>> {
        let part = |part: &(u64, u64)| self.part(format, *part).ok_or(());
        try_each("estimate", 1 + self.arguments.helpers(), parts, part).ok()
    }

    fn part(&self, format: Format, (from, to): (u64, u64)) -> Option<PartSize> {
        let folder = tempfile::tempdir().ok();
        let folder = folder.as_ref().map(|folder| folder.path());
        let (writers, size) = open_nowhere(self.arguments, format, folder)?;
        let min_resume_ns = if self.arguments.exact { 0 } else { Writers::MIN_RESUME_NS };
        let window = (Some(from), Some(to));
        let mut of = 0;
        let options = Options { min_resume_ns, window, watch: |done, _| of = done };
        let (_, summary) = run_with(self.recording, writers, options).ok()?;
        let bytes = size.load(Ordering::Relaxed) + folder.map_or(0, bytes_in);
        let (records, was_skipped) = (summary.records, summary.skipped > 0);
        Some(PartSize { bytes, records, of, was_skipped })
    }
}

/// Sizes of a part.
#[derive(Clone, Copy, Debug)]
struct PartSize {
    bytes: u64,
    /// Number of its records; below, their bytes.
    records: u64,
    of: u64,
    /// True if the records before it were not interpreted.
    was_skipped: bool,
}

/// Bytes of all files below a folder.
fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = folder.read_dir() else { return 0 };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let size = |path: &Path| path.metadata().map_or(0, |known| known.len());
    paths.map(|path| if path.is_dir() { bytes_in(&path) } else { size(&path) }).sum()
}
