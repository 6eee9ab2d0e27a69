//! The sink: reads a timeline and keeps sums. Its memory grows with what is alive and with the number of different
//! constructs, never with the length of the run.

mod account;
mod cores;
mod ending;
mod frames;
mod instants;
mod journal;
mod paths;
mod run;
mod samples;
mod team_threads;
mod unfinished;
mod window;

pub use ending::Ending;
pub(crate) use window::End;
pub use window::Window;

use crate::blame::Ledger;
use crate::chain::Chain;
use crate::construct_table::{ConstructRef, ConstructTable};
use crate::contexts::Contexts;
use crate::core_use::CoreUse;
use crate::counters::Counted;
use crate::devices::{DeviceSums, is_of_devices};
use crate::journal::{Entry, Journal};
use crate::locks::Locks;
use crate::mpi::MpiSums;
use crate::numbers::Sums;
use crate::phase::Progress;
use crate::phases::PhaseSums;
use crate::regions::Regions;
use crate::sampled::Sampled;
use crate::tasks::Tasks;
use crate::thread::Thread;
use crate::unfinished::Unfinished;
use ompttrace_model::ompt::Mutex;
use ompttrace_model::{
    Counter, Definitions, Event, Executor, Instant, LockRef, RegionTrack, Slice, SliceKind,
    TeamThread, ThreadInfo, ThreadRef,
};
use ompttrace_recording::Id;
use ompttrace_recording::facts::Facts;
use window::Bounds;

/// Makes a [`Report`](crate::Report) of a timeline.
#[derive(Debug)]
pub struct ReportSink {
    pub(crate) ending: Ending,
    /// Number of cores for the program alone, if a user gave it.
    pub(crate) dedicated: Option<u32>,
    pub(crate) facts: Facts,
    pub(crate) infos: Vec<ThreadInfo>,
    /// The part of the run that is reported: its begin and end are those of the report.
    pub(crate) window: Window,
    pub(crate) bounds: Bounds,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// No time is later than this.
    latest: u64,
    /// The begin and the end of the whole run.
    pub(crate) run: (u64, u64),
    pub(crate) construct_table: ConstructTable,
    pub(crate) sums: Sums,
    pub(crate) threads: Vec<Thread>,
    pub(crate) ledger: Ledger,
    pub(crate) regions: Regions,
    pub(crate) locks: Locks,
    pub(crate) contexts: Contexts,
    pub(crate) tasks: Tasks,
    /// Time to store a record, in nanoseconds.
    record_ns: u64,
    /// The most threads at a time, helpers left out.
    pub(crate) most_present: u64,
    pub(crate) stopped: Option<u64>,
    /// Threads that worked when the recording stopped.
    pub(crate) working_at_stop: u64,
    /// Waits that the end of the recording cut off.
    pub(crate) unfinished: Vec<Unfinished>,
    /// The most teams of several threads within each other.
    pub(crate) levels: u32,
    /// Counter values of threads and regions.
    pub(crate) counted: Counted,
    /// Cores that the program may use; 0 is unknown.
    pub(crate) usable_cores: u32,
    /// Cores on which threads ran, and those that others had.
    pub(crate) core_use: CoreUse,
    /// Teams of several threads that are in no other one: now, and at most at a time.
    outermost_teams: u64,
    pub(crate) most_teams: u64,
    /// The thread whose time was accounted for last, and up to when: many events come at one instant.
    settled: (ThreadRef, u64),
    /// The thread whose innermost slice may be another one since then.
    changed: Option<ThreadRef>,
    /// Number of definitions at the last event.
    defined: usize,
    /// The region that was encountered last, with the chain and the progress that led to it.
    fork: Option<(Id, Chain, Progress)>,
    /// Samples by line and call stack.
    pub(crate) sampled: Sampled,
    /// Calls of MPI.
    pub(crate) mpi: MpiSums,
    /// Activities of devices.
    pub(crate) devices: DeviceSums,
    /// Phases that the program marks itself.
    pub(crate) phases: PhaseSums,
    /// Every charge, where somebody wants more of them than the sums.
    pub(crate) journal: Option<Box<Journal>>,
}

impl ReportSink {
    /// A report of which nothing is known yet.
    pub fn new() -> ReportSink {
        ReportSink {
            ending: Ending::default(),
            dedicated: None,
            facts: Facts::default(),
            infos: Vec::new(),
            window: Window::default(),
            bounds: Bounds::default(),
            begin: 0,
            end: 0,
            latest: u64::MAX,
            run: (0, 0),
            construct_table: ConstructTable::new(),
            sums: Sums::new(),
            threads: Vec::new(),
            ledger: Ledger::new(0),
            regions: Regions::default(),
            locks: Locks::default(),
            contexts: Contexts::default(),
            tasks: Tasks::default(),
            record_ns: 0,
            most_present: 0,
            stopped: None,
            working_at_stop: 0,
            unfinished: Vec::new(),
            levels: 0,
            counted: Counted::default(),
            usable_cores: 0,
            core_use: CoreUse::default(),
            outermost_teams: 0,
            most_teams: 0,
            settled: (ThreadRef::MAX, 0),
            changed: None,
            defined: 0,
            fork: None,
            sampled: Sampled::default(),
            mpi: MpiSums::default(),
            devices: DeviceSums::default(),
            phases: PhaseSums::default(),
            journal: None,
        }
    }

    /// Sets the program's state at the end of a recording that the runtime did not end.
    pub fn ending(self, ending: Ending) -> ReportSink {
        ReportSink { ending, ..self }
    }

    /// Sets the number of cores for the program alone: before its first team all but one of them idle. By default it is
    /// the number that the process may use.
    pub fn with_cores(self, cores: Option<u32>) -> ReportSink {
        ReportSink { dedicated: cores, ..self }
    }

    /// Number of threads that could have worked before the first team.
    pub(crate) fn dedicated(&self) -> u64 {
        match self.dedicated.unwrap_or(self.usable_cores) {
            0 => self.most_present,
            cores => cores.into(),
        }
    }

    /// The thread that a call is about.
    #[inline(always)]
    pub(crate) fn thread(&mut self, thread: ThreadRef) -> &mut Thread {
        let at = thread as usize;
        if self.threads.len() <= at {
            self.grow(at);
        }
        &mut self.threads[at]
    }

    /// A thread that the run did not name.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, at: usize) {
        self.threads.resize_with(at + 1, Thread::default);
    }
}

impl Default for ReportSink {
    fn default() -> ReportSink {
        ReportSink::new()
    }
}

impl ReportSink {
    /// Adds the definitions since the last event.
    #[cold]
    pub(crate) fn define(&mut self, definitions: &Definitions) {
        self.defined = definitions.count();
        self.construct_table.define(definitions);
        let were_reported = self.contexts.are_reported();
        self.contexts.define(definitions);
        if self.contexts.are_reported() && !were_reported {
            // All time so far was in none.
            let none = self.contexts.times(0);
            self.threads.iter().for_each(|thread| none.add_all(&thread.times));
        }
        self.locks.define(definitions);
    }

    fn begin(&mut self, at: u64, executor: Executor, slice: &Slice<'_>) {
        if is_of_devices(slice.kind) {
            return self.devices.begins(executor.thread, at, slice);
        }
        self.settle(executor.thread, at);
        if let Some(kind) = Self::wait_kind(slice.kind) {
            self.wait_begins(executor.thread, at, kind, slice.resumed);
        }
        self.open(executor.thread, at, slice);
        self.changed = Some(executor.thread);
    }

    fn end(&mut self, at: u64, executor: Executor, kind: SliceKind) {
        if is_of_devices(kind) {
            let end = self.bounds.end(at);
            return self.devices.ends(executor.thread, end);
        }
        self.settle(executor.thread, at);
        self.close(executor.thread, at);
        self.changed = Some(executor.thread);
    }

    fn suspend(&mut self, at: u64, executor: Executor) {
        self.settle(executor.thread, at);
        self.thread(executor.thread).stack.pop();
        self.changed = Some(executor.thread);
    }

    fn instant(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        self.note_change();
        self.happens(at, executor.thread, instant);
    }

    fn region_begin(&mut self, at: u64, track: RegionTrack, slice: &Slice<'_>) {
        let construct = self.construct_table.region(slice.name, slice.source);
        let fork = self.fork.take().filter(|(region, ..)| *region == slice.task);
        self.regions.begin(at, track, slice.task, construct);
        if let Some((region, chain, progress)) = fork {
            self.regions.set_fork(region, chain, progress);
        }
    }

    fn region_end(&mut self, at: u64, track: RegionTrack) {
        self.regions.end(at, track, self.bounds.ends(), &mut self.sums);
    }

    fn hold_begin(&mut self, at: u64, lock: LockRef, executor: Executor, slice: &Slice<'_>) {
        let thread = self.thread(executor.thread);
        let ((construct, _), busy) = (thread.innermost(), thread.busy_at(at));
        let source = self.construct_table.same(slice.source);
        self.locks.hold_begins(at, lock, (executor.thread, busy), construct, source);
    }

    fn hold_end(&mut self, at: u64, lock: LockRef) {
        let threads = &self.threads;
        let busy = |t| threads.get(t as usize).map_or(0, |thread: &Thread| thread.busy_at(at));
        let end = self.bounds.end(at);
        let Some(over) = self.locks.hold_ends(end, lock, busy) else { return };
        self.charge_holder(at, over.thread, over.construct, over.blame);
        if over.waited_for {
            self.note_change();
            self.path_of_release(over.thread, at, over.lock);
        }
    }

    /// A thread held a mutex in a construct, and others lacked it for so long meanwhile.
    pub(super) fn charge_holder(
        &mut self,
        at: u64,
        thread: ThreadRef,
        construct: ConstructRef,
        nanoseconds: u64,
    ) {
        self.sums.of(construct).mutex += nanoseconds;
        if nanoseconds > 0 && self.journal.is_some() {
            let holder = self.thread(thread);
            let state = holder.now.state.unwrap_or_else(|| holder.unknown());
            self.note(Entry::Held { thread, at, construct, state, nanoseconds });
        }
    }

    fn team_thread_begin(&mut self, at: u64, executor: Executor, team_thread: &TeamThread) {
        self.note_change();
        self.settle(executor.thread, at);
        self.enter(executor.thread, at, team_thread);
    }

    fn team_thread_end(&mut self, at: u64, executor: Executor) {
        self.note_change();
        self.settle(executor.thread, at);
        self.leave(executor.thread, at);
    }

    fn task_runs(&mut self, at: u64, executor: Executor, task: Id) {
        self.note_change();
        self.settle(executor.thread, at);
        self.switch(executor.thread, at, task);
    }

    fn task_over(&mut self, at: u64, executor: Executor, task: Id) {
        self.note_change();
        self.settle(executor.thread, at);
        self.path_of_task_ends(executor.thread, at, task);
    }

    fn lock_asked(&mut self, at: u64, executor: Executor, kind: Mutex, wait_id: u64) {
        self.note_change();
        self.settle(executor.thread, at);
        let lock = self.locks.asked(at, kind, wait_id);
        self.thread(executor.thread).asked = Some(lock);
    }
}

impl ReportSink {
    /// Takes in an event.
    #[inline(always)]
    pub(crate) fn take(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.defined != definitions.count() {
            self.define(definitions);
        }
        self.bounds.now = at;
        let at = self.bounded(at);
        match *event {
            Event::Begin(executor, ref slice) => self.begin(at, executor, slice),
            Event::End(executor, kind, _) => self.end(at, executor, kind),
            Event::Suspend(executor, ..) => self.suspend(at, executor),
            Event::Instant(executor, ref instant) => self.instant(at, executor, instant),
            Event::RegionBegin(track, ref slice) => self.region_begin(at, track, slice),
            Event::RegionEnd(track, _) => self.region_end(at, track),
            Event::HoldBegin(lock, executor, ref slice) => {
                self.hold_begin(at, lock, executor, slice)
            }
            Event::HoldEnd(lock, _) => self.hold_end(at, lock),
            Event::TeamThreadBegin(executor, ref team_thread) => {
                self.team_thread_begin(at, executor, team_thread)
            }
            Event::TeamThreadEnd(executor) => self.team_thread_end(at, executor),
            Event::TaskRuns(executor, task) => self.task_runs(at, executor, task),
            Event::TaskEnd(executor, task, _) => self.task_over(at, executor, task),
            Event::LockRequested { executor, kind, wait_id } => {
                self.lock_asked(at, executor, kind, wait_id);
            }
            Event::LockRefused { executor, kind, wait_id, count, first } => {
                let count = if self.bounds.ends() { count } else { 0 };
                let lock = self.locks.refused(kind, wait_id, count);
                self.thread(executor.thread).refusals.refused(lock, first);
            }
            Event::LockAcquired(executor, lock) => {
                self.note_change();
                self.acquired(at, executor.thread, lock);
            }
            Event::Core(thread, core) => self.core(at, thread, core),
            Event::CoreSums(thread, ref sums) => self.core_sums(at, thread, sums),
            Event::Stop => self.stop(at),
            Event::Counter(Counter::OfThread(t, counter), value) => {
                let region = self.thread(t).counted_in();
                let counts = self.bounds.ends();
                self.counted.read((t, counter), value.max(0) as u64, region, counts);
            }
            Event::Sample(executor, ref sample) if self.bounds.begins() => {
                self.take_sample(executor.thread, sample)
            }
            Event::State(thread, state) => {
                self.devices.state(thread, at, state);
                self.state(thread, at, state);
            }
            Event::Mpi(executor, ref event) if self.bounds.begins() => {
                self.mpi.transfers(executor.thread, event)
            }
            Event::PhaseBegin(executor, ref slice) => {
                self.phases.begins(definitions, executor.thread, at, slice);
            }
            Event::PhaseEnd(executor, _) => {
                self.phases.ends(executor.thread, at, self.bounds.ends());
            }
            Event::LockReleased(..) | Event::Counter(..) | Event::Sample(..) | Event::Mpi(..) => {}
        }
    }
}
