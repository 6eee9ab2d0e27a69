//! The writer proper: takes a timeline, decides on which tracks each event stands, and passes it to
//! the encoder.
//!
//! `process` describes the process and its threads, `groups`, `lanes` and `shared` the other tracks;
//! `book` keeps the texts; `notes` collects the details of one event; `numbers` makes all numbers
//! unlike those of another process.
//!
//! Never here: an allocation, a look-up by text or a `dyn` call for a plain event.

mod book;
mod cores;
mod lanes;
mod notes;
mod numbers;
mod picture;
mod process;
mod shared;
mod tell;
mod threads;
mod written;

use std::io::Write;

use ompttrace_model::{
    Category, Counter, Definitions, Event, Instant, InstantKind, LockRef, Mark, Place, RegionRow,
    RunInfo, Sink, Slice, SliceKind, Summary,
};
use ompttrace_perfetto_protos::{BuiltinClock, trace_packet::Data};

pub use ompttrace_model::View;
pub use written::{Events, Written};

use crate::{Error, tracks};
use cores::Cores;
use lanes::Lanes;
use notes::Notes;
use numbers::Numbers;
use picture::Picture;
use shared::Shared;
use tell::event;
use threads::Threads;

/// Writes a timeline as a Perfetto trace.
#[derive(Debug)]
pub struct PerfettoSink<W> {
    picture: Picture<W>,
    view: View,
    threads: Threads,
    lanes: Lanes,
    shared: Shared,
    cores: Cores,
    notes: Notes,
    written: Written,
    /// Time of the run's last record.
    end: u64,
    told_loss: bool,
    /// How much was defined at the last event.
    defined: usize,
}

impl<W: Write> PerfettoSink<W> {
    /// An empty trace. Blocks of some 256 KiB go to `writer`, which needs no buffer of its own.
    pub fn new(writer: W, view: View) -> Self {
        PerfettoSink {
            picture: Picture::new(writer),
            view,
            threads: Threads::default(),
            lanes: Lanes::default(),
            shared: Shared::default(),
            cores: Cores::default(),
            notes: Notes::default(),
            written: Written::default(),
            end: 0,
            told_loss: false,
            defined: 0,
        }
    }

    /// Fails where the writer did not take our bytes: to give up early in a long export.
    pub fn check(&self) -> Result<(), Error> {
        self.picture.out.check()
    }

    #[inline(always)]
    fn begin(&mut self, at: u64, place: Place, slice: &Slice<'_>) {
        self.take_slice(slice);
        let serves = matches!(slice.kind, SliceKind::ImplicitTask | SliceKind::InitialTask);
        self.begin_on_thread(at, place, slice, serves);
        self.begin_on_lane(at, place, slice, serves);
    }

    #[inline(always)]
    fn end(&mut self, at: u64, place: Place, mark: Mark) {
        self.end_on_thread(at, place, mark);
        self.end_on_lane(at, place, mark);
    }

    #[inline(always)]
    fn instant(&mut self, at: u64, place: Place, instant: &Instant<'_>) {
        let numbers = self.picture.numbers;
        self.notes.take_instant(self.picture.book(), numbers, instant);
        if instant.kind == InstantKind::Lost {
            self.declare_loss(place);
        }
        self.instant_on_thread(at, place, instant);
        self.instant_on_lane(at, place, instant);
    }

    fn region_begin(&mut self, at: u64, row: RegionRow, slice: &Slice<'_>) {
        self.take_slice(slice);
        let row = self.shared.row(&mut self.picture, row);
        // Its flows stand where the region's thread has it.
        let details = self.notes.without_flows();
        let category = Category::of_slice(slice.kind);
        row.begin(&mut self.picture.out, at, &event(slice.name, category, details));
        self.written.region_slices += 1;
    }

    fn region_end(&mut self, at: u64, row: RegionRow, mark: Mark) {
        let row = self.shared.row(&mut self.picture, row);
        tell::end(row, &mut self.picture.out, &mut self.notes, at, mark);
    }

    #[inline(always)]
    fn hold_begin(&mut self, at: u64, lock: LockRef, place: Place, slice: &Slice<'_>) {
        self.take_slice(slice);
        self.note_holder(place);
        let Some(lock) = self.shared.lock(&mut self.picture, lock) else { return };
        let category = Category::of_slice(slice.kind);
        let event = event(slice.name, category, self.notes.details());
        lock.begin(&mut self.picture.out, at, &event);
        self.written.hold_slices += 1;
    }

    #[inline(always)]
    fn hold_end(&mut self, at: u64, lock: LockRef, mark: Mark) {
        let Some(lock) = self.shared.lock(&mut self.picture, lock) else { return };
        tell::end(lock, &mut self.picture.out, &mut self.notes, at, mark);
    }

    fn new_value(&mut self, at: u64, counter: Counter, value: i64) {
        let track = self.shared.counter(&mut self.picture, counter);
        track.counter(&mut self.picture.out, at, None, value);
        self.written.counter_values += 1;
    }

    /// Takes in what was defined since the last event.
    #[cold]
    fn define(&mut self, definitions: &Definitions) {
        self.defined = definitions.count();
        let book = self.picture.book();
        book.define(definitions);
        self.lanes.define(book, definitions);
        self.shared.define_locks(definitions);
    }
}

impl<W: Write> Sink for PerfettoSink<W> {
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.end = run.end;
        self.picture.numbers = Numbers::of(run);
        let (out, process) = (&mut self.picture.out, self.picture.numbers.process());
        out.start_at(run.begin);
        let realtime = run.begin.saturating_add_signed(run.realtime_offset);
        let since_boot = run.begin.wrapping_add(run.facts.clock.boottime_offset);
        out.clocks(&[
            (BuiltinClock::Monotonic, run.begin),
            (BuiltinClock::Realtime, realtime),
            (BuiltinClock::Boottime, since_boot),
        ]);
        out.track(tracks::root());
        out.cold(Data::ProcessTree(process::command_line(run.facts)));
        let about = process::surroundings(run.facts);
        out.track(tracks::process(process, process::process(run), about));
        self.cores = Cores::new(run, run.facts.clock.boottime_offset);
        self.threads = Threads::new(&mut self.picture, run, self.view.has_threads());
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
                self.cores.change(&mut self.picture.out, at, *thread, *core);
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
        self.lanes.describe(&mut self.picture);
        self.cores.finish(&mut self.picture.out);
        if summary.lost > 0 && !self.told_loss {
            self.remark_loss(&format!("{} records lost", summary.lost));
        }
        if let Some(missing) = summary.missing {
            self.remark_loss(&format!("buffers missing: {missing} lost"));
        }
        let (_, totals) = self.picture.out.finish()?;
        Ok(Written {
            packets: totals.packets,
            bytes: totals.bytes,
            switches: self.cores.switches,
            ..self.written
        })
    }
}
