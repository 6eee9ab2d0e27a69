//! Communicators of MPI: what a handle means now. Handles are used again, so that what was said last counts.

use crate::hash::FastMap;
use crate::matching::Identities;
use crate::state::name_parts::NameParts;
use crate::state::objects::Objects;
use ompttrace_model::{Communicator, CommunicatorRef, Definitions, NameRef};
use ompttrace_recording::events::{MpiCommunicator, MpiMembers, MpiWorld};
use ompttrace_recording::mpi::{MOST_MEMBERS, Members};

/// The process's place in a communicator.
fn place(rank: u32, size: u32, remote: &[u32]) -> String {
    match remote.len() {
        0 => format!("rank {rank} of {size}"),
        others => format!("rank {rank} of {size}, with {others} of another group"),
    }
}

/// The communicators that are known.
#[derive(Debug, Default)]
pub(crate) struct Communicators {
    identities: Identities,
    /// Numbers of communicators, by handle.
    numbers: FastMap<u64, CommunicatorRef>,
    /// Names of the communicators that calls had as arguments, as definitions.
    names: FastMap<CommunicatorRef, NameRef>,
    /// Number of communicators that the program made.
    made: u64,
    /// Members of the next one that each thread makes.
    members: FastMap<u32, Members>,
    /// Windows and files, which have the ranks of a communicator.
    pub(crate) objects: Objects,
    /// Names of communicators and files, as far as they have come.
    pub(crate) name_parts: NameParts,
}

impl Communicators {
    /// MPI is initialised.
    pub(crate) fn world(&mut self, event: &MpiWorld, to: &mut Definitions) {
        let (size, rank) = (event.size as u32, event.rank as u32);
        let name = format!("MPI_COMM_WORLD (rank {rank} of {size})");
        let members = (0..size.min(MOST_MEMBERS)).collect();
        let (id, title) = (self.identities.world(), Some("MPI_COMM_WORLD".to_owned()));
        let all = Communicator {
            name,
            title,
            id,
            size,
            rank,
            is_world: true,
            members,
            ..Communicator::default()
        };
        self.add(event.world, all, to);
        let (name, size) = ("MPI_COMM_SELF".to_owned(), 1);
        let (id, members) = (self.identities.itself(rank), vec![rank]);
        let title = Some(name.clone());
        let own = Communicator { name, title, id, size, members, ..Communicator::default() };
        self.add(event.itself, own, to);
    }

    /// One was made.
    pub(crate) fn made(&mut self, t: u32, event: &MpiCommunicator, to: &mut Definitions) {
        self.made += 1;
        let [members, remote] = self.members.remove(&t).unwrap_or_default().groups();
        let (size, rank) = (event.size as u32, event.rank as u32);
        let name = format!("communicator {} ({})", self.made, place(rank, size, &remote));
        let parent = self.number(event.parent);
        // With a loss they are not all there.
        let members = if members.len() == size as usize { members } else { Vec::new() };
        let of = parent.and_then(|parent| to.communicators().get(parent as usize));
        let of = of.map(|parent| parent.id).filter(|id| *id != 0);
        let id = self.identities.of_members(of, &members, &remote).unwrap_or(0);
        let known = Communicator {
            name,
            title: None,
            id,
            size,
            rank,
            parent,
            members,
            remote,
            is_world: false,
        };
        self.add(event.handle, known, to);
    }

    /// Members of the next one.
    pub(crate) fn members(&mut self, t: u32, event: &MpiMembers) {
        self.members.entry(t).or_default().add(event);
    }

    /// One gets a name. From then on its handle means another one, which is like it, as definitions stay.
    pub(crate) fn named(&mut self, handle: u64, text: String, to: &mut Definitions) {
        let known = self.number(handle).and_then(|at| to.communicators().get(at as usize));
        if let Some(known) = known.filter(|known| !known.is_world) {
            let name = format!("{text} ({})", place(known.rank, known.size, &known.remote));
            if name == known.name {
                return;
            }
            let named = Communicator { name, title: Some(text), ..known.clone() };
            self.add(handle, named, to);
        }
    }

    fn add(&mut self, handle: u64, communicator: Communicator, to: &mut Definitions) {
        self.numbers.insert(handle, to.communicators().len() as CommunicatorRef);
        to.add_communicator(communicator);
    }

    /// The name of a communicator, which `define` defines if it is new.
    pub(crate) fn name(
        &mut self,
        number: CommunicatorRef,
        to: &mut Definitions,
        define: impl FnOnce(&mut Definitions, &str) -> NameRef,
    ) -> NameRef {
        *self.names.entry(number).or_insert_with(|| {
            let known = to.communicators().get(number as usize);
            let name = known.map(|known| known.name.clone()).unwrap_or_default();
            define(to, &name)
        })
    }

    /// The communicator of a handle.
    pub(crate) fn number(&self, handle: u64) -> Option<CommunicatorRef> {
        self.numbers.get(&handle).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_members_and_the_name_that_were_recorded() {
        let (mut known, mut to) = (Communicators::default(), Definitions::default());
        known.world(&MpiWorld { size: 4, rank: 2, world: 1, ..MpiWorld::default() }, &mut to);
        let run = |first, count, group| MpiMembers { first, count, stride: 1, group };
        known.members(0, &run(2, 2, 0));
        known.members(0, &run(0, 2, 1));
        // Another thread makes another one meanwhile.
        known.members(5, &run(0, 4, 0));
        let made = MpiCommunicator { handle: 7, parent: 1, size: 2, rank: 0 };
        known.made(0, &made, &mut to);
        known.named(7, "a name".to_owned(), &mut to);
        let number = known.number(7).expect("a communicator");
        let named = &to.communicators()[number as usize];
        assert_eq!((&named.members[..], &named.remote[..]), (&[2, 3][..], &[0, 1][..]));
        let place = "(rank 0 of 2, with 2 of another group)";
        assert_eq!(named.name, format!("a name {place}"));
        assert_eq!(to.communicators()[number as usize - 1].name, format!("communicator 1 {place}"));
        // One whose members are not all there has none.
        known.made(5, &MpiCommunicator { size: 3, ..made }, &mut to);
        assert!(to.communicators().last().is_some_and(|last| last.members.is_empty()));
    }
}
