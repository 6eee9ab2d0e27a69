//! The runs of one device thread as one stream of records, on the host's clock, with a window of each in memory.

use super::clock::Clock;
use super::runs::{HEAD, SortedRun};
use ompttrace_recording::events::{DeviceNative, EventCode, Lost, Scope, loss};
use ompttrace_recording::reader::RecordBlocks;
use ompttrace_recording::words;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Words of a chunk.
const CHUNK: usize = 32 << 10;
/// Half of how far a record's time may be from its chunk's.
const FAR: u64 = 1 << 54;

/// Records of a device thread, by time.
#[derive(Debug)]
pub(super) struct Merged {
    clock: Arc<Clock>,
    runs: Vec<Reader>,
    /// The next time of each run.
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    /// Entries of runs of which nothing could be read.
    missing: u64,
}

impl Merged {
    /// A merge of runs, with `window` words of each in memory at a time.
    pub(super) fn new(clock: Arc<Clock>, runs: &[SortedRun], window: usize) -> Merged {
        let mut runs: Vec<_> = runs.iter().map(|run| Reader::new(run.clone(), window)).collect();
        let times = runs.iter_mut().enumerate();
        let heap: BinaryHeap<_> =
            times.filter_map(|(at, run)| Some(Reverse((run.time()?, at)))).collect();
        let read = |at: usize| heap.iter().any(|Reverse((_, known))| *known == at);
        let unread = runs.iter().enumerate().filter(|(at, _)| !read(*at));
        let missing = unread.map(|(_, run)| run.left).sum();
        Merged { clock, runs, heap, missing }
    }
}

impl RecordBlocks for Merged {
    fn next(&mut self, words: &mut Vec<u64>) -> Option<u64> {
        let mut near = None;
        if self.missing > 0 {
            let first = self.heap.peek().map_or(0, |Reverse((time, _))| *time);
            let ticks = *near.insert(self.clock.ticks(first));
            report_missing(words, std::mem::take(&mut self.missing), ticks);
        }
        while words.len() < CHUNK
            && let Some(Reverse((time, at))) = self.heap.peek().copied()
        {
            let ticks = self.clock.ticks(time);
            if ticks.abs_diff(*near.get_or_insert(ticks)) > FAR {
                break;
            }
            self.heap.pop();
            let Some(run) = self.runs.get_mut(at) else { continue };
            append(words, run.take(), ticks);
            match run.time() {
                Some(time) => self.heap.push(Reverse((time, at))),
                None => report_missing(words, run.left, ticks),
            }
        }
        near
    }
}

/// Appends an entry's records with their time.
fn append(to: &mut Vec<u64>, mut entry: &[u64], ticks: u64) {
    while let [header, ..] = entry {
        let code = EventCode(words::header_code(*header));
        let Some((record, rest)) = entry.split_at_checked(code.words().max(1)) else { return };
        to.push(words::header(ticks, code.0));
        to.extend(record.iter().skip(1));
        entry = rest;
    }
}

/// A run whose file could not be read to its end.
fn report_missing(to: &mut Vec<u64>, count: u64, ticks: u64) {
    if count > 0 {
        let lost = Lost { event: DeviceNative::NUMBER.into(), reason: loss::UNREPORTED, count };
        to.push(words::header(ticks, EventCode::new(Lost::NUMBER, Scope::None).0));
        to.extend(lost.words());
    }
}

/// A run from its beginning on.
#[derive(Debug)]
struct Reader {
    run: SortedRun,
    /// Words of a file that are in memory, and the position of the next entry in them.
    words: Vec<u64>,
    at: usize,
    window: usize,
    /// Entries of a file that were not read.
    left: u64,
}

impl Reader {
    fn new(run: SortedRun, window: usize) -> Reader {
        let left = if let SortedRun::File { entries, .. } = &run { *entries } else { 0 };
        Reader { run, words: Vec::new(), at: 0, window, left }
    }

    /// Words in memory, from the next entry on.
    fn rest(&self) -> &[u64] {
        let words = if let SortedRun::Memory(words) = &self.run { words } else { &self.words[..] };
        words.get(self.at..).unwrap_or_default()
    }

    /// The next entry's time; the entry is in memory then.
    fn time(&mut self) -> Option<u64> {
        loop {
            let needed = match self.rest() {
                [time, count, words @ ..] if words.len() >= *count as usize => return Some(*time),
                [_, count, ..] => HEAD + *count as usize,
                _ => HEAD,
            };
            if !self.load(needed) {
                return None;
            }
        }
    }

    /// The words of the entry that [`Reader::time`] has found.
    fn take(&mut self) -> &[u64] {
        let (from, count) = (self.at + HEAD, self.rest().get(1).map_or(0, |count| *count as usize));
        self.at = from + count;
        self.left = self.left.saturating_sub(1);
        let words = if let SortedRun::Memory(words) = &self.run { words } else { &self.words[..] };
        words.get(from..from + count).unwrap_or_default()
    }

    /// Brings the next words into memory, so that from the next entry on there are as many as are needed.
    fn load(&mut self, needed: usize) -> bool {
        let SortedRun::File { file, from, to, .. } = &mut self.run else { return false };
        self.words.drain(..self.at);
        self.at = 0;
        let wanted = 8 * needed.max(self.window).saturating_sub(self.words.len()) as u64;
        let mut bytes = vec![0; wanted.min(*to - *from) as usize];
        if bytes.is_empty() || file.read_exact_at(&mut bytes, *from).is_err() {
            return false;
        }
        *from += bytes.len() as u64;
        let (words, _) = bytes.as_chunks::<8>();
        self.words.extend(words.iter().map(|word| u64::from_ne_bytes(*word)));
        true
    }
}
