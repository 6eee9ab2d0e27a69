//! Timeline of the page: the states of each thread over the run, in a bounded number of bins. It is computed from the
//! journal, so that its sums are the report's.

use crate::journal::{Edges, Entry, Part};
use crate::marks::{Collector, Marks, Run};
use crate::model::Report;
use crate::sink::ReportSink;
use crate::state::State;
use crate::unread::share;
use ompttrace_model::{
    Definitions, Event, RunInfo, Sink, Summary, Takes, ThreadInfo, ThreadRef, thread_name,
};
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// Tracks at most: the last one has all further threads.
const MOST_TRACKS: usize = 128;
/// Bins of all tracks together, and of each, at most.
const MOST_BINS: usize = 8192;
const MOST_OF_A_TRACK: usize = 1024;
/// Entries that are taken from the journal at a time.
const BATCH: usize = 4096;

/// Time by state in one bin, nanoseconds.
type Bin = [u64; State::COUNT];

/// The timeline of a run.
#[derive(Debug, Default)]
pub struct Strip {
    /// Begin of the run, in CLOCK_MONOTONIC nanoseconds.
    begin: u64,
    /// Length of a bin, in nanoseconds.
    pub width: u64,
    /// Number of bins of each track.
    pub bins: usize,
    /// Tracks in the order in which their threads were seen first.
    pub tracks: Vec<Track>,
    /// Times of the run that deserve a look first.
    pub marks: Marks,
    most_tracks: usize,
    of_thread: FxHashMap<ThreadRef, usize>,
}

/// A thread, or all those that have no track of their own.
#[derive(Debug)]
pub struct Track {
    /// Our numbers of the threads on this track: one, except on the last track, which has all threads without one of their own.
    pub threads: Vec<u32>,
    bins: Vec<Bin>,
    /// The bin up to which the kernel's accounting was read, and that of the last part of time.
    read: usize,
    last: usize,
}

impl Strip {
    /// Of so many threads, from begin to end.
    fn start(&mut self, threads: usize, (begin, end): (u64, u64)) {
        let wanted = threads.clamp(1, MOST_TRACKS);
        self.most_tracks = wanted;
        self.bins = (MOST_BINS / wanted).min(MOST_OF_A_TRACK);
        self.begin = begin;
        self.width = end.saturating_sub(begin).div_ceil(self.bins as u64).max(1);
    }

    /// A thread's track, by position.
    fn track(&mut self, thread: ThreadRef, number: impl FnOnce() -> u32) -> Option<&mut Track> {
        let (bins, most) = (self.bins, self.most_tracks);
        let tracks = &mut self.tracks;
        let at = *self.of_thread.entry(thread).or_insert_with(|| {
            if tracks.len() < most {
                let bins = vec![[0; State::COUNT]; bins];
                tracks.push(Track { threads: Vec::new(), bins, read: 0, last: 0 });
            }
            let at = tracks.len().saturating_sub(1);
            if let Some(track) = tracks.get_mut(at) {
                track.threads.push(number());
                // What is unread of the new one may lie before what was read of another.
                track.read = 0;
            }
            at
        });
        tracks.get_mut(at)
    }

    fn take(&mut self, entry: &Entry, numbers: &[u32]) {
        let number = |thread: ThreadRef| numbers.get(thread as usize).copied().unwrap_or(thread);
        match *entry {
            Entry::Part(part) => self.add(&part, || number(part.thread)),
            Entry::Moved { thread, from, to, nanoseconds, .. } => {
                if let Some(track) = self.track(thread, || number(thread)) {
                    track.shift(from, to, nanoseconds);
                }
            }
            Entry::Read(thread) => {
                if let Some(track) = self.track(thread, || number(thread)) {
                    // Of a track with several threads another one may be behind.
                    track.read = if track.threads.len() > 1 { 0 } else { track.last };
                }
            }
            _ => {}
        }
    }

    /// Divides a part among the bins that it lies in; time after the last bin counts there.
    fn add(&mut self, part: &Part, number: impl FnOnce() -> u32) {
        let (begin, width, last) = (self.begin, self.width, self.bins.saturating_sub(1));
        let Some(track) = self.track(part.thread, number) else { return };
        let bin_of = |at: u64| (((at.saturating_sub(begin)) / width) as usize).min(last);
        let (mut from, end) = (part.begin, bin_of(part.end.saturating_sub(1)));
        for at in bin_of(part.begin)..=end {
            let edge = begin.saturating_add(width.saturating_mul(at as u64 + 1));
            let to = if at == end { part.end } else { edge.clamp(from, part.end) };
            if let Some(bin) = track.bins.get_mut(at) {
                bin[part.state as usize] += to.saturating_sub(from);
            }
            from = to;
        }
        track.last = track.last.max(end);
    }
}

impl Track {
    /// Moves time since the last reading of the kernel's accounting to another state: an equal share of each bin.
    fn shift(&mut self, from: State, to: State, nanoseconds: u64) {
        let (from, to) = (from as usize, to as usize);
        let bins = self.bins.get_mut(self.read..=self.last).unwrap_or_default();
        let mut rest: u64 = bins.iter().map(|bin| bin[from]).sum();
        let mut left = nanoseconds.min(rest);
        for bin in bins {
            let part = share(left, bin[from], rest);
            (rest, left) = (rest - bin[from], left - part);
            bin[from] -= part;
            bin[to] += part;
        }
    }

    /// The time in a state of each bin: runs of bins that have the same, as first bin, number of bins and nanoseconds.
    pub fn times(&self, state: State) -> Vec<[u64; 3]> {
        let mut runs: Vec<[u64; 3]> = Vec::new();
        for (at, bin) in self.bins.iter().enumerate() {
            let (at, time) = (at as u64, bin[state as usize]);
            match runs.last_mut() {
                _ if time == 0 => {}
                Some([first, count, same]) if *same == time && *first + *count == at => *count += 1,
                _ => runs.push([at, 1, time]),
            }
        }
        runs
    }
}

/// A report and the timeline that belongs to it, in one pass.
pub struct StripSink {
    report: ReportSink,
    numbers: Vec<u32>,
    entries: Vec<Entry>,
    strip: Strip,
    collector: Collector,
}

impl StripSink {
    /// Adds a timeline to a report.
    pub fn new(report: ReportSink) -> StripSink {
        let report = report.with_journal(Edges { next: 0, distance: 1, left: 0 });
        let (numbers, entries, strip, collector) = Default::default();
        StripSink { report, numbers, entries, strip, collector }
    }

    #[cold]
    fn take(&mut self) {
        let empty = std::mem::take(&mut self.entries);
        self.entries = self.report.take_journal(empty);
        for entry in &self.entries {
            self.strip.take(entry, &self.numbers);
            self.collector.take(entry);
        }
        self.entries.clear();
    }
}

impl Sink for StripSink {
    type Output = (Report, Strip);
    type Error = Infallible;

    const MIN_RESUME_NS: u64 = ReportSink::MIN_RESUME_NS;
    const TAKES: Takes = ReportSink::TAKES;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.numbers = run.threads.iter().map(|thread| thread.number).collect();
        self.report.start(run);
        self.strip.start(run.threads.len(), (self.report.begin, self.report.end));
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.report.event(definitions, at, event);
        self.collector.event(definitions, self.report.bounded(at), event);
        if self.report.journal_length() >= BATCH {
            self.take();
        }
    }

    fn finish(
        mut self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<(Report, Strip), Infallible> {
        self.report.settle_all(definitions);
        self.take();
        let path = self.report.end_of_path();
        let (begin, end) = (self.report.begin, self.report.end);
        let named = |info: &ThreadInfo| thread_name(&self.report.facts, info);
        let threads: Vec<_> = self.report.infos.iter().map(named).collect();
        let report = self.report.finish(definitions, summary)?;
        let run = Run { begin, end, threads: &threads, path };
        self.strip.marks = self.collector.marks(&report, &run);
        Ok((report, self.strip))
    }
}
