//! The writer proper: receives a timeline and decides what becomes a line, and on which track.
//!
//! Never here: an allocation, a look-up by text or a `dyn` call for a plain event.

use std::io::Write;

use ompttrace_model::{
    Counter, Definitions, Event, Instant, InstantKind, LockRef, Mark, Place, RegionRow, RunInfo,
    Sink, Slice, SliceKind, Summary, View,
};

use crate::Error;
use crate::args::Args;
use crate::category::Category;
use crate::cores::Cores;
use crate::flows::Flows;
use crate::lanes::Lanes;
use crate::lines::{self, Lines};
use crate::output::Output;
use crate::process::Process;
use crate::shared::{Shared, counter_names};
use crate::tell::{Named, tie};
use crate::texts::Texts;
use crate::threads::Threads;
use crate::tracks::Track;
use crate::written::Written;

/// Writes a timeline as a trace in Chrome's JSON format.
#[derive(Debug)]
pub struct ChromeSink<W: Write> {
    pub(crate) lines: Lines<W>,
    pub(crate) texts: Texts,
    pub(crate) args: Args,
    pub(crate) view: View,
    pub(crate) process: Process,
    pub(crate) threads: Threads,
    pub(crate) lanes: Lanes,
    pub(crate) flows: Flows,
    pub(crate) written: Written,
    /// Time of the run's last record.
    pub(crate) end: u64,
    shared: Shared,
    cores: Cores,
    /// Where counters stand.
    counters: Option<Track>,
    told_loss: bool,
    /// How much was defined at the last event.
    defined: usize,
}

impl<W: Write> ChromeSink<W> {
    /// An empty trace. Blocks of some 256 KiB go to `writer`, which needs no buffer of its own.
    pub fn new(writer: W, view: View) -> Self {
        Self::with(Output::plain(writer), view)
    }

    /// The same, compressed: viewers open `.json.gz` as it is.
    pub fn gzip(writer: W, view: View) -> Self {
        Self::with(Output::gzip(writer), view)
    }

    fn with(output: Output<W>, view: View) -> Self {
        ChromeSink {
            lines: Lines::new(output),
            texts: Texts::default(),
            args: Args::default(),
            view,
            process: Process::default(),
            threads: Threads::default(),
            lanes: Lanes::default(),
            flows: Flows::default(),
            written: Written::default(),
            end: 0,
            shared: Shared::default(),
            cores: Cores::default(),
            counters: None,
            told_loss: false,
            defined: 0,
        }
    }

    /// Fails where the writer did not take our bytes: to give up early in a long export.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.lines.check()?)
    }

    #[inline]
    fn begin(&mut self, at: u64, place: Place, slice: &Slice<'_>) {
        self.args.take_slice(&self.texts, slice);
        let serves = matches!(slice.kind, SliceKind::ImplicitTask | SliceKind::InitialTask);
        let flows_told = self.begin_on_thread(at, place, slice, serves);
        self.begin_on_lane(at, place, slice, serves, flows_told);
    }

    #[inline]
    fn end(&mut self, at: u64, place: Place, mark: Mark) {
        self.end_on_thread(at, place, mark);
        self.end_on_lane(at, place, mark);
    }

    #[inline]
    fn instant(&mut self, at: u64, place: Place, instant: &Instant<'_>) {
        self.args.take_instant(&self.texts, instant);
        let on_thread = self.instant_on_thread(at, place, instant);
        let on_lane = self.instant_on_lane(at, place, instant, on_thread);
        self.told_loss |= instant.kind == InstantKind::Lost && (on_thread || on_lane);
    }

    fn region_begin(&mut self, at: u64, row: RegionRow, slice: &Slice<'_>) {
        self.args.take_slice(&self.texts, slice);
        let row = self.shared.row(&mut self.lines, &self.process, row);
        let (name, category) = (self.texts.name(slice.name), Category::of_slice(slice.kind));
        // Its flows stand where the region's thread has it.
        self.lines.begin(row, at, &lines::Event { category, name, args: self.args.text() });
        self.written.region_slices += 1;
    }

    fn region_end(&mut self, at: u64, row: RegionRow, mark: Mark) {
        let row = self.shared.row(&mut self.lines, &self.process, row);
        self.lines.end(row, at, mark);
    }

    fn hold_begin(&mut self, at: u64, lock: LockRef, place: Place, slice: &Slice<'_>) {
        self.args.take_slice(&self.texts, slice);
        self.note_holder(place);
        let Some(lock) = self.shared.lock(&mut self.lines, &self.process, lock) else { return };
        let (name, category) = (self.texts.name(slice.name), Category::of_slice(slice.kind));
        self.lines.begin(lock, at, &lines::Event { category, name, args: self.args.text() });
        tie(&mut self.lines, &mut self.flows, lock, at, Named::of_slice(slice));
        self.written.hold_slices += 1;
    }

    fn hold_end(&mut self, at: u64, lock: LockRef, mark: Mark) {
        let Some(lock) = self.shared.lock(&mut self.lines, &self.process, lock) else { return };
        self.lines.end(lock, at, mark);
    }

    fn new_value(&mut self, at: u64, counter: Counter, value: i64) {
        let Some(track) = &self.counters else { return };
        self.lines.counter(track, at, counter_names(counter), value);
        self.written.counter_values += 1;
    }

    /// Takes in what was defined since the last event.
    #[cold]
    fn define(&mut self, definitions: &Definitions) {
        self.defined = definitions.count();
        self.texts.define(definitions);
        self.lanes.define(&self.process, definitions);
        self.shared.define_locks(definitions);
    }
}

impl<W: Write> Sink for ChromeSink<W> {
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.end = run.end;
        self.lines.start_at(run.begin);
        self.process = Process::of(run.facts);
        self.flows.set_process(self.process.pid);
        self.process.describe(&mut self.lines, run);
        let shown = self.view.has_threads();
        self.threads = Threads::new(&mut self.lines, &self.process, run, shown);
        self.cores = Cores::new(run);
        self.counters = Some(self.process.track());
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.defined != definitions.count() {
            self.define(definitions);
        }
        match event {
            Event::Begin(place, slice) => self.begin(at, *place, slice),
            Event::End(place, _, mark) | Event::Suspend(place, _, mark) => {
                self.end(at, *place, *mark);
            }
            Event::Instant(place, instant) => self.instant(at, *place, instant),
            Event::RegionBegin(row, slice) => self.region_begin(at, *row, slice),
            Event::RegionEnd(row, mark) => self.region_end(at, *row, *mark),
            Event::HoldBegin(lock, place, slice) => self.hold_begin(at, *lock, *place, slice),
            Event::HoldEnd(lock, mark) => self.hold_end(at, *lock, *mark),
            Event::Counter(counter, value) => self.new_value(at, *counter, *value),
            Event::Core(thread, core) => {
                self.cores.change(&mut self.lines, &self.process, (at, *thread, *core));
            }
            // The structure of teams and tasks is seen in the slices.
            Event::TeamThreadBegin(..)
            | Event::TeamThreadEnd(_)
            | Event::TaskRuns(..)
            | Event::TaskEnd(..)
            | Event::LockRequested { .. }
            | Event::LockAcquired(..)
            | Event::LockReleased(..)
            | Event::CoreSums(..)
            | Event::Stop => {}
        }
    }

    fn finish(mut self, definitions: &Definitions, summary: &Summary) -> Result<Written, Error> {
        self.define(definitions);
        self.lanes.order(&mut self.lines);
        self.cores.finish(&mut self.lines, self.end);
        if summary.lost > 0 && !self.told_loss {
            self.remark_loss(&format!("{} records lost", summary.lost));
        }
        if let Some(missing) = summary.missing {
            self.remark_loss(&format!("buffers missing: {missing} lost"));
        }
        let (arrows, arrows_lost) = (self.flows.arrows, self.flows.lost);
        let (lines, bytes) = self.lines.finish()?;
        let core_slices = self.cores.slices;
        Ok(Written { lines, bytes, arrows, arrows_lost, core_slices, ..self.written })
    }
}
