//! Events of the timeline other than the begins of slices and the instants, which are in `encode.rs`.

use ompttrace_model::{
    Core, Counter, Event, Executor, LockEvent, Mark, MpiEvent, Sample, Slice, SliceKind,
    TeamThread, ThreadRef,
};
use ompttrace_recording::Id;

use crate::archive_state::{ArchiveState, MetricMember};
use crate::ids::TrackRef;
use crate::session::Session;
use crate::tables::collectives::has_record;

impl Session {
    /// Calls for each archive that has a location for this executor.
    #[inline(always)]
    pub(crate) fn each(
        &mut self,
        executor: Executor,
        call: impl FnMut(&mut ArchiveState, TrackRef),
    ) {
        each(&mut self.archive_states, executor, call);
    }

    #[inline(always)]
    pub(crate) fn encode(&mut self, at: u64, event: &Event<'_>) {
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
        self.each(executor, move |archive_state, track| {
            archive_state.phase_ends(track, at, over, mark)
        });
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
    fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        self.archive_states
            .iter_mut()
            .for_each(|archive_state| archive_state.core(at, thread, core));
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
            self.each(executor, move |archive_state, track| {
                archive_state.message(track, at, event)
            });
        }
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
