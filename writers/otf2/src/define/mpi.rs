//! Definitions of MPI: its ranks and communicators. An archive has the events of one rank; the others have a location each,
//! without events, so that a rank in a communicator is a location.

use std::ops::Range;

use ompttrace_model::{Communicator, CommunicatorRef};

use super::{FIRST_TEAM, Plan};
use crate::archive::{LocationKind, MPI, other_rank};
use crate::ids::CommId;

/// A recording that is damaged may say that there are more ranks: a definition has room for these.
const MOST_RANKS: u32 = 1 << 18;

/// MPI_COMM_WORLD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct World {
    size: u32,
    rank: u32,
}

impl World {
    pub(super) fn of(communicators: &[Communicator]) -> Option<World> {
        let world = communicators.iter().find(|communicator| communicator.is_world);
        let world = world.or_else(|| communicators.first())?;
        let size = world.size.clamp(1, MOST_RANKS);
        Some(World { size, rank: world.rank.min(size - 1) })
    }

    /// Ranks of the world by their ranks in a communicator of this size, in which this process has this rank. Which the others
    /// are is not recorded: all of them in order, without those for which there is no room.
    fn members(self, size: u32, rank: u32) -> Vec<u64> {
        let mut others = (0..self.size).filter(|other| *other != self.rank).map(u64::from);
        let member = |at| if at == rank { Some(self.rank.into()) } else { others.next() };
        (0..size).map_while(member).collect()
    }

    /// Whether it is likely that a communicator has all ranks in their order.
    fn is_like(self, communicator: &Communicator) -> bool {
        communicator.size == self.size && communicator.rank == self.rank
    }
}

impl Plan<'_> {
    /// The location group of this process: its rank, as OTF2 wants it.
    pub(super) fn own_group(&self) -> u32 {
        self.world.map_or(0, |world| world.rank)
    }

    /// The location groups of devices.
    pub(super) fn device_groups(&self) -> Range<u32> {
        self.world.map_or(1, |world| world.size)..u32::MAX
    }

    pub(super) fn mpi_paradigm(&mut self) {
        let is_used = self.tables.regions.all().any(|region| region.paradigm == MPI);
        if is_used || self.world.is_some() {
            let name = self.string("MPI");
            self.step(move |to| to.processes(name));
        }
    }

    fn others(&self) -> impl Iterator<Item = u32> + use<> {
        let world = self.world;
        let all = 0..world.map_or(0, |world| world.size);
        all.filter(move |rank| world.is_some_and(|world| world.rank != *rank))
    }

    /// Location groups and locations of the other ranks.
    pub(super) fn other_ranks(&mut self) {
        for rank in self.others() {
            let name = self.string(&format!("rank {rank}, not in this archive"));
            let location = other_rank(rank);
            self.step(move |to| to.group(rank, name, 0, None));
            self.step(move |to| to.location(location, name, LocationKind::Thread, 0, rank));
        }
    }

    /// The location of each rank: this one's is that of its first thread.
    pub(super) fn mpi_locations(&mut self) {
        let Some(world) = self.world else { return };
        let own = self.done.tracks.first().map_or(0, |track| track.number);
        let location = |rank| if rank == world.rank { own } else { other_rank(rank) };
        let all: Vec<_> = (0..world.size).map(location).collect();
        let devices = self.devices.len() as u32;
        let of_devices = if devices == 0 { 0 } else { 1 + devices };
        let group = FIRST_TEAM + self.done.comms.len() as u32 + of_devices;
        self.step(move |to| to.comm_locations(group, 0, MPI, &all));
    }

    /// A communicator and its group, which those of one rank share.
    pub(super) fn communicator(
        &mut self,
        number: CommId,
        communicator: CommunicatorRef,
        parent: Option<CommId>,
    ) {
        let known = self.tables.communicators.get(communicator as usize).cloned();
        let (Some(known), Some(world)) = (known, self.world) else { return };
        let is_alone = known.size <= 1;
        let first_alone = || {
            self.done.comms.iter().position(|comm| {
                let of = comm.communicator.map(|of| of as usize);
                let of = of.and_then(|of| self.tables.communicators.get(of));
                of.is_some_and(|of| of.size <= 1)
            })
        };
        let first = if is_alone { first_alone() } else { None };
        let group = FIRST_TEAM + first.map_or(number, |first| first as u32);
        if !is_alone {
            let members = world.members(known.size.min(MOST_RANKS), known.rank);
            self.step(move |to| to.comm_group(group, 0, MPI, &members));
        } else if group == FIRST_TEAM + number {
            self.step(move |to| to.comm_self(group, 0, MPI));
        }
        let is_known = is_alone || world.is_like(&known);
        let more = if is_known { "" } else { ", members not recorded" };
        let name = self.string(&format!("{}{more}", known.name));
        self.step(move |to| to.comm(number, name, group, parent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_its_rank_in_each_communicator() {
        let world = World { size: 4, rank: 2 };
        assert_eq!(world.members(4, 2), [0, 1, 2, 3]);
        assert_eq!(world.members(2, 0), [2, 0]);
        assert_eq!(world.members(3, 2), [0, 1, 2]);
        assert_eq!(world.members(9, 1).len(), 4, "no rank is there twice");
    }
}
