//! A session: receives the timeline of a window of the run, or of all of it, and turns it into segments.

use ompttrace_model::{
    Border, Definitions, Event, Executor, FastMap, InstantKind, LogicalThread, Mark, RunInfo, Sink,
    SliceKind, Summary, Takes, ThreadInfo, ThreadRef,
};

use crate::Error;
use crate::archive_state::{ArchiveState, LocationKind};
use crate::batch::BatchPool;
use crate::define::{COUNTERS, RunProperties};
use crate::lock_regions::LockRegions;
use crate::looks::Looks;
use crate::op::Attribute;
use crate::segment::Segment;
use crate::tables::DefinitionTables;

/// Parts of a window in a segment: segments wait for the threads of a team, but not for more than a few further segments.
const PARTS: u32 = 4;

/// The sink of one window, or of a whole run.
#[derive(Debug)]
pub struct Session {
    views: Vec<LocationKind>,
    pool: BatchPool,
    /// True if the session begins with the run.
    is_first: bool,
    pub(crate) archive_states: Vec<ArchiveState>,
    pub(crate) tables: DefinitionTables,
    pub(crate) has_releases: bool,
    /// The kernel's number of each thread.
    os_threads: Vec<u32>,
    /// Of each thread that is a stream the device.
    streams: Vec<Option<i64>>,
    has_streams: bool,
    pub(crate) locks: LockRegions,
    /// Looks of slices and, below, of instants.
    pub(crate) slices: Looks<SliceKind>,
    pub(crate) instants: Looks<InstantKind>,
    /// Attributes of the current event.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) reports_loss: bool,
    pub(crate) sampled_every: Option<u64>,
    /// Number of open phases of each thread.
    pub(crate) phases: FastMap<ThreadRef, u32>,
    /// Number of definitions at the last event; below, number of logical threads.
    defined: usize,
    logical_threads_known: usize,
    /// True if the session ends at a border, after which another one continues.
    ends_at_border: bool,
    /// Number of parts of the window so far.
    parts: u32,
}

impl Session {
    /// A session for these views.
    pub(crate) fn new(views: &[LocationKind], pool: &BatchPool, is_first: bool) -> Session {
        Session {
            views: views.to_vec(),
            pool: pool.clone(),
            is_first,
            archive_states: Vec::new(),
            tables: DefinitionTables::default(),
            has_releases: true,
            os_threads: Vec::new(),
            streams: Vec::new(),
            has_streams: false,
            locks: LockRegions::default(),
            slices: Looks::default(),
            instants: Looks::default(),
            attributes: Vec::new(),
            reports_loss: false,
            sampled_every: None,
            phases: FastMap::default(),
            defined: 0,
            logical_threads_known: 0,
            ends_at_border: false,
            parts: 0,
        }
    }

    /// The segment of all events since the last one; `ends`: it is the session's last one.
    pub(crate) fn segment(&mut self, ends: bool) -> Segment {
        Segment {
            new: self.tables.take_new(),
            views: self.archive_states.iter_mut().map(|state| state.segment(ends)).collect(),
            ends,
            reports_loss: self.reports_loss,
            sampled_every: self.sampled_every,
        }
    }

    pub(crate) fn os_thread(&self, executor: Executor) -> u32 {
        self.os_threads.get(executor.thread as usize).copied().unwrap_or(0)
    }

    /// The device of a stream; `None`: it is no stream.
    pub(crate) fn device_of(&self, executor: Executor) -> Option<i64> {
        self.streams.get(executor.thread as usize).copied().flatten()
    }

    /// True if devices report copies themselves.
    pub(crate) fn has_streams(&self) -> bool {
        self.has_streams
    }

    /// Takes in what was defined since the last event.
    #[cold]
    fn define(&mut self, definitions: &Definitions) {
        self.defined = definitions.count();
        self.tables.define(definitions);
        for lock in definitions.locks().iter().skip(self.locks.count()) {
            self.locks.define(lock);
            // A wait of this name is for another lock from now on.
            self.slices.forget(lock.wait_name);
        }
        for logical_thread in definitions.logical_threads().iter().skip(self.logical_threads_known)
        {
            self.add_logical_thread(logical_thread);
        }
        self.logical_threads_known = definitions.logical_threads().len();
    }

    fn add_logical_thread(&mut self, logical_thread: &LogicalThread) {
        // Thread 0 of a team goes on where it forked, as in Score-P's archives.
        let first = matches!(logical_thread.path.rsplit('.').next(), Some("0" | "t0"));
        let on = logical_thread.parent.filter(|_| first);
        let logical_threads = self
            .archive_states
            .iter_mut()
            .filter(|archive_state| archive_state.of == LocationKind::LogicalThreads);
        logical_threads
            .for_each(|archive_state| archive_state.add_logical_thread(&logical_thread.path, on));
    }

    /// An event with new definitions.
    #[cold]
    #[inline(never)]
    fn encode_with_new(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.define(definitions);
        self.encode(at, event);
    }
}

impl Sink for Session {
    type Output = Segment;
    type Error = Error;

    /// A suspended task keeps what it has entered: see [`Event::TaskRuns`].
    const TAKES: Takes = Takes {
        states: false,
        resumptions: false,
        lock_requests: false,
        holds: false,
        ..Takes::ALL
    };

    fn start(&mut self, run: &RunInfo<'_>) {
        let RunProperties { has_releases, has_switches, .. } = RunProperties::of(run);
        self.has_releases = has_releases;
        self.os_threads = run.threads.iter().map(|thread| thread.os_thread).collect();
        let device = |thread: &ThreadInfo| thread.stream.map(|stream| stream.device.into());
        self.streams = run.threads.iter().map(device).collect();
        self.has_streams = self.streams.iter().any(Option::is_some);
        for device in self.streams.iter().flatten() {
            self.tables.device(*device);
        }
        let marks = [Mark::Inferred, Mark::Cut].map(|mark| self.tables.certainty(mark));
        for of in &self.views {
            let (counters, pool) = (COUNTERS.len(), &self.pool);
            let mut state = ArchiveState::new(*of, marks, counters, self.is_first, pool);
            if *of == LocationKind::Threads {
                state.add_threads(run.threads.len());
            }
            if !has_switches {
                state.has_no_switches();
            }
            self.archive_states.push(state);
        }
    }

    /// Leaves events that come with new definitions to another function: this function makes tail calls only, and so saves no registers.
    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.defined != definitions.count() {
            return self.encode_with_new(definitions, at, event);
        }
        self.encode(at, event);
    }

    fn begin_window(&mut self, _: &Definitions, _: &Border) {
        self.archive_states.iter_mut().for_each(ArchiveState::begin_window);
    }

    fn end_window(&mut self, _: &Definitions, _: &Border) {
        self.archive_states.iter_mut().for_each(ArchiveState::end_window);
        self.ends_at_border = true;
    }

    fn part(&mut self) -> Option<Segment> {
        self.parts += 1;
        self.parts.is_multiple_of(PARTS).then(|| self.segment(false))
    }

    fn finish(mut self, definitions: &Definitions, _: &Summary) -> Result<Segment, Error> {
        self.define(definitions);
        if !self.ends_at_border {
            self.archive_states.iter_mut().for_each(ArchiveState::close_all);
        }
        Ok(self.segment(true))
    }
}
