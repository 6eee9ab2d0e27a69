//! Regions that are open, and the instances of work-sharing constructs in them.

use crate::chain::{Arrivals, Chain};
use crate::construct_table::ConstructRef;
use crate::numbers::Sums;
use crate::phase::{Phase, Progress};
use crate::what_if::{Instance, Share};
use ompttrace_model::RegionTrack;
use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

/// Instances of one region that are open at the same time; more are not looked at.
const MAX_INSTANCES: usize = 1 << 12;

/// An open region.
#[derive(Debug, Default)]
struct OpenRegion {
    construct: ConstructRef,
    begin: u64,
    wall: u64,
    open_team_threads: u64,
    work: Instance,
    /// True if it ends in the window of the report.
    counts: bool,
    instances: FxHashMap<(ConstructRef, u32), Instance>,
    over: bool,
    /// The chain that led to it, and the progress of the thread that encountered it.
    fork: Option<(Chain, Progress)>,
    /// Arrivals at its last two barriers: a thread may be at the next one before another has left the last.
    arrivals: [Arrivals; 2],
    /// The replay of the threads before each of these barriers, and their latest clock at the region's end.
    phases: [Phase; 2],
    busy: u64,
    /// The task that was over last, and the longest sequence of work of any.
    task: Option<Chain>,
    task_span: u64,
}

/// All open regions.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    live: FxHashMap<Id, OpenRegion>,
    tracks: FxHashMap<RegionTrack, Id>,
    /// Time in which some region was open.
    pub covered: u64,
    since: u64,
    /// Begin of the first region and end of the last one, in nanoseconds.
    pub first: Option<u64>,
    pub last: u64,
}

impl Regions {
    pub(crate) fn begin(&mut self, at: u64, track: RegionTrack, id: Id, construct: ConstructRef) {
        if self.tracks.is_empty() {
            self.since = at;
        }
        self.first.get_or_insert(at);
        self.tracks.insert(track, id);
        self.live.insert(id, OpenRegion { construct, begin: at, ..OpenRegion::default() });
    }

    /// The region on a track ends, and counts or not; its team threads may still have to leave it.
    pub(crate) fn end(&mut self, at: u64, track: RegionTrack, counts: bool, sums: &mut Sums) {
        let Some(id) = self.tracks.remove(&track) else { return };
        self.last = self.last.max(at);
        if self.tracks.is_empty() {
            self.covered += at.saturating_sub(self.since);
        }
        let Some(live) = self.live.get_mut(&id) else { return };
        (live.over, live.wall) = (true, at.saturating_sub(live.begin));
        let numbers = sums.of(live.construct);
        numbers.calls += u64::from(counts);
        live.counts = counts;
        numbers.wall += live.wall;
        self.close(id, sums);
    }

    /// The construct of an open region.
    pub(crate) fn construct(&self, id: Id) -> Option<ConstructRef> {
        self.live.get(&id).map(|live| live.construct)
    }

    pub(crate) fn set_fork(&mut self, id: Id, chain: Chain, progress: Progress) {
        if let Some(live) = self.live.get_mut(&id) {
            live.fork = Some((chain, progress));
        }
    }

    /// Chain and progress from which a team thread goes on: those of the fork.
    pub(crate) fn fork(&self, id: Id) -> Option<(&Chain, Progress)> {
        self.live.get(&id)?.fork.as_ref().map(|(chain, progress)| (chain, *progress))
    }

    /// The replay of the phase before the barrier of this number.
    pub(crate) fn phase(&mut self, id: Id, ordinal: u32) -> Option<&mut Phase> {
        let phase = self.live.get_mut(&id)?.phases.get_mut(ordinal as usize % 2)?;
        Some(phase.of(ordinal))
    }

    /// A team thread comes to its barrier of this number.
    pub(crate) fn arrive(&mut self, id: Id, ordinal: u32, chain: Chain, span: u64) {
        if let Some(live) = self.live.get_mut(&id)
            && let Some(slot) = live.arrivals.get_mut(ordinal as usize % 2)
        {
            slot.arrive(ordinal, chain, span);
        }
    }

    /// The last thread or task to reach a barrier, and the longest sequence of work before it.
    pub(crate) fn arrivals(&self, id: Id, ordinal: u32) -> (Option<&Chain>, u64) {
        let Some(live) = self.live.get(&id) else { return (None, 0) };
        let slot = live.arrivals.get(ordinal as usize % 2);
        let (last, span) = slot.map_or((None, 0), |slot| (slot.last.as_ref(), slot.span));
        (last, span.max(live.task_span))
    }

    /// A task of the region is over.
    pub(crate) fn task_ends(&mut self, id: Id, chain: &Chain, span: u64) {
        if let Some(live) = self.live.get_mut(&id) {
            match &mut live.task {
                Some(task) => task.clone_from(chain),
                none => *none = Some(chain.clone()),
            }
            live.task_span = live.task_span.max(span);
        }
    }

    /// The task that was over last.
    pub(crate) fn last_task(&self, id: Id) -> (Option<&Chain>, u64) {
        let live = self.live.get(&id);
        live.map_or((None, 0), |live| (live.task.as_ref(), live.task_span))
    }

    pub(crate) fn team_thread_begins(&mut self, id: Id) {
        if let Some(live) = self.live.get_mut(&id) {
            live.open_team_threads += 1;
        }
    }

    /// A team thread that worked so much leaves, with its clock of time with a core.
    pub(crate) fn team_thread_ends(&mut self, id: Id, work: u64, busy: u64, sums: &mut Sums) {
        if let Some(live) = self.live.get_mut(&id) {
            live.busy = live.busy.max(busy);
            live.open_team_threads = live.open_team_threads.saturating_sub(1);
            live.work.add(work);
            self.close(id, sums);
        }
    }

    fn close(&mut self, id: Id, sums: &mut Sums) {
        if self.live.get(&id).is_some_and(|live| live.over && live.open_team_threads == 0)
            && let Some(live) = self.live.remove(&id)
        {
            let numbers = sums.of(live.construct);
            if live.counts || live.work.sum > 0 {
                numbers.balance.add(&live.work);
            }
            let forked = live.fork.as_ref().map_or(live.busy, |(_, progress)| progress.busy);
            numbers.replayed_wall += live.busy.saturating_sub(forked);
            let capacity = live.wall.saturating_mul(live.work.threads);
            numbers.capacity = numbers.capacity.saturating_add(capacity);
        }
    }

    /// A thread begins an instance of a work-sharing construct: returns true if it is the first one.
    pub(crate) fn work_begins(&mut self, id: Id, construct: ConstructRef, ordinal: u32) -> bool {
        let Some(live) = self.live.get_mut(&id) else { return true };
        if live.instances.len() >= MAX_INSTANCES {
            live.instances.clear();
        }
        let mut first = false;
        live.instances.entry((construct, ordinal)).or_insert_with(|| {
            first = true;
            Instance::default()
        });
        first
    }

    /// A thread is through with it: the instance, if it was the last of the team.
    pub(crate) fn work_ends(
        &mut self,
        id: Id,
        construct: ConstructRef,
        ordinal: u32,
        team: u64,
        share: Share<'_>,
    ) -> Option<Instance> {
        let live = self.live.get_mut(&id)?;
        let instance = live.instances.get_mut(&(construct, ordinal))?;
        instance.add_share(share);
        let whole = instance.threads >= team;
        if whole { live.instances.remove(&(construct, ordinal)) } else { None }
    }
}
