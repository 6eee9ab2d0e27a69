//! Communicators of MPI among those of an archive.

use std::sync::Arc;

use super::comm::Comm;
use super::tables::Tables;
use super::teams::Teams;
use crate::define::World;
use crate::ids::CommId;

/// The archive's numbers, by those of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Communicators(Arc<Vec<CommId>>);

impl Communicators {
    /// Gives numbers to the communicators that are new, among those of the teams; their members are determined where
    /// they are defined.
    pub(super) fn add(&mut self, tables: &Tables, teams: &mut Teams) {
        if World::of(&tables.communicators).is_none() {
            return;
        }
        let new = (0..).zip(&tables.communicators).skip(self.0.len());
        for (number, communicator) in new {
            let parent = communicator.parent.and_then(|parent| self.0.get(parent as usize));
            let (parent, communicator) = (parent.copied(), Some(number));
            let comm = teams.add(Comm { parent, communicator, members: Arc::new([]) });
            Arc::make_mut(&mut self.0).push(comm);
        }
    }

    /// The archive's number of each communicator.
    pub(super) fn names(&self) -> &Arc<Vec<CommId>> {
        &self.0
    }
}
