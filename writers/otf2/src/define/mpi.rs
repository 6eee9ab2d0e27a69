//! Definitions of MPI: its ranks and communicators. An archive has the events of one rank; the others have a location each,
//! without events, so that a rank in a communicator is a location.

use std::ops::Range;

use ompttrace_model::{Communicator, CommunicatorRef};

use super::Plan;
use crate::archive::{LocationKind, MPI, other_rank};
use crate::ids::{CommId, StringId};

/// An archive has two files for each rank; with more ranks it has calls as regions only.
const MOST_RANKS: u32 = 1 << 12;
/// The node of the system tree that the other ranks have.
const OTHER_RANKS: u32 = 1;

/// MPI_COMM_WORLD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct World {
    size: u32,
    rank: u32,
}

impl World {
    /// MPI_COMM_WORLD of a run; `None` if it is not known or has more ranks than an archive gets.
    pub(crate) fn of(communicators: &[Communicator]) -> Option<World> {
        let Communicator { size, rank, is_world, .. } = *communicators.first()?;
        let is_sound = is_world && size <= MOST_RANKS && rank < size;
        is_sound.then_some(World { size, rank })
    }

    /// All ranks but this one.
    pub(crate) fn others(&self) -> impl Iterator<Item = u32> + use<> {
        let own = self.rank;
        (0..self.size).filter(move |rank| *rank != own)
    }

    /// Ranks of the world by their ranks in a communicator.
    fn members(self, communicator: &Communicator) -> Vec<u64> {
        if self.has_members(communicator) {
            return communicator.members.iter().copied().map(u64::from).collect();
        }
        self.assumed(communicator.size.min(MOST_RANKS), communicator.rank)
    }

    /// Where the members are not known: all ranks in order, but this process, which has this rank there, without those for which
    /// there is no room.
    fn assumed(self, size: u32, rank: u32) -> Vec<u64> {
        let mut others = (0..self.size).filter(|other| *other != self.rank).map(u64::from);
        let member = |at| if at == rank { Some(self.rank.into()) } else { others.next() };
        (0..size).map_while(member).collect()
    }

    /// True if its members are known, and have locations here.
    fn has_members(self, communicator: &Communicator) -> bool {
        let members = &communicator.members;
        !members.is_empty() && members.iter().all(|rank| *rank < self.size)
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

    /// The first node of the system tree that a device has.
    pub(super) fn first_device_node(&self) -> u32 {
        if self.world.is_some() { OTHER_RANKS + 1 } else { OTHER_RANKS }
    }

    /// Location groups of this process and the other ranks, in the order of the ranks.
    pub(super) fn processes(&mut self, own_name: StringId) {
        let Some(world) = self.world else {
            return self.step(move |to| to.group(0, own_name, 0, None));
        };
        // Where they run is not known.
        let (others, class) = (self.string("other ranks"), self.string("ranks"));
        self.step(move |to| to.node(OTHER_RANKS, others, class, None));
        for rank in 0..world.size {
            let (name, node) = match rank == world.rank {
                true => (own_name, 0),
                false => (self.other_rank(rank), OTHER_RANKS),
            };
            self.step(move |to| to.group(rank, name, node, None));
        }
    }

    /// Locations of the other ranks.
    pub(super) fn other_ranks(&mut self) {
        for rank in self.world.iter().flat_map(World::others).collect::<Vec<_>>() {
            let (name, location) = (self.other_rank(rank), other_rank(rank));
            self.step(move |to| to.location(location, name, LocationKind::Thread, 0, rank));
        }
    }

    fn other_rank(&mut self, rank: u32) -> StringId {
        self.string(&format!("rank {rank}, not in this archive"))
    }

    /// The location of each rank: this one's is that of its first thread.
    pub(super) fn mpi_locations(&mut self) {
        let Some(world) = self.world else { return };
        let own = self.done.tracks.first().map_or(0, |track| track.number);
        let location = |rank| if rank == world.rank { own } else { other_rank(rank) };
        let all: Vec<_> = (0..world.size).map(location).collect();
        let group = self.take_group();
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
        let group = match self.alone.filter(|_| is_alone) {
            Some(group) => group,
            None => self.take_group(),
        };
        if !is_alone {
            let members = world.members(&known);
            self.step(move |to| to.comm_group(group, 0, MPI, &members));
        } else if self.alone.replace(group).is_none() {
            self.step(move |to| to.comm_self(group, 0, MPI));
        }
        let is_known = is_alone || world.has_members(&known);
        let more = match is_known {
            _ if !known.remote.is_empty() => ", peers are ranks of the remote group",
            true => "",
            false => ", members not recorded",
        };
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
        assert_eq!(world.assumed(4, 2), [0, 1, 2, 3]);
        assert_eq!(world.assumed(2, 0), [2, 0]);
        assert_eq!(world.assumed(3, 2), [0, 1, 2]);
        assert_eq!(world.assumed(9, 1).len(), 4, "no rank is there twice");
    }

    #[test]
    fn members_are_those_that_were_recorded() {
        let world = World { size: 4, rank: 2 };
        let odd = Communicator { size: 2, rank: 1, members: vec![3, 2], ..Communicator::default() };
        assert_eq!(world.members(&odd), [3, 2]);
        let of_another_job = Communicator { members: vec![7, 2], ..odd };
        assert_eq!(world.members(&of_another_job), [0, 2]);
    }
}
