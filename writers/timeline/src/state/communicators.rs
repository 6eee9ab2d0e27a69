//! Communicators of MPI: what a handle means now. Handles are used again, so that what was said last counts.

use crate::hash::FastMap;
use ompttrace_recording::events::{MpiCommunicator, MpiWorld};

/// Those that are known.
#[derive(Debug, Default)]
pub(crate) struct Communicators {
    /// Their names, by handle.
    names: FastMap<u64, String>,
    /// The number that were made.
    made: u64,
}

impl Communicators {
    /// MPI is initialised.
    pub(crate) fn world(&mut self, event: &MpiWorld) {
        self.names.insert(event.world, "MPI_COMM_WORLD".into());
        self.names.insert(event.itself, "MPI_COMM_SELF".into());
    }

    /// One was made.
    pub(crate) fn made(&mut self, event: &MpiCommunicator) {
        self.made += 1;
        let MpiCommunicator { handle, size, rank, .. } = *event;
        let name = format!("communicator {} (rank {rank} of {size})", self.made);
        self.names.insert(handle, name);
    }

    /// The name of a handle.
    pub(crate) fn name(&self, handle: u64) -> Option<&str> {
        self.names.get(&handle).map(String::as_str)
    }
}
