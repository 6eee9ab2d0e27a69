//! A sink that checks the timeline against its contract.
//!
//! Properties: names, locations, logical threads and locks are dense and reported before their use; per thread and
//! per logical thread times never go back and slices nest; every begin gets one end of the same kind; the slice of a
//! task begins when it runs, and a team thread is left when its own task runs; tracks and locks have one slice at
//! a time; flows end only where they began before; the summary is what was reported. `finish` names the first breaches.

mod closing;
mod contexts;
mod cores;
mod locks;
mod mpi;
mod phases;
mod states;
mod teams;

use super::seen::{SeenHold, SeenInstant, SeenPhase, SeenRegion, SeenSlice, Timeline};
use super::team_threads::TeamThreads;
use ompttrace_model::{
    Core, Counter, Definitions, Event, Executor, Instant, InstantKind, LockRef, LogicalThreadRef,
    Mark, NameRef, RegionTrack, RunInfo, Sink, Slice, SliceKind, SourceRef, State, Summary,
    ThreadRef,
};
use std::collections::HashMap;
use thiserror::Error;

/// Breaches that are reported.
const MAX_BREACHES: usize = 20;

/// The contract was broken.
#[derive(Debug, Error)]
#[error("{} breaches of the timeline's contract:\n{}", .0.len(), .0.join("\n"))]
pub struct Broken(pub Vec<String>);

/// A track on which slices nest.
#[derive(Debug, Default)]
struct Track {
    open: Vec<SliceKind>,
    last: u64,
}

/// The sink. [`Checker::default`] remembers everything, [`Checker::forgetful`] only checks.
#[derive(Debug, Default)]
pub struct Checker {
    timeline: Timeline,
    forget: bool,
    breaches: Vec<String>,
    seen: Summary,
    threads: usize,
    names: Vec<String>,
    sources: SourceRef,
    tracks: HashMap<ThreadRef, Track>,
    logical_threads: HashMap<LogicalThreadRef, Track>,
    open: HashMap<ThreadRef, Vec<SeenSlice>>,
    regions: HashMap<RegionTrack, (Option<SeenRegion>, u64)>,
    holds: HashMap<LockRef, (Option<SeenHold>, u64)>,
    counters: HashMap<Counter, u64>,
    cores: HashMap<ThreadRef, (u64, Core)>,
    states: HashMap<ThreadRef, (u64, Option<State>)>,
    phases: HashMap<ThreadRef, (u64, Vec<SeenPhase>)>,
    flows: HashMap<u64, u64>,
    team_threads: TeamThreads,
    asked_at: u64,
}

impl Checker {
    /// Checks without remembering, for long runs.
    pub fn forgetful() -> Checker {
        Checker { forget: true, ..Checker::default() }
    }

    /// The timeline that the checker has seen so far.
    pub fn remembered(&self) -> &Timeline {
        &self.timeline
    }

    #[cold]
    fn breach(&mut self, text: String) {
        if self.breaches.len() < MAX_BREACHES {
            self.breaches.push(text);
        }
    }

    fn check(&mut self, good: bool, text: impl FnOnce() -> String) {
        if !good {
            self.breach(text());
        }
    }

    fn name_of(&mut self, name: NameRef) -> String {
        let text = self.names.get(name as usize).cloned();
        self.check(text.is_some(), || format!("name {name} was never reported"));
        if self.forget { String::new() } else { text.unwrap_or_default() }
    }

    fn note(&mut self, mark: Mark) {
        self.seen.inferred += u64::from(mark == Mark::Inferred);
        self.seen.cut += u64::from(mark == Mark::Cut);
    }

    fn path(&self, logical_thread: Option<LogicalThreadRef>) -> String {
        if self.forget {
            return String::new();
        }
        let logical_thread = logical_thread
            .and_then(|logical_thread| self.timeline.logical_threads.get(logical_thread as usize));
        logical_thread.map(|logical_thread| logical_thread.path.clone()).unwrap_or_default()
    }

    /// Times on both tracks of a position only increase.
    fn at(&mut self, at: u64, executor: Executor) {
        let Executor { thread, logical_thread } = executor;
        let logical_threads = self.timeline.logical_threads.len() as u64;
        let known = (thread as usize) < self.threads
            && logical_thread
                .is_none_or(|logical_thread| u64::from(logical_thread) < logical_threads);
        self.check(known, || format!("{executor:?} was never reported"));
        let track = self.tracks.entry(thread).or_default();
        let mut back = std::mem::replace(&mut track.last, at) > at;
        if let Some(logical_thread) = logical_thread {
            let track = self.logical_threads.entry(logical_thread).or_default();
            back |= std::mem::replace(&mut track.last, at) > at;
        }
        self.check(!back, || format!("time goes back to {at} at {executor:?}"));
    }

    fn flows(&mut self, at: u64, begin: &[u64], end: &[u64]) {
        for flow in end {
            let began = self.flows.get(flow).copied();
            self.check(began.is_some_and(|began| began <= at), || {
                format!("flow {flow:#x} ends at {at} and began at {began:?}")
            });
        }
        for flow in begin {
            self.flows.entry(*flow).or_insert(at);
        }
    }

    /// Remembers what only writers of programs' structure want to know.
    fn say(&mut self, at: u64, executor: Executor, text: impl FnOnce() -> String) {
        if !self.forget {
            self.timeline.structure.push((at, executor.thread, text()));
        }
    }

    fn source(&mut self, source: SourceRef) {
        let known = source <= self.sources;
        self.check(known, || format!("source location {source} was never reported"));
    }

    /// The kind of the slice that ends on a track.
    fn pop(track: Option<&mut Track>) -> Option<SliceKind> {
        track?.open.pop()
    }

    fn begin(&mut self, at: u64, executor: Executor, slice: &Slice<'_>) {
        self.at(at, executor);
        self.flows(at, slice.flows, slice.flow_ends);
        self.source(slice.source);
        self.note(slice.mark);
        self.check_context(slice.context);
        self.seen.slices += 1;
        self.tracks.entry(executor.thread).or_default().open.push(slice.kind);
        if let Some(logical_thread) = executor.logical_thread {
            self.seen.logical_thread_slices += 1;
            self.logical_threads.entry(logical_thread).or_default().open.push(slice.kind);
        }
        let (name, logical_thread) = (self.name_of(slice.name), self.path(executor.logical_thread));
        if slice.kind == SliceKind::Task {
            let running = self.team_threads.running(executor.thread);
            self.check(running.is_none_or(|running| running == slice.task), || {
                format!("{} begins at {at}, and {running:?} runs on {executor:?}", slice.task)
            });
        }
        let open = self.open.entry(executor.thread).or_default();
        open.push(SeenSlice {
            thread: executor.thread,
            logical_thread,
            kind: slice.kind,
            name,
            source: slice.source,
            begin: at,
            end: 0,
            task: slice.task,
            args: if self.forget { Vec::new() } else { slice.args.to_vec() },
            flows: if self.forget { Vec::new() } else { slice.flows.to_vec() },
            flow_ends: if self.forget { Vec::new() } else { slice.flow_ends.to_vec() },
            begin_mark: slice.mark,
            end_mark: Mark::Observed,
            resumed: slice.resumed,
            context: slice.context,
            depth: open.len(),
        });
    }

    fn end(&mut self, at: u64, executor: Executor, kind: SliceKind, mark: Mark) {
        self.at(at, executor);
        self.note(mark);
        let on_thread = Self::pop(self.tracks.get_mut(&executor.thread));
        self.check(on_thread == Some(kind), || {
            format!("{kind:?} ends at {at} on {executor:?}, where {on_thread:?} is open")
        });
        if let Some(logical_thread) = executor.logical_thread {
            let on_logical_thread = Self::pop(self.logical_threads.get_mut(&logical_thread));
            self.check(on_logical_thread == Some(kind), || {
                format!("{kind:?} ends at {at} on {executor:?}, on whose logical thread {on_logical_thread:?} is open")
            });
        }
        let logical_thread = self.path(executor.logical_thread);
        let Some(mut slice) = self.open.get_mut(&executor.thread).and_then(Vec::pop) else {
            return;
        };
        self.check(slice.logical_thread == logical_thread, || {
            format!(
                "{kind:?} begins on logical thread {} and ends on {logical_thread}",
                slice.logical_thread
            )
        });
        (slice.end, slice.end_mark) = (at, mark);
        if !self.forget {
            self.timeline.slices.push(slice);
        }
    }

    fn instant(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        self.at(at, executor);
        self.flows(at, instant.flows, instant.flow_ends);
        self.source(instant.source);
        self.note(instant.mark);
        self.seen.instants += 1;
        self.seen.logical_thread_instants += u64::from(executor.logical_thread.is_some());
        let (name, path) = (self.name_of(instant.name), self.path(executor.logical_thread));
        if self.forget {
            return;
        }
        if instant.kind == InstantKind::TaskCreate {
            self.say(at, executor, || "a task is made".into());
        }
        self.timeline.instants.push(SeenInstant::of(instant, at, executor.thread, path, name));
    }

    fn region_begin(&mut self, at: u64, track: RegionTrack, slice: &Slice<'_>) {
        self.source(slice.source);
        self.note(slice.mark);
        self.flows(at, slice.flows, slice.flow_ends);
        self.seen.region_slices += 1;
        let name = self.name_of(slice.name);
        let seen = SeenRegion { track, name, begin: at, end: 0, end_mark: Mark::Observed };
        let (open, last) = self.regions.entry(track).or_default();
        let good = open.replace(seen).is_none() && std::mem::replace(last, at) <= at;
        self.check(good, || format!("{track:?} is taken, or time goes back there at {at}"));
    }

    fn region_end(&mut self, at: u64, track: RegionTrack, mark: Mark) {
        self.note(mark);
        let (open, last) = self.regions.entry(track).or_default();
        let good = open.is_some() && std::mem::replace(last, at) <= at;
        let seen = open.take();
        self.check(good, || format!("{track:?} ends at {at} without a begin, or time goes back"));
        if let Some(seen) = seen.filter(|_| !self.forget) {
            self.timeline.regions.push(SeenRegion { end: at, end_mark: mark, ..seen });
        }
    }

    fn hold_begin(&mut self, at: u64, lock: LockRef, executor: Executor, slice: &Slice<'_>) {
        self.source(slice.source);
        self.note(slice.mark);
        self.flows(at, slice.flows, slice.flow_ends);
        self.seen.hold_slices += 1;
        self.known_lock(lock);
        let seen = self.hold(at, lock, executor, slice);
        let (open, last) = self.holds.entry(lock).or_default();
        let good = open.replace(seen).is_none() && std::mem::replace(last, at) <= at;
        self.check(good, || format!("lock {lock} is held, or time goes back there at {at}"));
    }

    fn hold_end(&mut self, at: u64, lock: LockRef, mark: Mark) {
        self.note(mark);
        let (open, last) = self.holds.entry(lock).or_default();
        let good = open.is_some() && std::mem::replace(last, at) <= at;
        let seen = open.take();
        self.check(good, || format!("lock {lock} is given back at {at} unheld, or time goes back"));
        if let Some(seen) = seen.filter(|_| !self.forget) {
            self.timeline.holds.push(SeenHold { end: at, end_mark: mark, ..seen });
        }
    }

    fn new_value(&mut self, at: u64, counter: Counter, value: i64) {
        self.seen.counter_values += 1;
        let last = self.counters.insert(counter, at).unwrap_or(0);
        self.check(last <= at && value >= 0, || {
            format!("{counter:?} is {value} at {at}, after {last}")
        });
        if !self.forget {
            self.timeline.counters.push((at, counter, value));
        }
    }

    fn finish_checks(mut self, summary: &Summary) -> Result<Timeline, Broken> {
        self.check_end(summary);
        if !self.breaches.is_empty() {
            return Err(Broken(self.breaches));
        }
        self.timeline.summary = summary.clone();
        Ok(self.timeline)
    }

    /// Takes in what was defined since the last event.
    fn define(&mut self, definitions: &Definitions) {
        let known = self.names.len();
        self.names.extend(definitions.strings()[known..].iter().map(|text| text.to_string()));
        self.sources = definitions.source_locations().len() as SourceRef;
        let known = self.timeline.contexts.len();
        for (frame, context) in definitions.contexts().iter().zip(1..).skip(known) {
            self.define_context(context, frame);
        }
        let known = self.timeline.logical_threads.len();
        for (logical_thread, number) in definitions.logical_threads().iter().zip(0..).skip(known) {
            self.check(logical_thread.logical_thread == number, || {
                format!("logical thread {} is not the next", logical_thread.logical_thread)
            });
            let parent =
                logical_thread.parent.is_none_or(|parent| parent < logical_thread.logical_thread);
            self.check(parent, || {
                format!(
                    "logical thread {}: its parent was never defined",
                    logical_thread.logical_thread
                )
            });
            self.timeline.logical_threads.push(logical_thread.clone());
            self.seen.logical_threads += 1;
        }
        let known = self.timeline.locks.len();
        for (lock, number) in definitions.locks().iter().zip(0..).skip(known) {
            self.check(lock.lock == number, || format!("lock {} is not the next", lock.lock));
            self.timeline.locks.push((lock.lock, lock.name.clone()));
        }
    }
}

impl Sink for Checker {
    type Output = Timeline;
    type Error = Broken;

    const MIN_RESUME_NS: u64 = 0;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.threads = run.threads.len();
        self.check(run.begin <= run.end, || "the run ends before it begins".into());
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.define(definitions);
        match *event {
            Event::Begin(executor, ref slice) => self.begin(at, executor, slice),
            Event::End(executor, kind, mark) | Event::Suspend(executor, kind, mark) => {
                self.end(at, executor, kind, mark);
            }
            Event::Instant(executor, ref instant) => self.instant(at, executor, instant),
            Event::RegionBegin(track, ref slice) => self.region_begin(at, track, slice),
            Event::RegionEnd(track, mark) => self.region_end(at, track, mark),
            Event::HoldBegin(lock, executor, ref slice) => {
                self.hold_begin(at, lock, executor, slice)
            }
            Event::HoldEnd(lock, mark) => self.hold_end(at, lock, mark),
            Event::Counter(counter, value) => self.new_value(at, counter, value),
            Event::TeamThreadBegin(executor, ref team_thread) => {
                self.team_thread_begin(at, executor, team_thread)
            }
            Event::TeamThreadEnd(executor) => self.team_thread_end(at, executor),
            Event::TaskRuns(executor, task) => self.task_runs(at, executor, task),
            Event::TaskEnd(executor, task, status) => self.task_over(at, executor, task, status),
            Event::LockRequested { executor, wait_id, .. } => self.asked(at, executor, wait_id),
            Event::LockAcquired(executor, lock) => self.lock_event(at, executor, lock, "acquired"),
            Event::LockReleased(executor, lock) => self.lock_event(at, executor, lock, "released"),
            Event::Core(thread, core) => self.core(at, thread, core),
            Event::CoreSums(thread, sums) => self.core_sums(at, thread, sums),
            Event::Sample(executor, ref sample) => self.sample(at, executor.thread, sample),
            Event::State(thread, state) => self.state(at, thread, state),
            Event::Mpi(executor, event) => self.mpi(at, executor, event),
            Event::PhaseBegin(executor, ref slice) => self.phase_begin(at, executor.thread, slice),
            Event::PhaseEnd(executor, mark) => self.phase_end(at, executor.thread, mark),
            Event::LockRefused { .. } | Event::Stop => {}
        }
    }

    fn finish(mut self, definitions: &Definitions, summary: &Summary) -> Result<Timeline, Broken> {
        self.define(definitions);
        self.finish_checks(summary)
    }
}
