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

use super::members::Members;
use super::seen::{SeenHold, SeenInstant, SeenRegion, SeenSlice, Timeline};
use ompttrace_model::ompt::TaskStatus;
use ompttrace_model::{
    Core, Counter, Definitions, Event, Executor, Instant, InstantKind, LockRef, LogicalThreadRef,
    Mark, Member, NameRef, RegionTrack, RunInfo, Sink, Slice, SliceKind, SourceRef, Summary,
    ThreadRef,
};
use ompttrace_recording::Id;
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
    places: SourceRef,
    tracks: HashMap<ThreadRef, Track>,
    logical_threads: HashMap<LogicalThreadRef, Track>,
    open: HashMap<ThreadRef, Vec<SeenSlice>>,
    rows: HashMap<RegionTrack, (Option<SeenRegion>, u64)>,
    holds: HashMap<LockRef, (Option<SeenHold>, u64)>,
    counters: HashMap<Counter, u64>,
    cores: HashMap<ThreadRef, (u64, Core)>,
    flows: HashMap<u64, u64>,
    members: Members,
    asked_at: u64,
}

impl Checker {
    /// Checks without remembering, for long runs.
    pub fn forgetful() -> Checker {
        Checker { forget: true, ..Checker::default() }
    }

    /// What it has seen so far.
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
    fn at(&mut self, at: u64, place: Executor) {
        let Executor { thread, logical_thread } = place;
        let logical_threads = self.timeline.logical_threads.len() as u64;
        let known = (thread as usize) < self.threads
            && logical_thread
                .is_none_or(|logical_thread| u64::from(logical_thread) < logical_threads);
        self.check(known, || format!("{place:?} was never reported"));
        let track = self.tracks.entry(thread).or_default();
        let mut back = std::mem::replace(&mut track.last, at) > at;
        if let Some(logical_thread) = logical_thread {
            let track = self.logical_threads.entry(logical_thread).or_default();
            back |= std::mem::replace(&mut track.last, at) > at;
        }
        self.check(!back, || format!("time goes back to {at} at {place:?}"));
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
    fn say(&mut self, at: u64, place: Executor, text: impl FnOnce() -> String) {
        if !self.forget {
            self.timeline.structure.push((at, place.thread, text()));
        }
    }

    fn source(&mut self, place: SourceRef) {
        let known = place <= self.places;
        self.check(known, || format!("source place {place} was never reported"));
    }

    /// The kind of the slice that ends on a track.
    fn pop(track: Option<&mut Track>) -> Option<SliceKind> {
        track?.open.pop()
    }

    fn begin(&mut self, at: u64, place: Executor, slice: &Slice<'_>) {
        self.at(at, place);
        self.flows(at, slice.flows, slice.flow_ends);
        self.source(slice.source);
        self.note(slice.mark);
        self.check_context(slice.context);
        self.seen.slices += 1;
        self.tracks.entry(place.thread).or_default().open.push(slice.kind);
        if let Some(logical_thread) = place.logical_thread {
            self.seen.logical_thread_slices += 1;
            self.logical_threads.entry(logical_thread).or_default().open.push(slice.kind);
        }
        let (name, logical_thread) = (self.name_of(slice.name), self.path(place.logical_thread));
        if slice.kind == SliceKind::Task {
            let running = self.members.running(place.thread);
            self.check(running.is_none_or(|running| running == slice.task), || {
                format!("{} begins at {at}, and {running:?} runs on {place:?}", slice.task)
            });
        }
        let open = self.open.entry(place.thread).or_default();
        open.push(SeenSlice {
            thread: place.thread,
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

    fn end(&mut self, at: u64, place: Executor, kind: SliceKind, mark: Mark) {
        self.at(at, place);
        self.note(mark);
        let on_thread = Self::pop(self.tracks.get_mut(&place.thread));
        self.check(on_thread == Some(kind), || {
            format!("{kind:?} ends at {at} on {place:?}, where {on_thread:?} is open")
        });
        if let Some(logical_thread) = place.logical_thread {
            let on_logical_thread = Self::pop(self.logical_threads.get_mut(&logical_thread));
            self.check(on_logical_thread == Some(kind), || {
                format!("{kind:?} ends at {at} on {place:?}, on whose logical thread {on_logical_thread:?} is open")
            });
        }
        let logical_thread = self.path(place.logical_thread);
        let Some(mut slice) = self.open.get_mut(&place.thread).and_then(Vec::pop) else { return };
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

    fn instant(&mut self, at: u64, place: Executor, instant: &Instant<'_>) {
        self.at(at, place);
        self.flows(at, instant.flows, instant.flow_ends);
        self.source(instant.source);
        self.note(instant.mark);
        self.seen.instants += 1;
        self.seen.logical_thread_instants += u64::from(place.logical_thread.is_some());
        let (name, path) = (self.name_of(instant.name), self.path(place.logical_thread));
        if self.forget {
            return;
        }
        if instant.kind == InstantKind::TaskCreate {
            self.say(at, place, || "a task is made".into());
        }
        self.timeline.instants.push(SeenInstant::of(instant, at, place.thread, path, name));
    }

    fn member_begin(&mut self, at: u64, place: Executor, member: &Member) {
        self.at(at, place);
        self.members.begin(place.thread, member.task);
        self.say(at, place, || format!("{} of {} begins", member.thread_num, member.team_size));
    }

    fn member_end(&mut self, at: u64, place: Executor) {
        self.at(at, place);
        let left = self.members.end(place.thread);
        self.check(left.is_ok(), || format!("at {at} {place:?} is left with {left:?} running"));
        self.say(at, place, || "member ends".into());
    }

    fn task_runs(&mut self, at: u64, place: Executor, task: Id) {
        self.at(at, place);
        self.members.runs(place.thread, task);
        self.say(at, place, || format!("{task} runs"));
    }

    fn task_over(&mut self, at: u64, place: Executor, task: Id, status: Option<TaskStatus>) {
        self.at(at, place);
        self.say(at, place, || {
            format!("{task} is over ({})", status.map_or("inferred", TaskStatus::name))
        });
    }

    fn region_begin(&mut self, at: u64, row: RegionTrack, slice: &Slice<'_>) {
        self.source(slice.source);
        self.note(slice.mark);
        self.flows(at, slice.flows, slice.flow_ends);
        self.seen.region_slices += 1;
        let name = self.name_of(slice.name);
        let seen = SeenRegion { row, name, begin: at, end: 0, end_mark: Mark::Observed };
        let (open, last) = self.rows.entry(row).or_default();
        let good = open.replace(seen).is_none() && std::mem::replace(last, at) <= at;
        self.check(good, || format!("{row:?} is taken, or time goes back there at {at}"));
    }

    fn region_end(&mut self, at: u64, row: RegionTrack, mark: Mark) {
        self.note(mark);
        let (open, last) = self.rows.entry(row).or_default();
        let good = open.is_some() && std::mem::replace(last, at) <= at;
        let seen = open.take();
        self.check(good, || format!("{row:?} ends at {at} without a begin, or time goes back"));
        if let Some(seen) = seen.filter(|_| !self.forget) {
            self.timeline.regions.push(SeenRegion { end: at, end_mark: mark, ..seen });
        }
    }

    fn hold_begin(&mut self, at: u64, lock: LockRef, place: Executor, slice: &Slice<'_>) {
        self.source(slice.source);
        self.note(slice.mark);
        self.flows(at, slice.flows, slice.flow_ends);
        self.seen.hold_slices += 1;
        self.known_lock(lock);
        let seen = self.hold(at, lock, place, slice);
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
        self.places = definitions.source_locations().len() as SourceRef;
        let known = self.timeline.contexts.len();
        for (frame, context) in definitions.contexts().iter().zip(1..).skip(known) {
            self.define_context(context, frame);
        }
        let known = self.timeline.logical_threads.len();
        for (logical_thread, number) in definitions.logical_threads().iter().zip(0..).skip(known) {
            self.check(logical_thread.logical_thread == number, || {
                format!("lane {} is not the next", logical_thread.logical_thread)
            });
            let parent =
                logical_thread.parent.is_none_or(|parent| parent < logical_thread.logical_thread);
            self.check(parent, || {
                format!("lane {}: its parent was never defined", logical_thread.logical_thread)
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
            Event::Begin(place, ref slice) => self.begin(at, place, slice),
            Event::End(place, kind, mark) | Event::Suspend(place, kind, mark) => {
                self.end(at, place, kind, mark);
            }
            Event::Instant(place, ref instant) => self.instant(at, place, instant),
            Event::RegionBegin(row, ref slice) => self.region_begin(at, row, slice),
            Event::RegionEnd(row, mark) => self.region_end(at, row, mark),
            Event::HoldBegin(lock, place, ref slice) => self.hold_begin(at, lock, place, slice),
            Event::HoldEnd(lock, mark) => self.hold_end(at, lock, mark),
            Event::Counter(counter, value) => self.new_value(at, counter, value),
            Event::TeamThreadBegin(place, ref member) => self.member_begin(at, place, member),
            Event::TeamThreadEnd(place) => self.member_end(at, place),
            Event::TaskRuns(place, task) => self.task_runs(at, place, task),
            Event::TaskEnd(place, task, status) => self.task_over(at, place, task, status),
            Event::LockRequested { executor: place, wait_id, .. } => self.asked(at, place, wait_id),
            Event::LockAcquired(place, lock) => self.lock_event(at, place, lock, "acquired"),
            Event::LockReleased(place, lock) => self.lock_event(at, place, lock, "released"),
            Event::Core(thread, core) => self.core(at, thread, core),
            Event::CoreSums(thread, sums) => self.core_sums(at, thread, sums),
            Event::Sample(place, ref sample) => self.sample(at, place.thread, sample),
            Event::Unreported(..) | Event::Stop => {}
        }
    }

    fn finish(mut self, definitions: &Definitions, summary: &Summary) -> Result<Timeline, Broken> {
        self.define(definitions);
        self.finish_checks(summary)
    }
}
