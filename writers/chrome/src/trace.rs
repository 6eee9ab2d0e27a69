//! Tracks and events as lines.

use std::collections::HashSet;
use std::io::Write;

use ompttrace_model::{
    Core, Counter, Definitions, Instant, LogicalThread, Mark, NameRef, RunInfo, Slice, ThreadRef,
};
use ompttrace_tracks::{Activities, Counts, Format, Partner, Shared, Summary};
use serde_json::json;

use crate::Error;
use crate::args::Args;
use crate::arrows::{self, Named, tie};
use crate::category::Category;
use crate::cores::Cores;
use crate::counters::Counters;
use crate::flows::Flows;
use crate::lines::{Event, Lines};
use crate::output::Output;
use crate::process::Process;
use crate::texts::{Texts, quoted};
use crate::tracks::{Group, Track, made_up_thread};

/// What was written to a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Lines with an event, of whatever phase.
    pub lines: u64,
    /// Bytes of JSON, before any compression.
    pub bytes: u64,
    /// Arrows: steps and ends of flows whose beginning is in the trace.
    pub arrows: u64,
    /// Ends of flows whose beginning is not in the trace, or too long ago to be remembered.
    pub arrows_lost: u64,
    /// What they show.
    pub drawn: Counts,
}

/// A trace under way.
#[derive(Debug)]
pub(crate) struct Trace<W: Write> {
    lines: Lines<W>,
    texts: Texts,
    args: Args,
    process: Process,
    flows: Flows,
    cores: Cores,
    counters: Counters,
    /// Kernel ids of threads so far.
    threads: HashSet<u64>,
    /// Tracks of levels so far.
    levels: u64,
}

impl<W: Write> Trace<W> {
    pub(crate) fn new(output: Output<W>) -> Self {
        Trace {
            lines: Lines::new(output),
            texts: Texts::default(),
            args: Args::default(),
            process: Process::default(),
            flows: Flows::default(),
            cores: Cores::default(),
            counters: Counters::default(),
            threads: HashSet::from([0]),
            levels: 0,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        Ok(self.lines.check()?)
    }

    fn name_track(&mut self, track: &Track, name: &str) {
        self.lines.metadata(track.pid, track.tid, "thread_name", &json!({ "name": name }));
    }

    fn rank_track(&mut self, track: &Track, rank: u32) {
        let rank = json!({ "sort_index": rank });
        self.lines.metadata(track.pid, track.tid, "thread_sort_index", &rank);
    }
}

impl<W: Write> Format for Trace<W> {
    type Track = Track;
    /// In quotes.
    type Text = Box<[u8]>;
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.lines.start_at(run.begin);
        self.process = Process::of(run.facts);
        self.flows.set_process(self.process.pid);
        self.process.describe(&mut self.lines, run);
        self.cores = Cores::new(run);
        self.counters = Counters::new(run);
    }

    fn define(&mut self, definitions: &Definitions) {
        self.texts.define(definitions);
    }

    fn title(&mut self, title: &str) {
        self.texts.add_title(title);
    }

    fn text(&mut self, text: &str) -> Box<[u8]> {
        quoted(text)
    }

    fn thread(&mut self, run: &RunInfo<'_>, at: ThreadRef, name: &str, shown: bool) -> Track {
        let mut tid = run.threads.get(at as usize).map_or(0, |thread| u64::from(thread.os_thread));
        if !self.threads.insert(tid) {
            // To the format two threads with one id are one.
            tid = made_up_thread(at);
        }
        let track = Track::new(self.process.pid, tid);
        if shown {
            self.name_track(&track, name);
            self.rank_track(&track, at);
        }
        track
    }

    /// In a group of its own: to the format a thread has one stack.
    fn activities(&mut self, of: ThreadRef, name: &str) -> Track {
        let number = u64::from(of) + 1;
        self.process.name_group(&mut self.lines, Group::States, number);
        let track = Track::new(Group::States.pid(self.process.pid), number);
        self.name_track(&track, name);
        self.rank_track(&track, of);
        track
    }

    /// A track is named at its first event, so that a file that was cut off has the name.
    fn shared(&mut self, of: Shared, name: &str, rank: Option<u32>) -> Track {
        let (group, number) = match of {
            Shared::Level(_) => {
                self.levels += 1;
                (Group::Regions, self.levels)
            }
            Shared::LogicalThread(thread) => (Group::LogicalThreads, u64::from(thread) + 1),
            Shared::Lock(lock) => (Group::Locks, u64::from(lock) + 1),
        };
        self.process.name_group(&mut self.lines, group, number);
        let track = Track::new(group.pid(self.process.pid), number);
        self.name_track(&track, name);
        if let Some(rank) = rank {
            self.rank_track(&track, rank);
        }
        track
    }

    fn counter(&mut self, _: Counter) -> Track {
        self.process.track()
    }

    fn set_rank(&mut self, _: &LogicalThread, track: &Track, rank: u32) {
        self.rank_track(track, rank);
    }

    #[inline(always)]
    fn take_slice(&mut self, slice: &Slice<'_>) {
        self.args.take_slice(&self.texts, slice);
    }

    #[inline(always)]
    fn take_instant(&mut self, instant: &Instant<'_>) {
        self.args.take_instant(&self.texts, instant);
    }

    #[inline(always)]
    fn set_partner(&mut self, partner: Option<(Partner, &Box<[u8]>)>) {
        self.args.set_partner(partner.map(|(partner, text)| (partner.key(), &text[..])));
    }

    fn add_partner(&mut self, partner: Partner, text: &Box<[u8]>) {
        self.args.add(partner.key(), text);
    }

    #[inline(always)]
    fn begin(&mut self, track: &mut Track, at: u64, slice: &Slice<'_>, flows: bool) {
        let (name, category) = (self.texts.title(slice.name), Category::of_slice(slice.kind));
        self.lines.begin(track, at, &Event { category, name, args: self.args.text() });
        if flows {
            tie(&mut self.lines, &mut self.flows, track, at, Named::of_slice(slice));
        }
    }

    #[inline(always)]
    fn end(&mut self, track: &mut Track, at: u64, mark: Mark) {
        self.lines.end(track, at, mark);
    }

    #[inline(always)]
    fn instant(&mut self, track: &mut Track, at: u64, instant: &Instant<'_>, flows: bool) {
        let (name, category) = (self.texts.title(instant.name), Category::of_instant(instant.kind));
        let event = Event { category, name, args: self.args.text() };
        let named = flows.then(|| Named::of_instant(instant));
        arrows::instant(&mut self.lines, &mut self.flows, track, at, &event, named);
    }

    fn summary(&mut self, track: &mut Track, summary: &Summary<'_>) {
        self.args.take_summary(&self.texts, summary);
        let name = self.texts.summary(summary);
        let event = Event { category: Category::Summary, name: &name, args: self.args.text() };
        self.lines.begin(track, summary.from, &event);
        self.lines.end(track, summary.to, Mark::Observed);
    }

    fn activity(&mut self, track: &mut Track, part: &Activities) {
        let title = quoted(&part.title());
        let (category, name) = match part.only() {
            Some(activity) => (Category::State, self.texts.title(activity as NameRef)),
            None => (Category::StateSummary, &title[..]),
        };
        self.args.take_activities(part);
        self.lines.begin(track, part.from, &Event { category, name, args: self.args.text() });
        self.lines.end(track, part.to, Mark::Observed);
    }

    fn value(&mut self, track: &mut Track, at: u64, counter: Counter, value: i64) {
        self.lines.counter(
            track,
            at,
            self.counters.names(counter),
            itoa::Buffer::new().format(value),
        );
    }

    fn mean(&mut self, track: &mut Track, at: u64, counter: Counter, value: f64) {
        self.lines.counter(track, at, self.counters.names(counter), &value.to_string());
    }

    fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        self.cores.change(&mut self.lines, &mut self.process, (at, thread, core));
    }

    fn remark_loss(&mut self, at: u64, text: &str) {
        let name = quoted(text);
        let event = Event { category: Category::Tool, name: &name, args: &[] };
        self.lines.remark(&self.process.track(), at, &event);
    }

    fn bytes(&self) -> u64 {
        self.lines.bytes()
    }

    fn finish(mut self, drawn: Counts) -> Result<Written, Error> {
        self.cores.finish(&mut self.lines);
        let (arrows, arrows_lost) = (self.flows.arrows, self.flows.lost);
        let (lines, bytes) = self.lines.finish()?;
        Ok(Written { lines, bytes, arrows, arrows_lost, drawn })
    }
}
