//! One archive being filled: the locations of one view, and what happens on them.

mod alive;
mod finish;
mod frames;
mod locks;
mod members;
mod metrics;
mod tasks;
mod teams;
mod threads;
mod track;

use std::sync::Arc;

use ompttrace_model::{Executor, LogicalThreadRef, Mark};
use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

use crate::Error;
use crate::archive::{Archive, Markers, Pipe};
use crate::op::{Attribute, What};
use alive::Tasks;
use locks::Locks;
use metrics::Metrics;
use teams::Teams;
use threads::Threads;
use track::Track;

pub(crate) use finish::Finished;
pub(crate) use frames::Begin;
pub(crate) use metrics::{CORE_MEANING, Member};
pub(crate) use teams::TrackRef;
pub(crate) use threads::Tenants;

/// Events of a location that are handed over together.
const BATCH: usize = 1024;
/// Events that one location holds back before its oldest team is settled without its last members.
const MOST_HELD: usize = 1 << 16;
/// Locations of counters have numbers from here on.
const METRICS: u64 = 1 << 32;
/// Locations of devices have numbers from here on.
const DEVICES: u64 = 1 << 33;

/// What is a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Threads,
    LogicalThreads,
}

/// An archive being filled.
#[derive(Debug)]
pub(crate) struct ArchiveState {
    pub of: Of,
    archive: Arc<Archive>,
    pipe: Option<Pipe>,
    pub markers: Markers,
    tracks: Vec<Track>,
    /// The tracks of OS threads, in the view that has these.
    threads: Threads,
    /// The track of each logical thread.
    logical_threads: Vec<TrackRef>,
    counters: Vec<Track>,
    metrics: Metrics,
    teams: Teams,
    /// Slots of the teams of open regions.
    forks: FxHashMap<Id, u32>,
    tasks: Tasks,
    /// Whether suspended tasks go on: not when the recording stops, nor where it lacks all switches.
    tasks_go_on: bool,
    locks: Locks,
    /// Tasks that lost their ids.
    unknown_tasks: u64,
    /// Whether the program's begin was told.
    begun: bool,
    /// Transfers so far.
    transfers: u32,
    /// Attributes for what is inferred and what is cut.
    marks: [Attribute; 2],
    /// A thread that encodes gave up: nothing more is handed to it.
    broken: bool,
}

impl ArchiveState {
    pub(crate) fn new(
        of: Of,
        archive: Arc<Archive>,
        pipe: Pipe,
        marks: [Attribute; 2],
        counters: u64,
    ) -> Result<ArchiveState, Error> {
        Ok(ArchiveState {
            of,
            pipe: Some(pipe),
            markers: Markers::open(&archive)?,
            archive,
            tracks: Vec::new(),
            threads: Threads::default(),
            logical_threads: Vec::new(),
            counters: (METRICS..METRICS + counters).map(Track::new).collect(),
            metrics: Metrics::default(),
            teams: Teams::default(),
            forks: FxHashMap::default(),
            tasks: Tasks::default(),
            tasks_go_on: true,
            locks: Locks::default(),
            unknown_tasks: 0,
            begun: false,
            transfers: 0,
            marks,
            broken: false,
        })
    }

    /// The recording does not tell which task runs: what is suspended stays so.
    pub(crate) fn has_no_switches(&mut self) {
        self.tasks_go_on = false;
    }

    /// Has locations for so many OS threads.
    pub(crate) fn add_threads(&mut self, count: usize) {
        self.threads = Threads::new(count);
        for thread in 0..self.threads.settled() {
            self.locate(thread);
        }
    }

    /// The location of an OS thread that has none yet.
    #[cold]
    fn locate(&mut self, thread: u32) -> Option<TrackRef> {
        let new = self.tracks.len() as TrackRef;
        let track = self.threads.give(thread, new)?;
        if track == new {
            self.add_track();
        }
        Some(track)
    }

    /// An OS thread is over: its location is free for another.
    pub(crate) fn thread_over(&mut self, thread: u32, track: TrackRef) {
        if self.of == Of::Threads && self.track(track).is_vacant() {
            self.threads.over(thread);
        }
    }

    /// Adds the next location.
    fn add_track(&mut self) {
        self.tracks.push(Track::new(self.tracks.len() as u64));
    }

    /// Adds the next logical thread: with a location of its own, or on that of another logical thread.
    pub(crate) fn add_logical_thread(&mut self, on: Option<LogicalThreadRef>) {
        let track =
            match on.and_then(|logical_thread| self.logical_threads.get(logical_thread as usize)) {
                Some(track) => *track,
                None => {
                    self.add_track();
                    self.tracks.len() as TrackRef - 1
                }
            };
        self.logical_threads.push(track);
    }

    /// The location of a place, if this view has one.
    #[inline]
    pub(crate) fn track_of(&mut self, place: Executor) -> Option<TrackRef> {
        match self.of {
            Of::Threads => self.threads.get(place.thread).or_else(|| self.locate(place.thread)),
            Of::LogicalThreads => self.logical_threads.get(place.logical_thread? as usize).copied(),
        }
    }

    /// The track with a number that `track_of` gave.
    #[inline(always)]
    fn track(&mut self, track: TrackRef) -> &mut Track {
        &mut self.tracks[track as usize]
    }

    /// The track, ready for an event of the task that runs on it.
    #[inline]
    fn ready(&mut self, track: TrackRef) -> &mut Track {
        if self.track(track).switch_due {
            self.switch_to_implicit(track, 0);
        }
        self.track(track)
    }

    /// To be called when events were added: hands over what makes a batch.
    #[inline]
    fn added(&mut self, track: TrackRef) {
        if self.track(track).batch.ops.len() >= BATCH {
            self.hand_over(track);
        }
    }

    #[cold]
    fn hand_over(&mut self, number: TrackRef) {
        if self.track(number).held > 0 {
            if self.track(number).batch.ops.len() < MOST_HELD {
                return;
            }
            while self.track(number).held > 0
                && let Some(oldest) = self.teams.oldest()
            {
                self.settle_teams(Some(oldest));
            }
        }
        let Some(track) = self.tracks.get_mut(number as usize) else { return };
        if let Some(pipe) = &mut self.pipe {
            send(pipe, track, &mut self.broken);
        }
    }

    /// A sample of what runs on a track.
    pub(crate) fn sampled(&mut self, track: TrackRef, at: u64, context: u32) {
        self.track(track).add(at, What::CallingContextSample { context });
        self.added(track);
    }

    /// A counter has a new value.
    pub(crate) fn counter(&mut self, at: u64, counter: u32, value: i64) {
        let Some(track) = self.counters.get_mut(counter as usize) else { return };
        track.add(at, What::Metric { metric: metric_instance(counter), value });
        if let (Some(pipe), true) = (&mut self.pipe, track.batch.ops.len() >= BATCH) {
            send(pipe, track, &mut self.broken);
        }
    }
}

/// The location of a device.
pub(crate) const fn stream(device: u32) -> u64 {
    DEVICES + device as u64
}

/// The number of a counter's metric instance; its class has the one before.
pub(crate) const fn metric_instance(counter: u32) -> u32 {
    2 * counter + 1
}

/// The attribute for a mark, if it needs one.
fn certainty(marks: &[Attribute; 2], mark: Mark) -> &[Attribute] {
    match mark {
        Mark::Observed => &[],
        Mark::Inferred => &marks[..1],
        Mark::Cut => &marks[1..],
    }
}

/// Hands a track's events over.
fn send(pipe: &mut Pipe, track: &mut Track, broken: &mut bool) {
    if *broken {
        track.batch.ops.clear();
        track.batch.attributes.clear();
        return;
    }
    let batch = std::mem::replace(&mut track.batch, pipe.batch(track.location));
    *broken = !pipe.send(batch);
}
