//! State of one archive in a session: the locations of its view, and the regions, tasks and locks on them.

mod alive;
mod begins;
mod finish;
mod frames;
mod locks;
mod metrics;
mod mutexes;
mod phases;
mod tasks;
mod team_threads;
mod teams;
mod threads;
mod track;

use ompttrace_model::{Executor, LogicalThreadRef, Mark};
use ompttrace_recording::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::batch::BatchPool;
use crate::ids::{TeamSlot, TrackRef};
use crate::op::{Attribute, Otf2Event};
use crate::segment::{EarlierTask, LockState, Marker, ViewEnd, ViewSegment};
use alive::Tasks;
use locks::Locks;
use metrics::Metrics;
use teams::Teams;
use threads::Threads;
use track::{EnteredRegion, Track};

pub(crate) use begins::{Alike, Begin, BeginAction};
pub(crate) use metrics::{CORE_MEANING, MetricMember};
#[cfg(test)]
pub(crate) use teams::NO_TEAM;
pub(crate) use threads::{MANY, Tenants};

/// Kind of threads that are the locations of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocationKind {
    Threads,
    LogicalThreads,
}

/// An archive as a session knows it.
#[derive(Debug)]
pub(crate) struct ArchiveState {
    pub of: LocationKind,
    pub markers: Vec<Marker>,
    pool: BatchPool,
    tracks: Vec<Track>,
    /// Paths of logical threads with locations that were not handed over yet.
    paths: Vec<String>,
    /// The tracks of OS threads, in the view that has these.
    threads: Threads,
    /// The track of each logical thread.
    logical_threads: Vec<TrackRef>,
    counters: Vec<Track>,
    metrics: Metrics,
    teams: Teams,
    /// Slots of the teams of open regions.
    forks: FxHashMap<Id, TeamSlot>,
    tasks: Tasks,
    /// Empty stacks, to be used again.
    spare_stacks: Vec<Vec<EnteredRegion>>,
    /// Tasks that were created before the session and occurred since the last segment. Below: the indices of those that
    /// are over, and the number of all that occurred so far.
    earlier: Vec<EarlierTask>,
    over: Vec<u32>,
    earlier_count: u32,
    /// Ids of all tasks from before the session that are over.
    earlier_over: FxHashSet<Id>,
    /// True if suspended tasks resume: false once the recording stops, or if it has no task switches.
    tasks_go_on: bool,
    locks: Locks,
    /// Locks that were acquired before the session.
    held: Vec<LockState>,
    /// Tasks that lost their ids.
    unknown_tasks: u64,
    /// True if the initial task of a root began in the session.
    has_root: bool,
    /// Attributes for what is inferred and what is cut.
    marks: [Attribute; 2],
    /// True if the session begins with the run, so that it has the creation of each task.
    knows_all: bool,
    /// True while the events are from before the session.
    is_before: bool,
}

impl ArchiveState {
    /// State at the begin of a session, which begins with the run if `knows_all`, and otherwise at a border between
    /// windows.
    pub(crate) fn new(
        of: LocationKind,
        marks: [Attribute; 2],
        counters: usize,
        knows_all: bool,
        pool: &BatchPool,
    ) -> ArchiveState {
        ArchiveState {
            of,
            markers: Vec::new(),
            pool: pool.clone(),
            tracks: Vec::new(),
            paths: Vec::new(),
            threads: Threads::default(),
            logical_threads: Vec::new(),
            counters: (0..counters).map(|_| Track::new(pool)).collect(),
            metrics: Metrics::new(pool),
            teams: Teams::default(),
            forks: FxHashMap::default(),
            tasks: Tasks::default(),
            spare_stacks: Vec::new(),
            earlier: Vec::new(),
            over: Vec::new(),
            earlier_count: 0,
            earlier_over: FxHashSet::default(),
            tasks_go_on: true,
            locks: Locks::default(),
            held: Vec::new(),
            unknown_tasks: 0,
            has_root: false,
            marks,
            knows_all,
            is_before: !knows_all,
        }
    }

    /// The recording does not report which task runs: what is suspended stays so.
    pub(crate) fn has_no_switches(&mut self) {
        self.tasks_go_on = false;
    }

    /// Adds locations for so many OS threads.
    pub(crate) fn add_threads(&mut self, count: usize) {
        self.threads = Threads::new(count);
        for thread in 0..self.threads.settled() {
            self.locate(thread);
        }
    }

    /// Gives a location to an OS thread that has none yet.
    #[cold]
    fn locate(&mut self, thread: u32) -> Option<TrackRef> {
        let new = self.tracks.len() as TrackRef;
        let track = self.threads.give(thread, new)?;
        if track == new {
            self.tracks.push(Track::new(&self.pool));
        }
        Some(track)
    }

    /// An OS thread is over: its location is free for another.
    pub(crate) fn thread_over(&mut self, thread: u32, track: TrackRef) {
        if self.of == LocationKind::Threads && self.track(track).is_vacant() {
            self.threads.over(thread);
        }
    }

    /// Adds the next logical thread: with a location of its own, or on that of another logical thread.
    pub(crate) fn add_logical_thread(&mut self, path: &str, on: Option<LogicalThreadRef>) {
        let track =
            match on.and_then(|logical_thread| self.logical_threads.get(logical_thread as usize)) {
                Some(track) => *track,
                None => {
                    self.tracks.push(Track::new(&self.pool));
                    self.paths.push(path.to_owned());
                    self.tracks.len() as TrackRef - 1
                }
            };
        self.logical_threads.push(track);
    }

    /// The location of an executor, if this view has one.
    pub(crate) fn track_of(&mut self, executor: Executor) -> Option<TrackRef> {
        let known = self.known_track_of(executor);
        match self.of {
            LocationKind::Threads => known.or_else(|| self.locate(executor.thread)),
            LocationKind::LogicalThreads => known,
        }
    }

    /// The location of an executor that has had one before.
    #[inline(always)]
    pub(crate) fn known_track_of(&self, executor: Executor) -> Option<TrackRef> {
        match self.of {
            LocationKind::Threads => self.threads.get(executor.thread),
            LocationKind::LogicalThreads => {
                self.logical_threads.get(executor.logical_thread? as usize).copied()
            }
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

    /// The attribute for a mark, if it needs one.
    #[inline]
    fn certainty(&self, mark: Mark) -> Option<Attribute> {
        let [inferred, cut] = self.marks;
        match mark {
            Mark::Observed => None,
            Mark::Inferred => Some(inferred),
            Mark::Cut => Some(cut),
        }
    }

    /// A sample of what runs on a track.
    pub(crate) fn sampled(&mut self, track: TrackRef, at: u64, context: u32) {
        self.track(track).add(at, Otf2Event::CallingContextSample { context });
    }

    /// A counter has a new value.
    pub(crate) fn counter(&mut self, at: u64, counter: u32, value: i64) {
        if let Some(track) = self.counters.get_mut(counter as usize) {
            track.add(at, Otf2Event::Metric { value });
        }
    }

    /// Discards the events so far, which are from before the session.
    pub(crate) fn begin_window(&mut self) {
        let metrics = self.metrics.all.iter_mut().map(|metric| &mut metric.track);
        for track in self.tracks.iter_mut().chain(&mut self.counters).chain(metrics) {
            track.batches.clear();
            track.switch_due = false;
        }
        self.markers.clear();
        self.held = self.locks.states();
        self.is_before = false;
    }

    /// The session ends, and what is open continues in the next one.
    pub(crate) fn end_window(&mut self) {
        for track in 0..self.tracks.len() as TrackRef {
            self.ready(track);
        }
    }

    /// Takes the events and changes since the last segment; `ends`: the session ends with them.
    pub(crate) fn segment(&mut self, ends: bool) -> ViewSegment {
        let batches = |track: &mut Track| track.batches.take();
        let metrics = self.metrics.all.iter_mut();
        ViewSegment {
            tracks: self.tracks.iter_mut().map(batches).collect(),
            paths: std::mem::take(&mut self.paths),
            counters: self.counters.iter_mut().map(batches).collect(),
            metrics: metrics.map(|one| (one.member, one.of, batches(&mut one.track))).collect(),
            teams: self.teams.changes(),
            earlier: std::mem::take(&mut self.earlier),
            over: std::mem::take(&mut self.over),
            markers: std::mem::take(&mut self.markers),
            held: std::mem::take(&mut self.held),
            end: ends.then(|| ViewEnd {
                alive: self.tasks.made_here().collect(),
                made: self.tracks.iter().map(|track| track.made).collect(),
                locks: self.locks.states(),
            }),
            tenants: self.threads.tenants().to_vec(),
            begins_root: self.has_root,
        }
    }
}
