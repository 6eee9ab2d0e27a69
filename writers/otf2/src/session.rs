//! A session: receives the timeline of a window of the run, or of all of it, and turns it into segments.

use ompttrace_model::{
    Border, Core, Counter, Definitions, Event, Executor, FastMap, InstantKind, LockEvent, LogicalThread, Mark,
    MpiEvent, RunInfo, Sample, Sink, Slice, SliceKind, Summary, Takes, TeamThread, ThreadInfo,
    ThreadRef,
};
use ompttrace_recording::Id;

use crate::Error;
use crate::archive_state::{ArchiveState, LocationKind, MetricMember};
use crate::batch::BatchPool;
use crate::define::{COUNTERS, RunProperties};
use crate::ids::TrackRef;
use crate::lock_regions::LockRegions;
use crate::looks::Looks;
use crate::op::Attribute;
use crate::segment::Segment;
use crate::tables::DefinitionTables;
use crate::tables::collectives::has_record;

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
    has_releases: bool,
    /// The kernel's number of each thread.
    os_threads: Vec<u32>,
    /// Of each thread that is a stream the device.
    streams: Vec<Option<i64>>,
    has_streams: bool,
    pub(crate) locks: LockRegions,
    pub(crate) slices: Looks<SliceKind>,
    pub(crate) instants: Looks<InstantKind>,
    /// Attributes of the current event.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) reports_loss: bool,
    sampled_every: Option<u64>,
    /// Number of open phases of each thread.
    phases: FastMap<ThreadRef, u32>,
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

    /// Calls for each archive that has a location for this executor.
    #[inline(always)]
    pub(crate) fn each(
        &mut self,
        executor: Executor,
        call: impl FnMut(&mut ArchiveState, TrackRef),
    ) {
        each(&mut self.archive_states, executor, call);
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

    #[inline(never)]
    fn new_value(&mut self, at: u64, counter: Counter, value: i64) {
        let number = match counter {
            Counter::ThreadsWorking => 0,
            Counter::ThreadsIdle => 1,
            Counter::LiveTasks => 2,
            Counter::OfThread(thread, counter) => {
                let member = MetricMember::Counter(counter);
                return self
                    .archive_states
                    .iter_mut()
                    .for_each(|archive_state| archive_state.metric(at, thread, member, value));
            }
        };
        self.archive_states
            .iter_mut()
            .for_each(|archive_state| archive_state.counter(at, number, value));
    }

    #[inline(never)]
    fn lock_acquired(&mut self, at: u64, executor: Executor, lock: &LockEvent) {
        let lock = *lock;
        if !self.has_releases {
            // Its wait is reported; an acquisition that never ends would be taken for a deadlock.
            return;
        }
        let regions = self.locks.of(&mut self.tables, lock);
        let holder = (executor.thread, lock.lock);
        match regions {
            (region, None) => {
                if let Some((only, track)) = only(&mut self.archive_states, executor) {
                    return only.lock_set(track, at, holder, region);
                }
                self.each(executor, move |archive_state, track| {
                    archive_state.lock_set(track, at, holder, region)
                })
            }
            (region, Some(block)) => self.each(executor, move |archive_state, track| {
                archive_state.construct_entered(track, at, (holder, lock.kind), (region, block))
            }),
        }
    }

    #[inline(never)]
    fn lock_released(&mut self, at: u64, executor: Executor, lock: &LockEvent) {
        let lock = *lock;
        if !lock.kind.is_lock() {
            let (thread, lock) = (executor.thread, lock.lock);
            self.each(executor, move |archive_state, track| {
                archive_state.block_ends(track, at, thread, lock)
            });
        } else {
            let region = self.locks.unlock(&mut self.tables, lock);
            let holder = (executor.thread, lock.lock);
            if let Some((only, track)) = only(&mut self.archive_states, executor) {
                return only.unlocked(track, at, holder, region);
            }
            self.each(executor, move |archive_state, track| {
                archive_state.unlocked(track, at, holder, region)
            });
        }
    }

    #[inline(never)]
    fn sampled(&mut self, at: u64, executor: Executor, sample: &Sample) {
        let Some(context) = sample.context.checked_sub(1) else { return };
        self.sampled_every.get_or_insert(sample.period_ns);
        self.each(executor, move |archive_state, track| archive_state.sampled(track, at, context));
    }

    /// Writes an event of MPI; one without a record in OTF2 is a region only.
    #[inline(never)]
    fn message(&mut self, at: u64, executor: Executor, event: &MpiEvent) {
        let event = *event;
        let is_known = |object| self.tables.has_object(object);
        if self.tables.has_world && has_record(&event, is_known) {
            if let MpiEvent::ObjectMade(_, object, _) = event
                && self.archive_states.iter().any(|state| !state.is_before())
            {
                self.tables.object_made(object);
            }
            self.each(executor, move |archive_state, track| archive_state.message(track, at, event));
        }
    }

    /// An event with new definitions.
    #[cold]
    #[inline(never)]
    fn encode_with_new(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.define(definitions);
        self.encode(at, event);
    }

    #[inline(always)]
    fn encode(&mut self, at: u64, event: &Event<'_>) {
        match event {
            Event::Begin(executor, slice) => self.encode_begin(at, *executor, slice),
            Event::End(executor, kind, mark) => self.encode_end(at, *executor, kind, *mark),
            Event::Instant(executor, instant) => self.encode_instant(at, *executor, instant),
            Event::Counter(counter, value) => self.new_value(at, *counter, *value),
            Event::TeamThreadBegin(executor, team_thread) => {
                self.team_thread_begins(at, *executor, team_thread);
            }
            Event::TeamThreadEnd(executor) => self.team_thread_ends(at, *executor),
            Event::TaskRuns(executor, task) => self.task_runs(at, *executor, *task),
            Event::TaskEnd(executor, task, _) => self.task_over(at, *executor, *task),
            Event::LockAcquired(executor, lock) => self.lock_acquired(at, *executor, lock),
            Event::LockReleased(executor, lock) => self.lock_released(at, *executor, lock),
            Event::Core(thread, core) => self.core(at, *thread, *core),
            Event::Sample(executor, sample) => self.sampled(at, *executor, sample),
            Event::Mpi(executor, event) => self.message(at, *executor, event),
            Event::PhaseBegin(executor, slice) => self.phase_begins(at, *executor, slice),
            Event::PhaseEnd(executor, mark) => self.phase_ends(at, *executor, *mark),
            Event::Stop => self.stop(at),
            // Regions stand on the thread that forks, holds of locks on those that have them.
            Event::Suspend(..)
            | Event::State(..)
            | Event::RegionBegin(..)
            | Event::RegionEnd(..)
            | Event::HoldBegin(..)
            | Event::HoldEnd(..)
            | Event::LockRequested { .. }
            | Event::LockRefused { .. }
            | Event::CoreSums(..) => {}
        }
    }

    #[inline(never)]
    fn encode_end(&mut self, at: u64, executor: Executor, kind: &SliceKind, mark: Mark) {
        if let Some((only, track)) = only(&mut self.archive_states, executor) {
            return only.end(track, at, *kind, mark);
        }
        self.each(executor, move |archive_state, track| archive_state.end(track, at, *kind, mark));
    }

    /// A phase is a region of the task in which it begins.
    #[inline(never)]
    fn phase_begins(&mut self, at: u64, executor: Executor, slice: &Slice<'_>) {
        let depth = self.phases.entry(executor.thread).or_default();
        *depth += 1;
        let depth = *depth;
        self.encode_begin(at, executor, slice);
        self.each(executor, move |archive_state, track| archive_state.phase_begun(track, depth));
    }

    #[inline(never)]
    fn phase_ends(&mut self, at: u64, executor: Executor, mark: Mark) {
        let depth = self.phases.entry(executor.thread).or_default();
        let over = *depth;
        *depth = depth.saturating_sub(1);
        self.each(executor, move |archive_state, track| archive_state.phase_ends(track, at, over, mark));
    }

    #[inline(never)]
    fn team_thread_begins(&mut self, at: u64, executor: Executor, team_thread: &TeamThread) {
        let os_thread = self.os_thread(executor);
        self.each(executor, move |archive_state, track| {
            archive_state.team_thread_begin(track, at, os_thread, team_thread)
        });
    }

    #[inline(never)]
    fn team_thread_ends(&mut self, at: u64, executor: Executor) {
        self.each(executor, move |archive_state, track| archive_state.team_thread_end(track, at));
    }

    #[inline(never)]
    fn task_runs(&mut self, at: u64, executor: Executor, task: Id) {
        if let Some((only, track)) = only(&mut self.archive_states, executor) {
            return only.task_runs(track, at, task);
        }
        self.each(executor, move |archive_state, track| archive_state.task_runs(track, at, task));
    }

    #[inline(never)]
    fn task_over(&mut self, at: u64, executor: Executor, task: Id) {
        if let Some((only, track)) = only(&mut self.archive_states, executor) {
            return only.task_over(track, at, task);
        }
        self.each(executor, move |archive_state, track| archive_state.task_over(track, at, task));
    }

    #[inline(never)]
    fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        self.archive_states
            .iter_mut()
            .for_each(|archive_state| archive_state.core(at, thread, core));
    }

    #[inline(never)]
    fn stop(&mut self, at: u64) {
        for archive_state in &mut self.archive_states {
            archive_state.cut_locks(at);
            archive_state.cut_suspended(at);
        }
    }
}

/// The archive and the executor's location in it, if there is one archive only, as there mostly is: what is frequent asks for it, so that
/// its code stands in the caller.
#[inline(always)]
pub(crate) fn only(
    archive_states: &mut [ArchiveState],
    executor: Executor,
) -> Option<(&mut ArchiveState, TrackRef)> {
    match archive_states {
        [one] => one.known_track_of(executor).map(|track| (one, track)),
        _ => None,
    }
}

/// Calls for each of these archives that has a location for this executor.
#[inline(never)]
pub(crate) fn each(
    archive_states: &mut [ArchiveState],
    executor: Executor,
    mut call: impl FnMut(&mut ArchiveState, TrackRef),
) {
    for archive_state in archive_states {
        if let Some(track) = archive_state.track_of(executor) {
            call(archive_state, track);
        }
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
