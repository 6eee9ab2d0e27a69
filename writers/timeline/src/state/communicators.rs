//! Communicators of MPI: what a handle means now. Handles are used again, so that what was said last counts.

use crate::hash::FastMap;
use ompttrace_model::{Communicator, CommunicatorRef, Definitions, NameRef};
use ompttrace_recording::events::{MpiCommunicator, MpiWorld};

/// The communicators that are known.
#[derive(Debug, Default)]
pub(crate) struct Communicators {
    /// Numbers of communicators, by handle.
    numbers: FastMap<u64, CommunicatorRef>,
    /// Names of the communicators that calls had as arguments, as definitions.
    names: FastMap<CommunicatorRef, NameRef>,
    /// Number of communicators that the program made.
    made: u64,
}

impl Communicators {
    /// MPI is initialised.
    pub(crate) fn world(&mut self, event: &MpiWorld, to: &mut Definitions) {
        let (size, rank) = (event.size as u32, event.rank as u32);
        let name = format!("MPI_COMM_WORLD (rank {rank} of {size})");
        let all = Communicator { name, size, rank, parent: None, is_world: true };
        self.add(event.world, all, to);
        let (name, size) = ("MPI_COMM_SELF".into(), 1);
        let own = Communicator { name, size, rank: 0, parent: None, is_world: false };
        self.add(event.itself, own, to);
    }

    /// Adds a communicator that the program made.
    pub(crate) fn made(&mut self, event: &MpiCommunicator, to: &mut Definitions) {
        self.made += 1;
        let (size, rank) = (event.size as u32, event.rank as u32);
        let name = format!("communicator {} (rank {rank} of {size})", self.made);
        let parent = self.number(event.parent);
        let communicator = Communicator { name, size, rank, parent, is_world: false };
        self.add(event.handle, communicator, to);
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
