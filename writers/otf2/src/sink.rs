//! The writer proper: receives a timeline once and fills an archive for each view that is wanted.

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use ompttrace_model::{
    Counter, Definitions, Event, Executor, LockEvent, LogicalThread, Mark, RunInfo, Sample, Sink,
    Summary,
};

use crate::archive::{Archive, Context, Pipe};
use crate::archive_state::{ArchiveState, Member, Of};
use crate::define::{COUNTERS, MOST_ARGUMENTS, Named, Run};
use crate::op::Attribute;
use crate::tables::DefinitionTables;
use crate::written::Written;
use crate::{Error, lock_regions::LockRegions};

/// Writes a timeline as OTF2 archives.
#[derive(Debug)]
pub struct Otf2Sink {
    /// Archives that are begun, until the run is known.
    pub(crate) begun: Vec<(Of, Archive)>,
    pub(crate) archive_states: Vec<ArchiveState>,
    pub(crate) tables: DefinitionTables,
    pub(crate) run: Run,
    pub(crate) threads: Vec<Named>,
    pub(crate) logical_threads: Vec<Named>,
    pub(crate) devices: Vec<i64>,
    pub(crate) locks: LockRegions,
    /// Attributes of the event that is reported just now.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) reported_loss: bool,
    /// Threads that encode, of all archives together.
    encoders: usize,
    /// How much was defined at the last event, and how many logical threads.
    defined: usize,
    logical_threads_known: usize,
    pub(crate) error: Option<Error>,
}

impl Otf2Sink {
    /// Begins an archive for each view that is wanted, in a folder that must not exist: with OS
    /// threads as locations, or with logical threads.
    pub fn new(threads: Option<&Path>, logical_threads: Option<&Path>) -> Result<Otf2Sink, Error> {
        let views = [(Of::Threads, threads), (Of::LogicalThreads, logical_threads)].into_iter();
        let begun = views
            .filter_map(|(of, path)| Some((of, path?)))
            .map(|(of, path)| Ok((of, Archive::create(path)?)))
            .collect::<Result<_, Error>>()?;
        Ok(Otf2Sink {
            begun,
            archive_states: Vec::new(),
            tables: DefinitionTables::default(),
            run: Run::default(),
            threads: Vec::new(),
            logical_threads: Vec::new(),
            devices: Vec::new(),
            locks: LockRegions::default(),
            attributes: Vec::new(),
            reported_loss: false,
            encoders: available_parallelism().map_or(1, NonZero::get) - 1,
            defined: 0,
            logical_threads_known: 0,
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
    pub(crate) fn each(
        &mut self,
        executor: Executor,
        mut call: impl FnMut(&mut ArchiveState, u32),
    ) {
        for archive_state in &mut self.archive_states {
            if let Some(track) = archive_state.track_of(executor) {
                call(archive_state, track);
            }
        }
    }

    pub(crate) fn os_thread(&self, executor: Executor) -> u32 {
        self.threads.get(executor.thread as usize).and_then(|named| named.os_thread).unwrap_or(0)
    }

    fn open_states(&mut self, run: &RunInfo<'_>) -> Result<(), Error> {
        let strings = &mut self.tables.strings;
        let process = &run.facts.process;
        let names = ["ThreadId", "ProcessId"].map(|name| strings.number(name));
        let [thread_id, process_id] =
            names.map(|name| self.tables.attributes.define(name, otf2_sys::OTF2_TYPE_UINT64));
        let marks = [Mark::Inferred, Mark::Cut].map(|mark| self.tables.certainty(mark));
        let begun = std::mem::take(&mut self.begun);
        let share = |left: usize| (self.encoders + left - 1) / begun.len();
        let shares: Vec<_> = (1..=begun.len()).rev().map(share).collect();
        for ((of, archive), encoders) in begun.into_iter().zip(shares) {
            let archive = Arc::new(archive);
            let strings = &mut self.tables.strings;
            let program = strings.number(&process.executable);
            let arguments = process.arguments.iter().skip(1).take(MOST_ARGUMENTS);
            let arguments = arguments.map(|argument| strings.number(argument)).collect();
            let context =
                Context { process: process.pid, program, arguments, thread_id, process_id };
            let pipe = Pipe::start(&archive, context, encoders);
            let mut archive_state =
                ArchiveState::new(of, archive, pipe, marks, COUNTERS.len() as u64)?;
            if of == Of::Threads {
                archive_state.add_threads(run.threads.len());
            }
            if !self.run.has_switches {
                archive_state.has_no_switches();
            }
            crate::marks::define(&mut archive_state.markers)?;
            self.archive_states.push(archive_state);
        }
        Ok(())
    }

    /// Takes in what was defined since the last event.
    #[cold]
    fn define(&mut self, definitions: &Definitions) {
        self.defined = definitions.count();
        self.tables.define(definitions);
        for lock in definitions.locks().iter().skip(self.locks.count()) {
            self.locks.define(lock);
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
        if on.is_none() {
            self.logical_threads.push(Named { name: logical_thread.path.clone(), os_thread: None });
        }
        let logical_threads = self
            .archive_states
            .iter_mut()
            .filter(|archive_state| archive_state.of == Of::LogicalThreads);
        logical_threads.for_each(|archive_state| archive_state.add_logical_thread(on));
    }

    fn new_value(&mut self, at: u64, counter: Counter, value: i64) {
        let number = match counter {
            Counter::ThreadsWorking => 0,
            Counter::ThreadsIdle => 1,
            Counter::LiveTasks => 2,
            Counter::OfThread(thread, counter) => {
                let member = Member::Counter(counter);
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

    #[inline]
    fn lock_acquired(&mut self, at: u64, executor: Executor, lock: LockEvent) {
        if !self.run.has_releases {
            // Its wait is reported; an acquisition that never ends would be taken for a deadlock.
            return;
        }
        let regions = self.locks.of(&mut self.tables, lock);
        let holder = (executor.thread, lock.lock, lock.kind);
        self.each(executor, |archive_state, track| {
            archive_state.lock_acquired(track, at, holder, regions)
        });
    }

    #[inline]
    fn lock_released(&mut self, at: u64, executor: Executor, lock: LockEvent) {
        if !lock.kind.is_lock() {
            let (thread, lock) = (executor.thread, lock.lock);
            self.each(executor, |archive_state, track| {
                archive_state.block_ends(track, at, thread, lock)
            });
        } else {
            let region = self.locks.unlock(&mut self.tables, lock);
            let holder = (executor.thread, lock.lock);
            self.each(executor, |archive_state, track| {
                archive_state.unlocked(track, at, holder, region)
            });
        }
    }

    fn sampled(&mut self, at: u64, executor: Executor, sample: &Sample) {
        let Some(context) = sample.context.checked_sub(1) else { return };
        self.run.sampled_every.get_or_insert(sample.period_ns);
        self.each(executor, |archive_state, track| archive_state.sampled(track, at, context));
    }

    fn stop(&mut self, at: u64) {
        for archive_state in &mut self.archive_states {
            archive_state.cut_locks(at);
            archive_state.cut_suspended(at);
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
        if let Err(error) = self.open_states(run) {
            self.error.get_or_insert(error);
        }
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.defined != definitions.count() {
            self.define(definitions);
        }
        match *event {
            Event::Begin(executor, ref slice) => self.encode_begin(at, executor, slice),
            Event::End(executor, kind, mark) => {
                self.each(executor, |archive_state, track| {
                    archive_state.end(track, at, kind, mark)
                });
            }
            Event::Instant(executor, ref instant) => self.encode_instant(at, executor, instant),
            Event::Counter(counter, value) => self.new_value(at, counter, value),
            Event::TeamThreadBegin(executor, ref member) => {
                let os_thread = self.os_thread(executor);
                self.each(executor, |archive_state, track| {
                    archive_state.member_begin(track, at, os_thread, member)
                });
            }
            Event::TeamThreadEnd(executor) => {
                self.each(executor, |archive_state, track| archive_state.member_end(track, at));
            }
            Event::TaskRuns(executor, task) => {
                self.each(executor, |archive_state, track| {
                    archive_state.task_runs(track, at, task)
                });
            }
            Event::TaskEnd(executor, task, _) => {
                self.each(executor, |archive_state, track| {
                    archive_state.task_over(track, at, task)
                });
            }
            Event::LockAcquired(executor, lock) => self.lock_acquired(at, executor, lock),
            Event::LockReleased(executor, lock) => self.lock_released(at, executor, lock),
            Event::Core(thread, core) => {
                self.archive_states
                    .iter_mut()
                    .for_each(|archive_state| archive_state.core(at, thread, core));
            }
            Event::Sample(executor, ref sample) => self.sampled(at, executor, sample),
            Event::Stop => self.stop(at),
            // A suspended task keeps what it has entered: see `TaskRuns`. Regions stand on the thread that forks, holds
            // of locks on those that have them.
            Event::Suspend(..)
            | Event::Unreported(..)
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
