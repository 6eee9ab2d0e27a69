//! Names of communicators that all ranks of a job find alike: their identities, by the members that were recorded.
//!
//! Of a large one the members are not recorded. It has a name if it was made of a named one by all its ranks: every rank has made as
//! many of it before.

use super::identities::Identities;
use crate::hash::{FastMap, mix};
use ompttrace_recording::events::{MpiCommunicator, MpiMembers, MpiWorld};
use ompttrace_recording::mpi::Members;

/// Functions that make communicators between groups, or of a group that only some ranks of the parent know.
const BETWEEN_GROUPS: [&str; 8] = [
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_join",
    "MPI_Comm_create_group",
];

/// Functions that all ranks of a communicator call to make others of it.
const MAKE: [&str; 14] = [
    "MPI_Comm_dup",
    "MPI_Comm_dup_with_info",
    "MPI_Comm_idup",
    "MPI_Comm_idup_with_info",
    "MPI_Comm_create",
    "MPI_Comm_split",
    "MPI_Comm_split_type",
    "MPI_Cart_create",
    "MPI_Cart_sub",
    "MPI_Graph_create",
    "MPI_Dist_graph_create",
    "MPI_Dist_graph_create_adjacent",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
];

/// A communicator of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// Its name in the job.
    pub id: u64,
    /// The name of messages that this process sends, and of those that it receives: between the groups of an intercommunicator
    /// each direction has its own, because both count their ranks from 0.
    pub outgoing: u64,
    pub incoming: u64,
    /// The number of its ranks, and this process's among them.
    size: u32,
    pub rank: u32,
}

impl Named {
    pub(super) fn new(id: u64, size: u32, rank: u32) -> Named {
        Named { id, outgoing: id, incoming: id, size, rank }
    }

    /// True for an intercommunicator.
    pub fn is_between(self) -> bool {
        self.outgoing != self.incoming
    }

    /// That of an intercommunicator.
    fn between(self, own: &[u32], remote: &[u32]) -> Named {
        let direction = |is_first: bool| self.id.wrapping_add(1 + u64::from(is_first));
        let (outgoing, incoming) = (direction(own < remote), direction(remote < own));
        Named { outgoing, incoming, ..self }
    }
}

/// Those of a process that have names, by their handles.
#[derive(Debug, Default)]
pub(super) struct Communicators {
    identities: Identities,
    named: FastMap<u64, Named>,
    /// Number of calls that have made others of each.
    makes: FastMap<u64, u64>,
    /// Members of the next one that each thread makes.
    members: FastMap<u32, Members>,
    /// The rank of this process in MPI_COMM_WORLD.
    rank: Option<u32>,
}

impl Communicators {
    /// The communicators of a process of this job.
    pub(super) fn of_job(job: u64) -> Communicators {
        Communicators { identities: Identities::of_job(job), ..Communicators::default() }
    }

    /// MPI is initialised.
    pub(super) fn world(&mut self, event: &MpiWorld) {
        let (size, rank) = (event.size as u32, event.rank as u32);
        self.rank = Some(rank);
        self.named.insert(event.world, Named::new(self.identities.world(), size, rank));
        // Every rank has another one.
        self.named.insert(event.itself, Named::new(self.identities.itself(rank), 1, 0));
    }

    /// The rank of this process in MPI_COMM_WORLD, if it is known.
    pub(super) fn rank(&self) -> Option<u32> {
        self.rank
    }

    /// A function is called with this communicator.
    pub(super) fn called(&mut self, function: &str, handle: u64) {
        if let Some(of) = self.named.get(&handle).filter(|_| MAKE.contains(&function)) {
            *self.makes.entry(of.id).or_default() += 1;
        }
    }

    /// Members of the next one that a thread makes.
    pub(super) fn members(&mut self, t: u32, event: &MpiMembers) {
        self.members.entry(t).or_default().add(event);
    }

    /// The open call of this function has made one.
    pub(super) fn made(&mut self, t: u32, function: &str, event: &MpiCommunicator) {
        let [own, remote] = self.members.remove(&t).unwrap_or_default().groups();
        let (size, rank) = (event.size as u32, event.rank as u32);
        let parent = self.named.get(&event.parent).copied();
        // A handle means what was said of it last.
        self.named.remove(&event.handle);
        let id = match own.len() == size as usize {
            true => self.identities.of_members(parent.map(|parent| parent.id), &own, &remote),
            false => self.of_all(parent, function, size),
        };
        if let Some(named) = id.map(|id| Named::new(id, size, rank)) {
            let is_between = !remote.is_empty();
            let named = if is_between { named.between(&own, &remote) } else { named };
            self.named.insert(event.handle, named);
        }
    }

    /// The name of one whose members are not recorded.
    fn of_all(&self, parent: Option<Named>, function: &str, size: u32) -> Option<u64> {
        let parent = parent.filter(|parent| parent.size == size)?;
        let number = self.makes.get(&parent.id).copied().unwrap_or(0);
        let is_named = !BETWEEN_GROUPS.contains(&function);
        is_named.then(|| mix(mix(parent.id).wrapping_add(number)))
    }

    /// The communicator of a handle, if it has a name.
    pub(super) fn named(&self, handle: u64) -> Option<Named> {
        self.named.get(&handle).copied()
    }
}
