//! One rank of a job: its calls of MPI with the messages and collective operations in them, and the times of its threads.
//!
//! Of what lies between calls only sums by region are kept, so memory goes with the number of calls.

use crate::cores::CoreTimes;
use crate::model::Site;
use crate::state::Times;
use ompttrace_model::{
    Collective, Core, CoreSums, Definitions, Event, Message, MpiEvent, NameRef, RunInfo, Shape,
    Sink, Slice, SliceKind, SourceRef, State, Summary, ThreadRef,
};
use ompttrace_recording::mpi::Group;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::convert::Infallible;

/// A place in the program: a call of MPI or a region.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The function of MPI, or the construct.
    pub name: String,
    /// `heat.c:47`; empty where it is unknown.
    pub location: String,
}

impl Place {
    /// Both in words.
    pub(crate) fn in_words(&self) -> String {
        match self.name.contains(&self.location) {
            true => self.name.clone(),
            false => format!("{} {}", self.name, self.location),
        }
    }
}

/// A call of MPI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub thread: u32,
    /// Its call site: a position among [`RankTrace::places`].
    pub place: u32,
    pub group: Group,
    pub enter: u64,
    pub leave: u64,
    /// Its part of [`RankTrace::ops`].
    pub ops: (u32, u32),
    /// Time of the rank since its last call, and the region that took most of it; `None`: most was outside of regions.
    pub before: (u64, Option<u32>),
    /// The part of that time outside of regions.
    pub serial: u64,
}

/// An operation within a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// A message is sent: its number and bytes; true if the call returns when it is complete.
    Sent(u64, u64, bool),
    /// The send of this message, posted before, is complete.
    SendDone(u64),
    /// A message is received: its number, and when the receive was posted.
    Received(u64, u64),
    /// A collective operation, which begins here.
    Collective(Operation, bool),
    /// The completion of one that was posted.
    CollectiveDone(Operation),
}

/// A collective operation as a rank takes part in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub id: u64,
    pub shape: Shape,
    /// True if this rank is the root; `None`: it has no root.
    pub is_root: Option<bool>,
}

/// Time of one rank's first thread in a region, between calls of MPI, and work of all its threads there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InRegion {
    pub elapsed: u64,
    pub work: u64,
}

/// All that the report of a job takes from a rank.
#[derive(Debug, Default)]
pub struct RankTrace {
    /// Its number.
    pub rank: u32,
    pub(crate) host: String,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) calls: Vec<Call>,
    pub(crate) ops: Vec<Op>,
    /// Call sites and regions.
    pub(crate) places: Vec<Place>,
    /// Times of each thread.
    pub(crate) threads: Vec<Times>,
    /// The first thread that calls MPI.
    pub(crate) main: Option<u32>,
    /// Time in parallel regions.
    pub(crate) in_regions: u64,
    /// By place of the region.
    pub(crate) regions: FxHashMap<u32, InRegion>,
    /// Times of all threads with a core and without one.
    pub(crate) cores: CoreTimes,
    /// The cores that the rank may use; empty: unknown.
    pub(crate) allowed_cores: BTreeSet<u32>,
}

/// Makes the trace of a rank.
#[derive(Debug, Default)]
pub struct RankSink {
    trace: RankTrace,
    known: FxHashMap<(NameRef, SourceRef), u32>,
    /// The open call of each thread.
    open: FxHashMap<ThreadRef, usize>,
    /// Open regions of the first level: number, place, begin.
    regions: Vec<(u32, u32, u64)>,
    /// Up to when time in regions is counted.
    since: u64,
    /// When the last call ended, and time in regions since then.
    last_call: u64,
    since_call: Vec<(u32, u64)>,
    /// The state of each thread, and since when.
    states: Vec<Option<(State, u64)>>,
    /// The core of each thread, and since when.
    on_core: Vec<(Core, u64)>,
    /// Messages and times of requests that are open.
    sends: FxHashMap<u64, u64>,
    posts: FxHashMap<u64, u64>,
}

impl RankSink {
    /// For the rank of this number.
    pub fn new(rank: u32) -> RankSink {
        RankSink { trace: RankTrace { rank, ..RankTrace::default() }, ..RankSink::default() }
    }

    fn place(&mut self, definitions: &Definitions, slice: &Slice<'_>) -> u32 {
        let places = &mut self.trace.places;
        *self.known.entry((slice.name, slice.source)).or_insert_with(|| {
            let name = definitions.strings().get(slice.name as usize);
            // Locations count from 1.
            let location = (slice.source as usize).checked_sub(1);
            let location = location.and_then(|at| definitions.source_locations().get(at));
            let location = location.map(|location| Site::of(location).short).unwrap_or_default();
            let name = name.map(|name| name.to_string()).unwrap_or_default();
            let place = Place { name, location };
            let known = places.iter().position(|known| *known == place);
            known.unwrap_or_else(|| {
                places.push(place);
                places.len() - 1
            }) as u32
        })
    }

    fn call_begins(&mut self, t: ThreadRef, at: u64, place: u32, group: Group) {
        let first = self.trace.ops.len() as u32;
        self.open.insert(t, self.trace.calls.len());
        self.region(at, |_| {});
        let all = at.saturating_sub(self.last_call);
        let in_regions: u64 = self.since_call.iter().map(|(_, time)| time).sum();
        let serial = all.saturating_sub(in_regions);
        let longest = self.since_call.iter().max_by_key(|(_, time)| *time);
        let longest = longest.filter(|(_, time)| *time > serial).map(|(place, _)| *place);
        let (ops, before) = ((first, first), (all, longest));
        let call = Call { thread: t, place, group, enter: at, leave: at, ops, before, serial };
        self.trace.calls.push(call);
        self.trace.main.get_or_insert(t);
    }

    fn call_ends(&mut self, t: ThreadRef, at: u64) {
        if let Some(call) = self.open.remove(&t).and_then(|at| self.trace.calls.get_mut(at)) {
            call.leave = at;
        }
        match self.trace.main == Some(t) {
            // Its time in MPI is none in the region.
            true => self.since = at,
            false => self.region(at, |_| {}),
        }
        self.last_call = at;
        self.since_call.clear();
    }

    fn mpi(&mut self, definitions: &Definitions, t: ThreadRef, at: u64, event: &MpiEvent) {
        let Some(&open) = self.open.get(&t) else { return };
        let enter = self.trace.calls.get(open).map_or(at, |call| call.enter);
        let op = match event {
            MpiEvent::Sent(Message { id, bytes, .. }, request) => {
                if let Some(request) = request {
                    self.sends.insert(*request, *id);
                }
                Some(Op::Sent(*id, *bytes, request.is_none()))
            }
            MpiEvent::SendComplete(request) => self.sends.remove(request).map(Op::SendDone),
            MpiEvent::ReceivePosted(request) => {
                self.posts.insert(*request, enter);
                None
            }
            MpiEvent::Received(Message { id, .. }, request) => {
                let posted = request.and_then(|request| self.posts.remove(&request));
                Some(Op::Received(*id, posted.unwrap_or(enter)))
            }
            MpiEvent::Collective(one) => Some(Op::Collective(operation(definitions, one), true)),
            MpiEvent::CollectivePosted(one, _) => {
                Some(Op::Collective(operation(definitions, one), false))
            }
            MpiEvent::CollectiveComplete(one, _) => {
                Some(Op::CollectiveDone(operation(definitions, one)))
            }
            MpiEvent::Cancelled(request) | MpiEvent::Freed(request) => {
                self.sends.remove(request);
                self.posts.remove(request);
                None
            }
            MpiEvent::Tested(_)
            | MpiEvent::ObjectMade(..)
            | MpiEvent::Accessed(_)
            | MpiEvent::AccessPosted(_)
            | MpiEvent::AccessComplete(_)
            | MpiEvent::AccessTested(_)
            | MpiEvent::AccessCancelled(_)
            | MpiEvent::ObjectCall(_) => None,
        };
        // Calls of several threads overlap: the operations of one are kept together as long as no other has any meanwhile.
        let last = self.trace.ops.len() as u32;
        if let (Some(op), Some(call)) = (op, self.trace.calls.get_mut(open)) {
            if call.ops.1 != last {
                let (from, to) = (call.ops.0 as usize, call.ops.1 as usize);
                let moved: Vec<_> = self.trace.ops.get(from..to).unwrap_or_default().to_vec();
                self.trace.ops.extend(moved);
                call.ops.0 = last;
            }
            self.trace.ops.push(op);
            call.ops.1 = self.trace.ops.len() as u32;
        }
    }

    /// A region of the first level begins or ends: the time until then was in the innermost one before.
    fn region(&mut self, at: u64, change: impl FnOnce(&mut Vec<(u32, u32, u64)>)) {
        if let Some(&(_, place, _)) = self.regions.last() {
            let spent = at.saturating_sub(self.since);
            self.trace.in_regions += spent;
            self.trace.regions.entry(place).or_default().elapsed += spent;
            match self.since_call.iter_mut().find(|(known, _)| *known == place) {
                Some((_, time)) => *time += spent,
                None => self.since_call.push((place, spent)),
            }
        }
        change(&mut self.regions);
        self.since = at;
    }

    fn core(&mut self, t: ThreadRef, at: u64, core: Core) {
        let t = t as usize;
        if self.on_core.len() <= t {
            self.on_core.resize(t + 1, (Core::Unknown, at));
        }
        if let Some(known) = self.on_core.get_mut(t) {
            let (before, since) = std::mem::replace(known, (core, at));
            self.trace.cores.add(before, false, at.saturating_sub(since));
        }
    }

    /// The kernel's sums of a time of which no switches are known.
    fn core_sums(&mut self, sums: &CoreSums) {
        let CoreSums { unknown_ns, run_ns, delay_ns } = *sums;
        let cores = &mut self.trace.cores;
        cores.given += run_ns;
        cores.preempted += delay_ns;
        cores.blocked += unknown_ns.saturating_sub(run_ns.saturating_add(delay_ns));
    }

    fn state(&mut self, t: ThreadRef, at: u64, state: Option<State>) {
        let t = t as usize;
        if self.states.len() <= t {
            self.states.resize(t + 1, None);
            self.trace.threads.resize(t + 1, Times::default());
        }
        if let (Some(known), Some(times)) = (self.states.get_mut(t), self.trace.threads.get_mut(t))
        {
            if let Some((before, since)) = known.take() {
                times.add(before, at.saturating_sub(since));
                if before.is_work()
                    && let Some((_, place, begin)) = self.regions.last()
                {
                    let work = at.saturating_sub(since.max(*begin));
                    self.trace.regions.entry(*place).or_default().work += work;
                }
            }
            *known = state.map(|state| (state, at));
        }
    }
}

/// A collective operation as this rank takes part in it.
fn operation(definitions: &Definitions, one: &Collective) -> Operation {
    let communicator = definitions.communicators().get(one.communicator as usize);
    let is_root = communicator.and_then(|communicator| communicator.is_root(one.root));
    Operation { id: one.id, shape: one.shape(), is_root }
}

impl Sink for RankSink {
    type Output = RankTrace;
    type Error = Infallible;

    fn start(&mut self, run: &RunInfo<'_>) {
        (self.trace.begin, self.trace.end) = (run.begin, run.end);
        self.last_call = run.begin;
        self.trace.host.clone_from(&run.facts.process.host);
        self.trace.allowed_cores = run.facts.surroundings.allowed_cores();
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        match event {
            Event::Begin(executor, slice) => {
                if let SliceKind::Mpi(group) = slice.kind
                    && !slice.resumed
                {
                    let place = self.place(definitions, slice);
                    self.call_begins(executor.thread, at, place, group);
                }
            }
            Event::End(executor, SliceKind::Mpi(_), _) => self.call_ends(executor.thread, at),
            Event::Mpi(executor, event) => self.mpi(definitions, executor.thread, at, event),
            Event::State(thread, state) => self.state(*thread, at, *state),
            Event::Core(thread, core) => self.core(*thread, at, *core),
            Event::CoreSums(_, sums) => self.core_sums(sums),
            Event::RegionBegin(track, slice) if track.level == 1 => {
                let place = self.place(definitions, slice);
                self.region(at, |open| open.push((track.number, place, at)));
            }
            Event::RegionEnd(track, _) if track.level == 1 => {
                self.region(at, |open| open.retain(|(number, ..)| *number != track.number));
            }
            _ => {}
        }
    }

    fn finish(mut self, _: &Definitions, _: &Summary) -> Result<RankTrace, Infallible> {
        let end = self.trace.end;
        for t in 0..self.states.len() as u32 {
            self.state(t, end, None);
        }
        for t in 0..self.on_core.len() as u32 {
            self.core(t, end, Core::Unknown);
        }
        self.region(end, Vec::clear);
        for call in self.open.values() {
            if let Some(call) = self.trace.calls.get_mut(*call) {
                call.leave = end.max(call.enter);
            }
        }
        Ok(self.trace)
    }
}
