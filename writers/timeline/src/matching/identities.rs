//! Identities of communicators, which all their ranks compute alike, each from its own recording.
//!
//! A communicator is identified by the ranks of its members in MPI_COMM_WORLD, by the communicator of which it was made, and by its
//! place among those that were made of this one with the same members: all members call the functions that make them in the same
//! order. Both groups identify an intercommunicator, but not its parent, which is another one in each group.

use crate::hash::{FastMap, mix};
use ompttrace_recording::mpi::rank;

/// The identity of MPI_COMM_WORLD, but for the job's number.
const WORLD: u64 = 0x776f_726c_6400_0001;

/// Communicators so far, by what they have in common.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    /// A number that all ranks of the job have in common, and those of no other job.
    job: u64,
    made: FastMap<u64, u64>,
}

impl Identities {
    /// Those of a process of this job.
    pub(crate) fn of_job(job: u64) -> Identities {
        Identities { job, ..Identities::default() }
    }

    /// MPI_COMM_WORLD.
    pub(crate) fn world(&self) -> u64 {
        WORLD ^ mix(self.job)
    }

    /// MPI_COMM_SELF of a rank.
    pub(crate) fn itself(&self, rank: u32) -> u64 {
        mix(self.world() ^ 0x7365_6c66).wrapping_add(u64::from(rank) << 1)
    }

    /// The next communicator of these members, made of a parent; `None`: not all members are known. `remote`: the other group of an
    /// intercommunicator.
    pub(crate) fn of_members(
        &mut self,
        parent: Option<u64>,
        own: &[u32],
        remote: &[u32],
    ) -> Option<u64> {
        let is_unknown = own.is_empty() || own.iter().chain(remote).any(|one| *one == rank::NONE);
        if is_unknown {
            return None;
        }
        let parent = if remote.is_empty() { parent.unwrap_or(0) } else { 0 };
        let begin = mix(self.world() ^ mix(parent));
        // Both groups put them into the same order.
        let of_groups = of_group(of_group(begin, own.min(remote)), own.max(remote));
        let number = self.made.entry(of_groups).or_default();
        *number += 1;
        Some(mix(of_groups.wrapping_add(*number)))
    }
}

/// A hash of the members in their order, and of what came before them.
fn of_group(before: u64, members: &[u32]) -> u64 {
    let begin = mix(before.wrapping_add(members.len() as u64));
    members.iter().fold(begin, |hash, rank| mix(hash.wrapping_add(u64::from(*rank))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_parent_and_order_distinguish_communicators() {
        let mut all = Identities::default();
        let (world, ranks) = (Some(all.world()), [4, 2]);
        let mut seen = vec![all.world(), all.itself(0), all.itself(1)];
        for (parent, own, remote) in [
            (world, &ranks[..], &[][..]),
            (world, &ranks, &[]),
            (Some(all.itself(0)), &ranks, &[]),
            (world, &[2, 4], &[]),
            (world, &[4], &[2]),
        ] {
            seen.extend(all.of_members(parent, own, remote));
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!((seen.len(), count), (8, 8));
        let mut other = Identities::default();
        let [one, two] = [(&[4][..], &[2][..]), (&[2], &[4])]
            .map(|(own, remote)| Identities::default().of_members(None, own, remote));
        assert_eq!(one, two, "from both groups");
        assert_eq!(other.of_members(None, &[0, rank::NONE], &[]), None);
        assert_ne!(Identities::of_job(1).world(), Identities::of_job(2).world());
    }
}
