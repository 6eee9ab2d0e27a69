//! The writer proper: receives a timeline once and fills an archive for each view that is wanted.

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use ompttrace_model::{
    Counter, Definitions, Event, Lane, LockEvent, Mark, Place, RunInfo, Sample, Sink, Summary,
};

use crate::archive::{Archive, Context, Pipe};
use crate::book::Book;
use crate::define::{COUNTERS, MOST_ARGUMENTS, Named, Run};
use crate::op::Attribute;
use crate::picture::{Member, Of, Picture};
use crate::written::Written;
use crate::{Error, lock_regions::LockRegions};

/// Writes a timeline as OTF2 archives.
#[derive(Debug)]
pub struct Otf2Sink {
    /// Archives that are begun, until the run is known.
    pub(crate) begun: Vec<(Of, Archive)>,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) book: Book,
    pub(crate) run: Run,
    pub(crate) threads: Vec<Named>,
    pub(crate) lanes: Vec<Named>,
    pub(crate) devices: Vec<i64>,
    pub(crate) locks: LockRegions,
    /// Attributes of the event that is told just now.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) told_loss: bool,
    /// Threads that encode, of all archives together.
    encoders: usize,
    /// How much was defined at the last event, and how many lanes.
    defined: usize,
    lanes_known: usize,
    pub(crate) error: Option<Error>,
}

impl Otf2Sink {
    /// Begins an archive for each view that is wanted, in a folder that must not exist: with OS
    /// threads as locations, or with logical threads.
    pub fn new(threads: Option<&Path>, lanes: Option<&Path>) -> Result<Otf2Sink, Error> {
        let views = [(Of::Threads, threads), (Of::Lanes, lanes)].into_iter();
        let begun = views
            .filter_map(|(of, path)| Some((of, path?)))
            .map(|(of, path)| Ok((of, Archive::create(path)?)))
            .collect::<Result<_, Error>>()?;
        Ok(Otf2Sink {
            begun,
            pictures: Vec::new(),
            book: Book::default(),
            run: Run::default(),
            threads: Vec::new(),
            lanes: Vec::new(),
            devices: Vec::new(),
            locks: LockRegions::default(),
            attributes: Vec::new(),
            told_loss: false,
            encoders: available_parallelism().map_or(1, NonZero::get) - 1,
            defined: 0,
            lanes_known: 0,
            error: None,
        })
    }

    /// With so many threads that encode, beside the one that calls, which does it itself for an archive that gets none
    /// of them: by default one for each core but its own. The archives do not depend on it.
    pub fn with_encoders(self, encoders: usize) -> Otf2Sink {
        Otf2Sink { encoders, ..self }
    }

    /// Calls for each picture that has a location at this place.
    #[inline]
    pub(crate) fn each(&mut self, place: Place, mut call: impl FnMut(&mut Picture, u32)) {
        for picture in &mut self.pictures {
            if let Some(track) = picture.track_of(place) {
                call(picture, track);
            }
        }
    }

    pub(crate) fn os_thread(&self, place: Place) -> u32 {
        self.threads.get(place.thread as usize).and_then(|named| named.os_thread).unwrap_or(0)
    }

    fn open_pictures(&mut self, run: &RunInfo<'_>) -> Result<(), Error> {
        let strings = &mut self.book.strings;
        let process = &run.facts.process;
        let names = ["ThreadId", "ProcessId"].map(|name| strings.number(name));
        let [thread_id, process_id] =
            names.map(|name| self.book.attributes.define(name, otf2_sys::OTF2_TYPE_UINT64));
        let marks = [Mark::Inferred, Mark::Cut].map(|mark| self.book.certainty(mark));
        let begun = std::mem::take(&mut self.begun);
        let share = |left: usize| (self.encoders + left - 1) / begun.len();
        let shares: Vec<_> = (1..=begun.len()).rev().map(share).collect();
        for ((of, archive), encoders) in begun.into_iter().zip(shares) {
            let archive = Arc::new(archive);
            let strings = &mut self.book.strings;
            let program = strings.number(&process.executable);
            let arguments = process.arguments.iter().skip(1).take(MOST_ARGUMENTS);
            let arguments = arguments.map(|argument| strings.number(argument)).collect();
            let context =
                Context { process: process.pid, program, arguments, thread_id, process_id };
            let pipe = Pipe::start(&archive, context, encoders);
            let mut picture = Picture::new(of, archive, pipe, marks, COUNTERS.len() as u64)?;
            if of == Of::Threads {
                picture.add_threads(run.threads.len());
            }
            if !self.run.has_switches {
                picture.has_no_switches();
            }
            crate::marks::define(&mut picture.markers)?;
            self.pictures.push(picture);
        }
        Ok(())
    }

    /// Takes in what was defined since the last event.
    #[cold]
    fn define(&mut self, definitions: &Definitions) {
        self.defined = definitions.count();
        self.book.define(definitions);
        for lock in definitions.locks().iter().skip(self.locks.count()) {
            self.locks.define(lock);
        }
        for lane in definitions.logical_threads().iter().skip(self.lanes_known) {
            self.add_lane(lane);
        }
        self.lanes_known = definitions.logical_threads().len();
    }

    fn add_lane(&mut self, lane: &Lane) {
        // Thread 0 of a team goes on where it forked, as in Score-P's archives.
        let first = matches!(lane.path.rsplit('.').next(), Some("0" | "t0"));
        let on = lane.parent.filter(|_| first);
        if on.is_none() {
            self.lanes.push(Named { name: lane.path.clone(), os_thread: None });
        }
        let lanes = self.pictures.iter_mut().filter(|picture| picture.of == Of::Lanes);
        lanes.for_each(|picture| picture.add_lane(on));
    }

    fn new_value(&mut self, at: u64, counter: Counter, value: i64) {
        let number = match counter {
            Counter::ThreadsWorking => 0,
            Counter::ThreadsIdle => 1,
            Counter::LiveTasks => 2,
            Counter::OfThread(thread, counter) => {
                let member = Member::Counter(counter);
                return self
                    .pictures
                    .iter_mut()
                    .for_each(|picture| picture.metric(at, thread, member, value));
            }
        };
        self.pictures.iter_mut().for_each(|picture| picture.counter(at, number, value));
    }

    #[inline]
    fn lock_acquired(&mut self, at: u64, place: Place, lock: LockEvent) {
        if !self.run.has_releases {
            // Its wait is told; an acquisition that never ends would be taken for a deadlock.
            return;
        }
        let regions = self.locks.of(&mut self.book, lock);
        let holder = (place.thread, lock.lock, lock.kind);
        self.each(place, |picture, track| picture.lock_acquired(track, at, holder, regions));
    }

    #[inline]
    fn lock_released(&mut self, at: u64, place: Place, lock: LockEvent) {
        if !lock.kind.is_lock() {
            let (thread, lock) = (place.thread, lock.lock);
            self.each(place, |picture, track| picture.block_ends(track, at, thread, lock));
        } else {
            let region = self.locks.unlock(&mut self.book, lock);
            let holder = (place.thread, lock.lock);
            self.each(place, |picture, track| picture.unlocked(track, at, holder, region));
        }
    }

    fn sampled(&mut self, at: u64, place: Place, sample: &Sample) {
        let Some(context) = sample.context.checked_sub(1) else { return };
        self.run.sampled_every.get_or_insert(sample.period_ns);
        self.each(place, |picture, track| picture.sampled(track, at, context));
    }

    fn stop(&mut self, at: u64) {
        for picture in &mut self.pictures {
            picture.cut_locks(at);
            picture.cut_suspended(at);
        }
    }
}

impl Sink for Otf2Sink {
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.run = Run::of(run);
        let named = |thread| Named {
            name: ompttrace_model::thread_name(run.facts, thread),
            os_thread: Some(thread.os_thread),
        };
        self.threads = run.threads.iter().map(named).collect();
        if let Err(error) = self.open_pictures(run) {
            self.error.get_or_insert(error);
        }
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.defined != definitions.count() {
            self.define(definitions);
        }
        match *event {
            Event::Begin(place, ref slice) => self.tell_begin(at, place, slice),
            Event::End(place, kind, mark) => {
                self.each(place, |picture, track| picture.end(track, at, kind, mark));
            }
            Event::Instant(place, ref instant) => self.tell_instant(at, place, instant),
            Event::Counter(counter, value) => self.new_value(at, counter, value),
            Event::TeamThreadBegin(place, ref member) => {
                let os_thread = self.os_thread(place);
                self.each(place, |picture, track| {
                    picture.member_begin(track, at, os_thread, member)
                });
            }
            Event::TeamThreadEnd(place) => {
                self.each(place, |picture, track| picture.member_end(track, at));
            }
            Event::TaskRuns(place, task) => {
                self.each(place, |picture, track| picture.task_runs(track, at, task));
            }
            Event::TaskEnd(place, task, _) => {
                self.each(place, |picture, track| picture.task_over(track, at, task));
            }
            Event::LockAcquired(place, lock) => self.lock_acquired(at, place, lock),
            Event::LockReleased(place, lock) => self.lock_released(at, place, lock),
            Event::Core(thread, core) => {
                self.pictures.iter_mut().for_each(|picture| picture.core(at, thread, core));
            }
            Event::Sample(place, ref sample) => self.sampled(at, place, sample),
            Event::Stop => self.stop(at),
            // A suspended task keeps what it has entered: see `TaskRuns`. Regions stand on the thread that forks, holds
            // of locks on those that have them.
            Event::Suspend(..)
            | Event::RegionBegin(..)
            | Event::RegionEnd(..)
            | Event::HoldBegin(..)
            | Event::HoldEnd(..)
            | Event::LockRequested { .. }
            | Event::CoreSums(..) => {}
        }
    }

    fn finish(mut self, definitions: &Definitions, summary: &Summary) -> Result<Written, Error> {
        self.define(definitions);
        self.end_archives(summary)
    }
}
