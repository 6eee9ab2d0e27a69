//! Regions that are open, and the instances of work-sharing constructs in them.

use crate::book::ConstructRef;
use crate::numbers::{Instance, Sums};
use ompttrace_recording::Id;
use ompttrace_timeline::RegionRow;
use rustc_hash::FxHashMap;

/// Instances of one region that are open at the same time; more are not looked at.
const MAX_INSTANCES: usize = 1 << 12;

/// An open region.
#[derive(Debug, Default)]
struct Live {
    construct: ConstructRef,
    begin: u64,
    wall: u64,
    open_members: u64,
    work: Instance,
    instances: FxHashMap<(ConstructRef, u32), Instance>,
    over: bool,
}

/// All open regions.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    live: FxHashMap<Id, Live>,
    rows: FxHashMap<RegionRow, Id>,
    /// Time in which some region was open.
    pub covered: u64,
    since: u64,
}

impl Regions {
    pub(crate) fn begin(&mut self, at: u64, row: RegionRow, id: Id, construct: ConstructRef) {
        if self.rows.is_empty() {
            self.since = at;
        }
        self.rows.insert(row, id);
        self.live.insert(id, Live { construct, begin: at, ..Live::default() });
    }

    /// The region on a row ends; its members may still have to leave it.
    pub(crate) fn end(&mut self, at: u64, row: RegionRow, sums: &mut Sums) {
        let Some(id) = self.rows.remove(&row) else { return };
        if self.rows.is_empty() {
            self.covered += at.saturating_sub(self.since);
        }
        let Some(live) = self.live.get_mut(&id) else { return };
        (live.over, live.wall) = (true, at.saturating_sub(live.begin));
        let numbers = sums.of(live.construct);
        numbers.calls += 1;
        numbers.wall += live.wall;
        self.close(id, sums);
    }

    /// The construct of an open region.
    pub(crate) fn construct(&self, id: Id) -> Option<ConstructRef> {
        self.live.get(&id).map(|live| live.construct)
    }

    pub(crate) fn member_begins(&mut self, id: Id) {
        if let Some(live) = self.live.get_mut(&id) {
            live.open_members += 1;
        }
    }

    /// A member leaves, which worked so much.
    pub(crate) fn member_ends(&mut self, id: Id, work: u64, sums: &mut Sums) {
        if let Some(live) = self.live.get_mut(&id) {
            live.open_members = live.open_members.saturating_sub(1);
            live.work.add(work);
            self.close(id, sums);
        }
    }

    fn close(&mut self, id: Id, sums: &mut Sums) {
        if self.live.get(&id).is_some_and(|live| live.over && live.open_members == 0)
            && let Some(live) = self.live.remove(&id)
        {
            let numbers = sums.of(live.construct);
            numbers.balance.add(&live.work);
            numbers.capacity += live.wall * live.work.members;
        }
    }

    /// A thread begins an instance of a work-sharing construct: whether it is the first one.
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
        work: u64,
    ) -> Option<Instance> {
        let live = self.live.get_mut(&id)?;
        let instance = live.instances.get_mut(&(construct, ordinal))?;
        instance.add(work);
        let whole = instance.members >= team;
        if whole { live.instances.remove(&(construct, ordinal)) } else { None }
    }
}
