//! Tracks and events as lines, of a whole run or of a window of the run.

use std::collections::HashSet;
use std::io::Write;

use ompttrace_model::{
    Blocks, Core, Counter, Definitions, Instant, LogicalThread, Mark, NameRef, Pool, RunInfo,
    Slice, ThreadRef,
};
use ompttrace_tracks::{Activities, Counts, Format, Partner, Shared, Summary, Titled};
use serde_json::json;

use crate::Error;
use crate::args::Args;
use crate::arrows::{EventFlows, tie};
use crate::category::Category;
use crate::cores::Cores;
use crate::counters::Counters;
use crate::flows::Flows;
use crate::lines::{Event, Lines};
use crate::output::Output;
use crate::process::Process;
use crate::texts::{Texts, quoted};
use crate::tracks::{Group, NewTrack, Track, made_up_thread};
use crate::windows::WindowRest;

/// Size and content of a trace that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of lines with an event, of any phase.
    pub lines: u64,
    /// Number of bytes of JSON, before any compression.
    pub bytes: u64,
    /// Number of arrows: steps and ends of flows whose beginning is in the trace.
    pub arrows: u64,
    /// Number of ends of flows whose beginning is not in the trace, or too long ago to be remembered.
    pub arrows_lost: u64,
    /// Number of events that the trace shows, by the kind of track.
    pub drawn: Counts,
}

/// A trace under way.
#[derive(Debug)]
pub(crate) struct Trace<W: Write> {
    pub(crate) lines: Lines<W>,
    texts: Texts,
    args: Args,
    process: Process,
    pub(crate) flows: Flows,
    cores: Cores,
    counters: Counters,
    /// Kernel ids of the threads so far.
    threads: HashSet<u64>,
    /// Tracks that were named already.
    named: HashSet<Track>,
    /// In a window of the run, the parts that only the trace can write that it becomes part of; else `None`.
    left: Option<WindowRest>,
    /// Buffers for the lines of windows.
    pub(crate) buffers: Pool<Vec<u8>>,
}

impl Trace<Blocks> {
    /// A trace of a window of the run.
    pub(crate) fn of_window(buffers: &Pool<Vec<u8>>) -> Self {
        let trace = Trace::new(Lines::of_window(Output::new(Blocks::new(buffers))));
        Trace { left: Some(WindowRest::default()), buffers: buffers.clone(), ..trace }
    }
}

impl<W: Write> Trace<W> {
    pub(crate) fn new(lines: Lines<W>) -> Self {
        Trace {
            lines,
            texts: Texts::default(),
            args: Args::default(),
            process: Process::default(),
            flows: Flows::default(),
            cores: Cores::default(),
            counters: Counters::default(),
            threads: HashSet::from([0]),
            named: HashSet::new(),
            left: None,
            buffers: Pool::default(),
        }
    }

    /// Names a track at its first event, so that a truncated file has the name.
    pub(crate) fn describe(&mut self, new: NewTrack) {
        if !self.named.insert(new.track.clone()) {
            return;
        }
        match &mut self.left {
            Some(left) => left.tracks.push(new),
            None => {
                self.process.name_group(&mut self.lines, new.group, &new.track);
                let name = json!({ "name": new.name });
                self.lines.metadata(&new.track, "thread_name", &name);
                if let Some(rank) = new.rank {
                    self.rank_track(&new.track, rank);
                }
            }
        }
    }

    /// Ties flows to the slice that has just begun on a track, or keeps them if this is a window.
    #[inline]
    fn tie(&mut self, track: &Track, at: u64, event_flows: EventFlows<'_>) {
        match &mut self.left {
            Some(left) => left.flows.add(self.lines.bytes(), track, at, event_flows),
            None => tie(&mut self.lines, &mut self.flows, track, at, event_flows),
        }
    }

    /// Lines of a window since the last call, their number, and the parts that are left to the whole trace.
    pub(crate) fn take_part(&mut self, next: W) -> (W, u64, WindowRest) {
        let (bytes, lines) = self.lines.take_part(next);
        (bytes, lines, self.left.as_mut().map(std::mem::take).unwrap_or_default())
    }

    /// Remaining lines of a window, and the parts that are left to the whole trace.
    pub(crate) fn into_window(self) -> (Lines<W>, WindowRest) {
        (self.lines, self.left.unwrap_or_default())
    }

    fn rank_track(&mut self, track: &Track, rank: u32) {
        self.lines.metadata(track, "thread_sort_index", &json!({ "sort_index": rank }));
    }
}

impl<W: Write> Format for Trace<W> {
    type Track = Track;
    /// A text in quotes.
    type Text = Box<[u8]>;
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.lines.start_at(run.begin);
        self.process = Process::of(run.facts);
        if self.left.is_none() {
            self.flows.set_process(self.process.pid);
            self.process.describe(&mut self.lines, run);
        }
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
        if shown && self.left.is_none() {
            let (track, name) = (track.clone(), name.to_owned());
            self.describe(NewTrack { group: Group::Process, track, name, rank: Some(at) });
        }
        track
    }

    /// Track of a thread's activities, in a group of its own: in the format a thread has one stack of slices.
    fn activities(&mut self, of: ThreadRef, name: &str) -> Track {
        let (group, name) = (Group::States, name.to_owned());
        let track = self.process.track_in(group, u64::from(of) + 1);
        self.describe(NewTrack { group, track: track.clone(), name, rank: Some(of) });
        track
    }

    fn shared(&mut self, of: Shared, name: &str, rank: Option<u32>) -> Track {
        let (process, number) = (&self.process, rank.map_or(0, u64::from) + 1);
        let (group, track) = match of {
            Shared::Level(_) => (Group::Regions, process.track_in(Group::Regions, number)),
            Shared::Lock(_) => (Group::Locks, process.track_in(Group::Locks, number)),
            Shared::Phases(_) => (Group::Phases, process.track_in(Group::Phases, number)),
            Shared::LogicalThread(_) => {
                let group = Group::LogicalThreads;
                (group, Track::of_path(group.pid(process.pid), name))
            }
        };
        self.describe(NewTrack { group, track: track.clone(), name: name.to_owned(), rank });
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
    fn begin(&mut self, track: &mut Track, at: u64, slice: Titled<&Slice<'_>>, flows: bool) {
        let Titled { title, event: slice } = slice;
        let (name, category) = (self.texts.title(title), Category::of_slice(slice.kind));
        self.lines.begin(track, at, &Event { category, name, args: self.args.text() });
        if flows {
            self.tie(track, at, EventFlows::of_slice(slice));
        }
    }

    #[inline(always)]
    fn end(&mut self, track: &mut Track, at: u64, mark: Mark) {
        self.lines.end(track, at, mark);
    }

    /// Writes an instant. Flows can be tied to slices only, so an instant with flows is written as a slice without
    /// length, which Perfetto's tables do not distinguish from an instant.
    #[inline(always)]
    fn instant(&mut self, track: &mut Track, at: u64, instant: Titled<&Instant<'_>>, flows: bool) {
        let Titled { title, event: instant } = instant;
        let (name, category) = (self.texts.title(title), Category::of_instant(instant.kind));
        let event = Event { category, name, args: self.args.text() };
        match Some(EventFlows::of_instant(instant))
            .filter(|event_flows| flows && !event_flows.is_empty())
        {
            None => self.lines.instant(track, at, &event),
            Some(event_flows) => {
                self.lines.begin(track, at, &event);
                self.tie(track, at, event_flows);
                self.lines.end(track, at, Mark::Observed);
            }
        }
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
        match &mut self.left {
            Some(left) => left.changes.push((at, thread, core)),
            None => self.cores.change(&mut self.lines, &mut self.process, (at, thread, core)),
        }
    }

    fn remark_loss(&mut self, at: u64, text: &str) {
        let name = quoted(text);
        let event = Event { category: Category::Tool, name: &name, args: &[] };
        self.lines.process_instant(&self.process.track(), at, &event);
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
