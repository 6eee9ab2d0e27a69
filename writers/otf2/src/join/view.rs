//! One archive, assembled from segments: each waits until the communicators that its events name are known, then its
//! events are encoded.

use std::collections::VecDeque;
use std::sync::Arc;

use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

use super::comm::Comm;
use super::communicators::Communicators;
use super::locks::Locks;
use super::tables::Tables;
use super::teams::{TeamRef, Teams};
use crate::Error;
use crate::archive::{
    Count, Counts, EarlierName, METRICS, Names, Number, OwnTaskName, Pipe, TeamComm,
};
use crate::archive_state::{LocationKind, MetricMember, Tenants};
use crate::batch::Batch;
use crate::define::COUNTERS;
use crate::ids::TrackRef;
use crate::op::TaskName;
use crate::segment::{EarlierTask, Marker, ViewEnd, ViewSegment};

/// Segments that wait for a team before it gets a communicator without its last threads.
const MOST_WAITING: usize = 8;
/// Tasks whose creation was not recorded have numbers from here on.
const UNKNOWN_TASKS: u32 = 1 << 31;

/// A location that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub number: u64,
    pub events: u64,
}

/// A metric of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocationMetric {
    pub member: MetricMember,
    /// Number of the location that the metric describes.
    pub of: TrackRef,
    /// Location that records the values of the metric.
    pub location: Location,
}

/// Locations, metrics and communicators of an archive whose events are written, for its definitions.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Markers, each with the location that it is for.
    pub markers: Vec<Marker>,
    /// Threads or logical threads, by number.
    pub tracks: Vec<Location>,
    /// The paths of logical threads, in the view that has these.
    pub paths: Vec<String>,
    /// The OS threads of each location, in the view of OS threads.
    pub tenants: Vec<Tenants>,
    pub counters: Vec<Location>,
    /// Metrics of locations by their numbers, which follow those of the counters.
    pub metrics: Vec<LocationMetric>,
    pub comms: Vec<Comm>,
    /// Time of the last event, in nanoseconds.
    pub last: u64,
    /// Number of tasks that were created and never came to an end.
    pub unfinished: usize,
}

impl Finished {
    /// Every location that has events of its own.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Location> {
        let metrics = self.metrics.iter().map(|metric| &metric.location);
        self.tracks.iter().chain(&self.counters).chain(metrics)
    }
}

/// A task that was not over when its session ended.
#[derive(Clone, Debug)]
struct Task {
    team: Option<TeamRef>,
    track: TrackRef,
    generation: u32,
}

/// Events that wait for teams.
#[derive(Debug)]
struct Waiting {
    batches: Vec<(u64, Vec<Batch>)>,
    /// Numbers of the archive, except for teams and tasks.
    names: Names,
    teams: Vec<Option<TeamRef>>,
    earlier: Vec<(Task, bool)>,
}

impl Waiting {
    fn teams(&self) -> impl Iterator<Item = &TeamRef> {
        let earlier = self.earlier.iter().filter_map(|(task, _)| task.team.as_ref());
        self.teams.iter().flatten().chain(earlier)
    }
}

/// An archive that is being assembled.
#[derive(Debug)]
pub(crate) struct View {
    pub of: LocationKind,
    pipe: Pipe,
    markers: Vec<Marker>,
    /// Paths of logical threads, by location.
    paths: Vec<String>,
    by_path: FxHashMap<String, TrackRef>,
    tenants: Vec<Tenants>,
    /// Number of tasks that each location has created; below, number of those whose creation was not recorded.
    made: Vec<u32>,
    unknown: Vec<u32>,
    metrics: Vec<(MetricMember, TrackRef)>,
    metric_numbers: FxHashMap<(MetricMember, TrackRef), u64>,
    teams: Teams,
    communicators: Communicators,
    locks: Locks,
    alive: FxHashMap<Id, Task>,
    waiting: VecDeque<Waiting>,
    begun_program: bool,
    /// Locations of the archive by the session's numbers. Below, also of the session: number of tasks that each
    /// location had created before it, and the tasks from before it that occurred, each with true if its creation was
    /// not recorded.
    tracks: Arc<Vec<TrackRef>>,
    made_before: Arc<Vec<u32>>,
    earlier: Vec<(Id, Task, bool)>,
    /// True if the program's begin was still to come when the session began.
    begins_program: bool,
}

impl View {
    pub(super) fn new(of: LocationKind, pipe: Pipe) -> View {
        View {
            of,
            pipe,
            markers: Vec::new(),
            paths: Vec::new(),
            by_path: FxHashMap::default(),
            tenants: Vec::new(),
            made: Vec::new(),
            unknown: Vec::new(),
            metrics: Vec::new(),
            metric_numbers: FxHashMap::default(),
            teams: Teams::default(),
            communicators: Communicators::default(),
            locks: Locks::default(),
            alive: FxHashMap::default(),
            waiting: VecDeque::new(),
            begun_program: false,
            tracks: Arc::default(),
            made_before: Arc::default(),
            earlier: Vec::new(),
            begins_program: true,
        }
    }

    /// Begins another session, which has numbers of its own.
    pub(super) fn begin_session(&mut self) {
        self.teams.begin_session();
        self.locks.begin_session();
        self.tracks = Arc::default();
        self.made_before = Arc::default();
        self.earlier.clear();
        self.begins_program = !self.begun_program;
    }

    /// Takes the next segment; `tables` knows its definitions.
    pub(super) fn take(&mut self, tables: &Tables, segment: ViewSegment) {
        let ViewSegment { tracks, paths, counters, metrics, teams, earlier, over, markers, .. } =
            segment;
        self.add_tracks(tracks.len(), paths);
        self.communicators.add(tables, &mut self.teams);
        self.tenants = segment.tenants;
        self.begun_program |= segment.begins_root;
        self.locks.define(tables.locks());
        self.locks.held(&segment.held);
        for change in teams {
            self.teams.change(change, &self.tracks);
        }
        self.teams.settle();
        earlier.into_iter().for_each(|task| self.meet(task));
        for marker in markers {
            self.markers.push(Marker { track: self.own(marker.track), ..marker });
        }
        let batches = self.batches(tracks, counters, metrics);
        self.wait(tables, batches);
        for index in over {
            if let Some((id, ..)) = self.earlier.get(index as usize) {
                self.alive.remove(id);
            }
        }
        if let Some(end) = segment.end {
            self.end_session(end);
        }
        self.release();
    }

    /// The archive's location for one of the session's.
    fn own(&self, track: TrackRef) -> TrackRef {
        self.tracks.get(track as usize).copied().unwrap_or_default()
    }

    /// The session has so many locations.
    fn add_tracks(&mut self, count: usize, paths: Vec<String>) {
        let known = self.tracks.len();
        if known == count {
            return;
        }
        let new: Vec<_> = match self.of {
            LocationKind::Threads => (known as TrackRef..count as TrackRef).collect(),
            LocationKind::LogicalThreads => {
                paths.into_iter().map(|path| self.track_of(path)).collect()
            }
        };
        let tracks = Arc::make_mut(&mut self.tracks);
        tracks.extend(new);
        let end = tracks.iter().max().map_or(0, |last| *last as usize + 1);
        if self.made.len() < end {
            self.made.resize(end, 0);
            self.unknown.resize(end, 0);
        }
        let made = tracks.iter().map(|track| self.made.get(*track as usize).copied().unwrap_or(0));
        self.made_before = Arc::new(made.collect());
    }

    fn track_of(&mut self, path: String) -> TrackRef {
        let next = self.paths.len() as TrackRef;
        let track = *self.by_path.entry(path.clone()).or_insert(next);
        if track == next {
            self.paths.push(path);
        }
        track
    }

    /// The session names a task that was made before it.
    fn meet(&mut self, EarlierTask { task, team, track, is_over }: EarlierTask) {
        let track = self.own(track);
        let known = self.alive.get(&task).cloned();
        let is_unknown = known.is_none();
        let known = known.unwrap_or_else(|| {
            let number = self.unknown.get_mut(track as usize).map_or(0, |count| {
                *count += u32::from(!is_over);
                *count
            });
            Task { team: self.teams.get(team), track, generation: UNKNOWN_TASKS | number }
        });
        if is_unknown && !is_over {
            self.alive.insert(task, known.clone());
        }
        self.earlier.push((task, known, is_unknown));
    }

    /// Events by the archive's locations.
    fn batches(
        &mut self,
        tracks: Vec<Vec<Batch>>,
        counters: Vec<Vec<Batch>>,
        metrics: Vec<(MetricMember, TrackRef, Vec<Batch>)>,
    ) -> Vec<(u64, Vec<Batch>)> {
        let own = tracks.into_iter().zip(self.tracks.iter());
        let mut all: Vec<_> = own.map(|(batches, track)| (u64::from(*track), batches)).collect();
        all.extend((METRICS..).zip(counters));
        for (member, of, batches) in metrics {
            let of = self.own(of);
            let next = self.metrics.len() as u64;
            let number = *self.metric_numbers.entry((member, of)).or_insert(next);
            if number == next {
                self.metrics.push((member, of));
            }
            all.push((METRICS + COUNTERS.len() as u64 + number, batches));
        }
        all
    }

    /// The events wait until all that they name is known.
    fn wait(&mut self, tables: &Tables, batches: Vec<(u64, Vec<Batch>)>) {
        let names = Names {
            definitions: tables.names().clone(),
            tracks: self.tracks.clone(),
            made: self.made_before.clone(),
            locks: self.locks.names().clone(),
            communicators: self.communicators.names().clone(),
            begins_program: self.begins_program,
            ..Names::default()
        };
        let earlier = self.earlier.iter().map(|(_, task, is_unknown)| (task.clone(), *is_unknown));
        let (teams, earlier) = (self.teams.slots().to_vec(), earlier.collect());
        self.waiting.push_back(Waiting { batches, names, teams, earlier });
    }

    fn end_session(&mut self, end: ViewEnd) {
        let ViewEnd { alive, made, locks } = end;
        for (id, TaskName { team, thread, generation }) in alive {
            let before = self.made_before.get(thread as usize).copied().unwrap_or(0);
            let (team, track) = (self.teams.get(team), self.own(thread));
            let generation = generation.wrapping_add(before).max(1);
            self.alive.insert(id, Task { team, track, generation });
        }
        for (made, track) in made.into_iter().zip(self.tracks.iter()) {
            if let Some(known) = self.made.get_mut(*track as usize) {
                *known = known.wrapping_add(made);
            }
        }
        self.locks.end(&locks);
    }

    /// Encodes the segments whose teams are all known, in order.
    fn release(&mut self) {
        while let Some(first) = self.waiting.front() {
            let open: Vec<_> =
                first.teams().filter(|team| !Teams::is_settled(team)).cloned().collect();
            if !open.is_empty() && self.waiting.len() <= MOST_WAITING {
                return;
            }
            open.iter().for_each(|team| self.teams.force(team));
            if let Some(waiting) = self.waiting.pop_front() {
                self.encode(waiting);
            }
        }
    }

    fn encode(&mut self, Waiting { batches, names, teams, earlier }: Waiting) {
        let comm = |team: &Option<TeamRef>| {
            team.as_ref().map_or_else(TeamComm::default, |team| self.teams.comm(team))
        };
        let earlier = earlier.iter().map(|(task, is_unknown)| {
            let Task { team, track, generation } = task;
            let known = team.as_ref().map(|team| self.teams.comm_and_rank(team, *track));
            let (comm, rank) = known.unwrap_or((crate::archive::UNDEFINED, 0));
            let (comm, rank) = (Number::new(comm), Number::new(rank));
            let name = OwnTaskName { comm, rank, generation: *generation };
            EarlierName { name, is_unknown: *is_unknown }
        });
        let names = Arc::new(Names {
            teams: teams.iter().map(comm).collect(),
            earlier: earlier.collect(),
            ..names
        });
        for (location, batches) in batches {
            self.pipe.send(location, batches, &names);
        }
    }

    /// Ends the archive's events after the last segment; the locations `empty` have no events, but files as well.
    pub(crate) fn finish(mut self, empty: &[u64]) -> Result<Finished, Error> {
        self.teams.join_all();
        self.release();
        let names = Arc::default();
        for location in empty {
            self.pipe.send(*location, Vec::new(), &names);
        }
        let counts: Counts = self.pipe.finish()?;
        let complete = |number: u64| {
            let Count { events, .. } = counts.get(&number).copied().unwrap_or_default();
            Location { number, events }
        };
        let first_metric = METRICS + COUNTERS.len() as u64;
        let metric = |((member, of), number): (&(MetricMember, TrackRef), u64)| LocationMetric {
            member: *member,
            of: *of,
            location: complete(number),
        };
        Ok(Finished {
            tracks: (0..self.made.len() as u64).map(complete).collect(),
            counters: (METRICS..first_metric).map(complete).collect(),
            metrics: self.metrics.iter().zip(first_metric..).map(metric).collect(),
            paths: self.paths,
            tenants: self.tenants,
            comms: self.teams.comms(self.made.len()),
            last: counts.values().map(|count| count.last).max().unwrap_or_default(),
            unfinished: self.alive.len(),
            markers: self.markers,
        })
    }
}
