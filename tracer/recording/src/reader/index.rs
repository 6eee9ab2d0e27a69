//! Finds the fragments of a run folder and sorts them by thread, chunk and offset.

use super::elsewhere::Elsewhere;
use super::pool_file::{BlockContent, Pool};
use super::shorter::{Shorter, shorter};
use super::{RecordingError, open, scan};
use crate::events::Lost;
use crate::facts::{ClockPair, Facts};
use crate::fragment::{CORE_STREAM, FragmentHeader, HEADER_BYTES, SAMPLE_STREAM};
use crate::{EventCode, folder};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// The position of a fragment's records: file, offset in the file, and chunk.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    pub(super) file: usize,
    pub(super) at: u64,
    pub(super) chunk: u64,
    pub(super) offset: u32,
    pub(super) bytes: u32,
    pub(super) ticks: u64,
}

/// One thread's fragments, in order and without the parts that others repeat.
#[derive(Debug, Default)]
pub struct ThreadIndex {
    /// Our number of the thread.
    pub number: u32,
    /// The kernel's id of the thread.
    pub os_thread: u32,
    /// Clock pairs found on the way, first and last.
    pub clock: Option<(ClockPair, ClockPair)>,
    pub(super) fragments: Vec<Fragment>,
    pub(super) unreported: Unreported,
    pub(super) elsewhere: Elsewhere,
}

/// Losses that a killed thread could not report any more: a reader gets them as its last records.
#[derive(Clone, Debug, Default)]
pub(super) struct Unreported {
    /// A time before which the losses did not happen, in ticks.
    pub(super) ticks: u64,
    pub(super) lost: Vec<(EventCode, u64)>,
}

impl ThreadIndex {
    /// A thread whose records are in no fragments.
    pub fn elsewhere(
        (number, os_thread): (u32, u32),
        clock: Option<(ClockPair, ClockPair)>,
        elsewhere: Elsewhere,
    ) -> ThreadIndex {
        ThreadIndex { number, os_thread, clock, elsewhere, ..ThreadIndex::default() }
    }

    /// Bytes of the thread's records.
    pub fn bytes(&self) -> u64 {
        let of_fragments = self.fragments.iter().map(|fragment| u64::from(fragment.bytes));
        let unreported = (8 * Lost::WORDS * self.unreported.lost.len()) as u64;
        self.elsewhere.bytes.saturating_add(of_fragments.sum()).saturating_add(unreported)
    }

    /// Start time and size of each part of at most `most` bytes of records: in a fragment they are taken to be evenly
    /// distributed. `last` is the time of the last record.
    pub(super) fn parts(&self, most: u64, last: u64) -> impl Iterator<Item = (u64, u64)> {
        let ends = self.fragments.iter().skip(1).map(|next| next.ticks).chain([last]);
        self.fragments.iter().zip(ends).flat_map(move |(fragment, end)| {
            let bytes = u64::from(fragment.bytes);
            let count = bytes.div_ceil(most.max(1)).max(1);
            let time = u128::from(end.saturating_sub(fragment.ticks));
            let at =
                move |part| fragment.ticks + (time * u128::from(part) / u128::from(count)) as u64;
            (0..count).map(move |part| (at(part), bytes / count))
        })
    }

    /// The last fragment, and those before it as long as a record may continue from one to the next.
    pub(super) fn last_whole(&self) -> &[Fragment] {
        let goes_on = |pair: &[Fragment]| match pair {
            [one, next] => {
                one.chunk == next.chunk && one.offset.saturating_add(one.bytes) == next.offset
            }
            _ => false,
        };
        let begin = self.fragments.windows(2).rposition(|pair| !goes_on(pair));
        self.fragments.get(begin.map_or(0, |before| before + 1)..).unwrap_or_default()
    }
}

/// The streams of all threads, each kind by number of the thread.
#[derive(Debug, Default)]
pub struct Streams {
    /// The threads' own records.
    pub threads: Vec<ThreadIndex>,
    /// The times at which a thread had a core, of the threads that recorded them.
    pub cores: Vec<ThreadIndex>,
    /// Samples, of threads that have some.
    pub samples: Vec<ThreadIndex>,
}

/// Damage of a run folder: the data that could not be read, in bytes or as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Bytes in event files that belong to no sound fragment.
    pub unreadable: u64,
    /// Fragments that a killed writer did not finish.
    pub torn: u64,
    /// Bytes missing between the fragments of one chunk, or that files lack of what was written to them
    /// ([`super::Recording::shorter`]), whichever is more.
    pub missing: u64,
    /// True where event files lack some of what was written to them; bytes that are missing otherwise were lost and counted.
    pub short: bool,
    /// Chunks that are nowhere, of a run that was not closed or had lost nothing when it was.
    pub gaps: u64,
    /// Bytes of records taken from the pool because no file had them.
    pub from_pool: u64,
    /// True if the pool is gone with the records that no file had ([`super::Recording::missing`]).
    pub pool_missing: bool,
    /// True if the file with the pool's name is not this run's pool, and was not read.
    pub pool_refused: bool,
}

#[derive(Default)]
pub(super) struct Index {
    files: Vec<File>,
    /// Position of the pool in `files`.
    pool: Option<usize>,
    /// The session of the event files.
    session: Option<u32>,
    threads: BTreeMap<u32, ThreadIndex>,
    /// The core streams, by number of the thread.
    cores: BTreeMap<u32, ThreadIndex>,
    /// The sample streams, by number of the thread.
    samples: BTreeMap<u32, ThreadIndex>,
    damage: Damage,
    /// Bytes of the fragments' areas in each event file.
    areas: BTreeMap<String, u64>,
    /// Bytes that event files lack of what was written to them.
    short: u64,
    /// The last sign of life of the process, which the pool has: [`super::Recording::last_sign`].
    pub(super) seen: Option<u64>,
}

impl Index {
    pub(super) fn add_event_files(&mut self, run: &Path) -> Result<(), RecordingError> {
        for number in 0..folder::STRIPES {
            let name = format!("{}{number}", folder::EVENTS);
            let path = run.join(&name);
            match open::regular(&path) {
                Ok(file) => {
                    let areas =
                        self.scan(&file).map_err(|error| RecordingError::io(&path, error))?;
                    self.areas.insert(name, areas);
                    self.files.push(file);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(RecordingError::io(&path, error)),
            }
        }
        Ok(())
    }

    /// The event files that hold less than was written to them; what they lack is damage.
    pub(super) fn compare(&mut self, facts: &Facts) -> Vec<Shorter> {
        let found = |name: &str| {
            let is_of_events = name.starts_with(folder::EVENTS);
            is_of_events.then(|| self.areas.get(name).copied().unwrap_or(0))
        };
        let shorter = shorter(facts, found);
        self.short = shorter.iter().map(|file| file.written - file.found).sum();
        shorter
    }

    /// Walks the fragments of one event file; bytes that are none are skipped and counted. Returns the bytes of the fragments'
    /// areas.
    fn scan(&mut self, file: &File) -> io::Result<u64> {
        let length = file.metadata()?.len();
        let (mut at, mut areas) = (0, 0);
        while at < length {
            let Some((header, area)) = scan::header_at(file, at)? else {
                let next = scan::next_header(file, at + 1, length)?;
                self.damage.unreadable += scan::last_written(file, at, next)? - at;
                at = next;
                continue;
            };
            let found = scan::extent(file, at, (header, area), length)?;
            self.damage.torn += u64::from(found.torn);
            self.session = Some(header.session);
            self.add(self.files.len(), at + HEADER_BYTES as u64, header, found.bytes);
            areas += found.next - at;
            at = found.next;
        }
        Ok(areas)
    }

    /// Adds the committed records in the slots of a run that did not close its pool.
    pub(super) fn add_pool(&mut self, run: &Path, facts: &Facts) -> Result<(), RecordingError> {
        match Pool::of(run, facts)? {
            Pool::Found(pool) if self.has_session(pool.session()) => {
                let blocks =
                    pool.blocks().map_err(|error| RecordingError::io(&pool.path, error))?;
                for reported in &blocks {
                    for (header, at) in &reported.fragments {
                        self.add(self.files.len(), *at, *header, u64::from(header.bytes));
                    }
                    self.add_unreported(reported);
                }
                self.add_lost_one_by_one(pool.lost());
                self.seen = pool.seen();
                self.pool = Some(self.files.len());
                self.files.push(pool.file);
            }
            Pool::Found(_) | Pool::Refused => self.damage.pool_refused = true,
            Pool::Missing => self.damage.pool_missing = true,
            Pool::None => {}
        }
        Ok(())
    }

    /// Returns true if the event files are of that session, or of an unknown one.
    fn has_session(&self, session: u64) -> bool {
        self.session.is_none_or(|known| u64::from(known) == session)
    }

    fn add(&mut self, file: usize, at: u64, header: FragmentHeader, bytes: u64) {
        let number = header.thread & !(CORE_STREAM | SAMPLE_STREAM);
        let threads = match header.thread {
            stream if stream & CORE_STREAM != 0 => &mut self.cores,
            stream if stream & SAMPLE_STREAM != 0 => &mut self.samples,
            _ => &mut self.threads,
        };
        let thread = threads.entry(number).or_default();
        thread.number = number;
        thread.os_thread = header.os_thread;
        let pair = ClockPair { ticks: header.ticks, monotonic: header.monotonic };
        let (first, last) = thread.clock.get_or_insert((pair, pair));
        if pair.monotonic < first.monotonic {
            *first = pair;
        }
        if pair.monotonic > last.monotonic {
            *last = pair;
        }
        thread.fragments.push(Fragment {
            file,
            at,
            chunk: header.chunk,
            offset: header.offset,
            bytes: (bytes & !7) as u32,
            ticks: header.ticks,
        });
    }

    fn add_unreported(&mut self, block: &BlockContent) {
        if block.lost.is_empty() {
            return;
        }
        let thread = self.threads.entry(block.thread).or_default();
        (thread.number, thread.os_thread) = (block.thread, block.os_thread);
        thread.unreported.ticks = thread.unreported.ticks.max(block.ticks);
        thread.unreported.lost.extend_from_slice(&block.lost);
    }

    /// The threads of single losses are unknown: the first thread reports them.
    fn add_lost_one_by_one(&mut self, lost: Vec<(EventCode, u64)>) {
        if !lost.is_empty() {
            let first = self.threads.keys().next().copied().unwrap_or(0);
            self.threads.entry(first).or_default().unreported.lost.extend(lost);
        }
    }

    pub(super) fn finish(mut self) -> (Vec<File>, Streams, Damage) {
        let mut streams = Streams {
            threads: self.threads.into_values().collect(),
            cores: self.cores.into_values().collect(),
            samples: self.samples.into_values().collect(),
        };
        let beside = streams.cores.iter_mut().chain(&mut streams.samples);
        for thread in streams.threads.iter_mut().chain(beside) {
            // Files come before the pool, so that only what they lack is taken from it.
            thread.fragments.sort_by_key(|f| (f.chunk, f.offset, f.file));
            self.damage.missing += drop_repeats(&mut thread.fragments);
            thread.fragments.shrink_to_fit();
        }
        // The same bytes may be missing between fragments.
        self.damage.missing = self.damage.missing.max(self.short);
        self.damage.short = self.short > 0;
        self.damage.from_pool = from_pool(&streams.threads, self.pool);
        (self.files, streams, self.damage)
    }
}

/// Cuts from each fragment the bytes that earlier ones of its chunk have; returns the number of bytes that none has.
fn drop_repeats(fragments: &mut Vec<Fragment>) -> u64 {
    let (mut chunk, mut covered, mut missing) = (0, 0, 0);
    fragments.retain_mut(|fragment| {
        if fragment.chunk != chunk {
            (chunk, covered) = (fragment.chunk, 0);
        }
        let offset = u64::from(fragment.offset);
        let end = offset + u64::from(fragment.bytes);
        missing += offset.saturating_sub(covered);
        // Not more than the fragment's bytes, which are 32 bits.
        let repeated = covered.saturating_sub(offset).min(u64::from(fragment.bytes)) as u32;
        fragment.at += u64::from(repeated);
        fragment.offset += repeated;
        fragment.bytes -= repeated;
        covered = covered.max(end);
        fragment.bytes > 0
    });
    missing
}

/// Bytes that came from the pool, the file with that index.
fn from_pool(threads: &[ThreadIndex], pool: Option<usize>) -> u64 {
    let fragments = threads.iter().flat_map(|thread| &thread.fragments);
    fragments.filter(|f| Some(f.file) == pool).map(|f| u64::from(f.bytes)).sum()
}
