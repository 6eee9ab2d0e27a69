//! Communicators in records: members as runs of ranks, and names in parts.

use super::group;
use crate::events::{MpiMembers, MpiName};

/// The largest group of which members are recorded.
pub const MOST_MEMBERS: u32 = 1 << 12;

/// Members of a communicator, by the records before its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    own: Vec<u32>,
    remote: Vec<u32>,
}

impl Members {
    /// Adds those of a record.
    pub fn add(&mut self, record: &MpiMembers) {
        let MpiMembers { first, count, stride, group } = *record;
        let to = if group == u64::from(group::OWN) { &mut self.own } else { &mut self.remote };
        let room = (MOST_MEMBERS as usize).saturating_sub(to.len());
        let (first, stride) = (first as u32, stride as u32);
        let ranks = std::iter::successors(Some(first), |rank| Some(rank.wrapping_add(stride)));
        to.extend(ranks.take(room.min(usize::try_from(count).unwrap_or(room))));
    }

    /// The ranks in MPI_COMM_WORLD, in the order of their ranks in the communicator, of its own group and of the remote group of an
    /// intercommunicator; [`super::rank::NONE`] for processes that are not in MPI_COMM_WORLD.
    pub fn groups(self) -> [Vec<u32>; 2] {
        [self.own, self.remote]
    }
}

impl MpiName {
    /// The bytes of a name that one record has.
    pub const TEXT_BYTES: usize = 24;

    /// The bytes of the longest name: more than any library's MPI_MAX_OBJECT_NAME, after which it cuts a name.
    pub const LONGEST: u64 = 256;

    /// The part of a name at a position.
    pub fn part(handle: u64, part: &[u8], at: u64, bytes: u64) -> MpiName {
        let mut words = [0; 3];
        for (word, part) in words.iter_mut().zip(part.chunks(8)) {
            *word = part.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        let [first, second, third] = words;
        MpiName { handle, at, bytes, first, second, third }
    }

    /// The bytes of the name that are here.
    pub fn text(&self) -> impl Iterator<Item = u8> + use<> {
        let left = self.bytes.saturating_sub(self.at).min(Self::TEXT_BYTES as u64);
        let words = [self.first, self.second, self.third];
        words.into_iter().flat_map(u64::to_le_bytes).take(left as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_runs_of_ranks() {
        let mut members = Members::default();
        let run = |first, count, stride: i32, group| MpiMembers {
            first,
            count,
            stride: stride as u32 as u64,
            group,
        };
        members.add(&run(1, 3, 4, 0));
        members.add(&run(9, 2, -1, 0));
        members.add(&run(2, 1, 0, 1));
        assert_eq!(members.clone().groups(), [vec![1, 5, 9, 9, 8], vec![2]]);
        members.add(&run(0, u64::MAX, 1, 0));
        assert_eq!(members.groups()[0].len(), MOST_MEMBERS as usize);
    }

    #[test]
    fn a_name_is_put_together_from_its_parts() {
        let name = "a name that is longer than one record has room for".as_bytes();
        let parts = name.chunks(MpiName::TEXT_BYTES).zip((0..).step_by(MpiName::TEXT_BYTES));
        let records = parts.map(|(part, at)| MpiName::part(7, part, at, name.len() as u64));
        let text: Vec<u8> = records.flat_map(|record| record.text()).collect();
        assert_eq!(text, name);
    }
}
