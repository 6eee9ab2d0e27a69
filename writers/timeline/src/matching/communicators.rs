//! Names of communicators that all ranks of a job find alike.
//!
//! MPI_COMM_WORLD has one, and one that was made of a named one by all its ranks: every rank has made as many of it before.
//! One of fewer ranks has none, because the same call makes several of them at once.

use crate::hash::{FastMap, mix};
use ompttrace_recording::events::{MpiCommunicator, MpiWorld};

/// The name of MPI_COMM_WORLD, but for the job's number.
const WORLD: u64 = 0x776f_726c_6400_0001;

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
    /// The number of its ranks, and this process's among them.
    size: u32,
    pub rank: u32,
}

/// Those of a process that have names, by their handles.
#[derive(Debug, Default)]
pub(super) struct Communicators {
    /// A number that all ranks of the job have in common, and those of no other job.
    job: u64,
    named: FastMap<u64, Named>,
    /// Number of calls that have made others of each.
    makes: FastMap<u64, u64>,
}

impl Communicators {
    /// The communicators of a process of this job.
    pub(super) fn of_job(job: u64) -> Communicators {
        Communicators { job, ..Communicators::default() }
    }

    /// MPI is initialised.
    pub(super) fn world(&mut self, event: &MpiWorld) {
        let (size, rank) = (event.size as u32, event.rank as u32);
        let world = WORLD ^ mix(self.job);
        self.named.insert(event.world, Named { id: world, size, rank });
        // Every rank has another one.
        let id = mix(world ^ 0x7365_6c66).wrapping_add(u64::from(rank) << 1);
        self.named.insert(event.itself, Named { id, size: 1, rank: 0 });
    }

    /// A function is called with this communicator.
    pub(super) fn called(&mut self, function: &str, handle: u64) {
        if let Some(of) = self.named.get(&handle).filter(|_| MAKE.contains(&function)) {
            *self.makes.entry(of.id).or_default() += 1;
        }
    }

    /// The open call of this function has made one.
    pub(super) fn made(&mut self, function: &str, event: &MpiCommunicator) {
        let (size, rank) = (event.size as u32, event.rank as u32);
        let parent = self.named.get(&event.parent).copied();
        let of_all = parent.filter(|of| of.size == size && !BETWEEN_GROUPS.contains(&function));
        // A handle means what was said of it last.
        self.named.remove(&event.handle);
        if let Some(parent) = of_all {
            let number = self.makes.get(&parent.id).copied().unwrap_or(0);
            let id = mix(mix(parent.id).wrapping_add(number));
            self.named.insert(event.handle, Named { id, size, rank });
        }
    }

    /// The communicator of a handle, if it has a name.
    pub(super) fn named(&self, handle: u64) -> Option<Named> {
        self.named.get(&handle).copied()
    }
}
