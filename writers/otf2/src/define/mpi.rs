//! Definitions of MPI: its ranks and communicators. An archive has the events of one rank or of all ranks of a job; those that are
//! not in it have a location each, without events, so that a rank in a communicator is a location.

use ompttrace_model::{Communicator, CommunicatorRef};
use rustc_hash::FxHashMap;

use super::Plan;
use crate::archive::{LocationKind, MPI, other_rank};
use crate::ids::CommId;
use crate::process::Process;

/// An archive has two files for each rank; with more ranks it has calls as regions only.
const MOST_RANKS: u32 = 1 << 12;
/// Members of a communicator that its name lists.
const MOST_LISTED: usize = 4;

/// MPI_COMM_WORLD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) size: u32,
    pub(crate) rank: u32,
}

impl World {
    /// MPI_COMM_WORLD of a run; `None` if it is not known or has more ranks than an archive gets.
    pub(crate) fn of(communicators: &[Communicator]) -> Option<World> {
        let Communicator { size, rank, is_world, .. } = *communicators.first()?;
        let is_sound = is_world && size <= MOST_RANKS && rank < size;
        is_sound.then_some(World { size, rank })
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

    /// True if it has two groups, whose members are known.
    fn has_groups(self, communicator: &Communicator) -> bool {
        let remote = &communicator.remote;
        let is_known = !remote.is_empty() && remote.iter().all(|rank| *rank < self.size);
        is_known && self.has_members(communicator)
    }

    /// True if its members are known, and have locations here.
    fn has_members(self, communicator: &Communicator) -> bool {
        let members = &communicator.members;
        !members.is_empty() && members.iter().all(|rank| *rank < self.size)
    }
}

/// A communicator of which all ranks, or all communicators of one process, have one definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shared {
    /// One of several ranks, by the number that they have for it.
    Id(u64),
    /// MPI_COMM_SELF of every rank.
    Itself,
}

/// Communicators of MPI so far.
#[derive(Debug, Default)]
pub(super) struct Communicators {
    /// The group of communicators of one rank.
    alone: Option<u32>,
    known: FxHashMap<Shared, CommId>,
    /// The names that programs give, which one rank may record after another one has ended.
    titles: FxHashMap<u64, String>,
    /// The number of those without a name.
    nameless: u32,
    /// The number of all communicators, teams among them.
    pub(super) count: u64,
}

impl Plan<'_> {
    /// The number of processes, those that are not in the archive among them.
    pub(super) fn process_count(&self) -> u32 {
        self.ranks.unwrap_or(1)
    }

    pub(super) fn mpi_paradigm(&mut self) {
        let is_used = self.tables.regions.all().any(|region| region.paradigm == MPI);
        if is_used || self.ranks.is_some() {
            let name = self.string("MPI");
            self.step(move |to| to.processes(name));
        }
    }

    /// Ranks that have no events in the archive.
    fn others(&self) -> Vec<u32> {
        let has_threads = |(_, of): super::Part<'_>| !of.done.tracks.is_empty();
        let is_there = |rank: &u32| self.process(*rank).is_some_and(has_threads);
        (0..self.ranks.unwrap_or(0)).filter(|rank| !is_there(rank)).collect()
    }

    /// Locations of the ranks that have no events in the archive.
    pub(crate) fn empty_locations(&self) -> impl Iterator<Item = u64> + use<> {
        self.others().into_iter().map(other_rank)
    }

    /// The process of a rank. They are in the order of their ranks.
    fn process(&self, rank: u32) -> Option<super::Part<'_>> {
        let at = self.parts.binary_search_by_key(&rank, |(process, _)| process.number).ok()?;
        self.parts.get(at).copied()
    }

    /// The node of the system tree that the other ranks have, after those of the machines.
    fn node_of_others(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// The first node of the system tree that a device has.
    pub(super) fn first_device_node(&self) -> u32 {
        self.node_of_others() + u32::from(!self.others().is_empty())
    }

    /// Location groups of all processes, in the order of the ranks.
    pub(super) fn processes(&mut self) {
        let other_node = self.node_of_others();
        let others = self.others();
        if !others.is_empty() {
            // Where they run is not known.
            let (others, class) = (self.string("other ranks"), self.string("ranks"));
            self.step(move |to| to.node(other_node, others, class, None));
        }
        for number in 0..self.process_count() {
            let known = self.process(number).map(|(process, _)| {
                let run = &process.run;
                (format!("{} {}", run.process_name, run.process), self.node_of(process))
            });
            let (name, node) = match known {
                Some((name, node)) => (self.string(&name), node),
                None => (self.other_rank(number), other_node),
            };
            self.step(move |to| to.group(number, name, node, None));
        }
    }

    /// Locations of the other ranks.
    pub(super) fn other_ranks(&mut self) {
        for rank in self.others() {
            let (name, location) = (self.other_rank(rank), other_rank(rank));
            self.step(move |to| to.location(location, name, LocationKind::Thread, 0, rank));
        }
    }

    fn other_rank(&mut self, rank: u32) -> u32 {
        self.string(&format!("rank {rank}, not in this archive"))
    }

    /// The location of each rank: that of its first thread.
    pub(super) fn mpi_locations(&mut self) {
        let Some(size) = self.ranks else { return };
        let location = |rank| {
            let known = self.process(rank).and_then(|(process, of)| {
                Some(process.first_location + of.done.tracks.first()?.number)
            });
            known.unwrap_or(other_rank(rank))
        };
        let all: Vec<_> = (0..size).map(location).collect();
        let group = self.take_group();
        self.step(move |to| to.comm_locations(group, 0, MPI, &all));
    }

    /// Notes the names that programs give to communicators, for an archive of all ranks.
    pub(super) fn name_communicators(&mut self) {
        let all = self.parts.iter().flat_map(|(process, _)| &process.definitions.communicators);
        let known = all.filter(|one| one.id != 0);
        let named = known.filter_map(|one| Some((one.id, one.title.clone()?)));
        self.communicators.titles.extend(named);
    }

    /// The number of a communicator, which is defined unless another rank has it as well.
    pub(super) fn communicator(
        &mut self,
        process: &Process,
        communicator: CommunicatorRef,
        parent: Option<CommId>,
    ) -> CommId {
        let known = process.definitions.communicators.get(communicator as usize);
        let (Some(known), Some(world)) = (known, process.world) else { return self.take_comm() };
        let shared = self.shared(known);
        let number = shared.as_ref().and_then(|shared| self.communicators.known.get(shared));
        if let Some(number) = number {
            return *number;
        }
        let number = self.take_comm();
        self.communicators.known.extend(shared.map(|shared| (shared, number)));
        let name = self.communicator_name(known, world);
        let name = self.string(&name);
        if world.has_groups(known) {
            self.between(number, name, known);
            return number;
        }
        let is_alone = known.size <= 1;
        let group = match self.communicators.alone.filter(|_| is_alone) {
            Some(group) => group,
            None => self.take_group(),
        };
        if !is_alone {
            let members = world.members(known);
            self.step(move |to| to.comm_group(group, 0, MPI, &members));
        } else if self.communicators.alone.replace(group).is_none() {
            self.step(move |to| to.comm_self(group, 0, MPI));
        }
        self.step(move |to| to.comm(number, name, group, parent));
        number
    }

    /// An intercommunicator: its groups in the same order wherever it is seen from.
    fn between(&mut self, number: CommId, name: u32, known: &Communicator) {
        let (own, remote) = (&known.members, &known.remote);
        let groups = [own.min(remote), own.max(remote)].map(|members| {
            let (group, members) = (self.take_group(), members.iter().copied().map(u64::from));
            let members: Vec<_> = members.collect();
            self.step(move |to| to.comm_group(group, 0, MPI, &members));
            group
        });
        self.step(move |to| to.inter_comm(number, name, groups));
    }

    /// The key by which ranks share the definition of a communicator, in an archive of several of them.
    fn shared(&self, known: &Communicator) -> Option<Shared> {
        let is_itself =
            known.size == 1 && known.parent.is_none() && !known.is_world && known.remote.is_empty();
        match known.id {
            _ if !self.is_of_job => None,
            _ if is_itself => Some(Shared::Itself),
            0 => None,
            id => Some(Shared::Id(id)),
        }
    }

    /// The name of a communicator: as one process sees it, or in an archive of all ranks.
    fn communicator_name(&mut self, known: &Communicator, world: World) -> String {
        let is_known = known.size <= 1 || world.has_members(known);
        let more = match known.remote.is_empty() {
            false if !world.has_groups(known) => ", peers are ranks of the remote group",
            true if !is_known => ", members not recorded",
            _ => "",
        };
        let name = match self.communicators.titles.get(&known.id).or(known.title.as_ref()) {
            _ if !self.is_of_job => known.name.clone(),
            Some(title) => title.clone(),
            None => {
                self.communicators.nameless += 1;
                format!("communicator {} of {}", self.communicators.nameless, ranks(known))
            }
        };
        format!("{name}{more}")
    }
}

/// The first ranks of a communicator, in words.
fn ranks(of: &Communicator) -> String {
    let list = |ranks: &[u32]| {
        let listed = ranks.iter().take(MOST_LISTED).map(u32::to_string);
        let more = if ranks.len() > MOST_LISTED { ", …" } else { "" };
        format!("{}{more}", listed.collect::<Vec<_>>().join(", "))
    };
    let (own, remote) = (list(of.members.as_ref()), list(&of.remote));
    match (of.members.len(), of.remote.is_empty()) {
        (0, _) => format!("{} ranks", of.size),
        (1, true) => format!("rank {own}"),
        (_, true) => format!("ranks {own}"),
        (_, false) => format!("ranks {own} and {remote}"),
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
