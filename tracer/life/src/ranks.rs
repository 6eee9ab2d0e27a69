//! The rank of a process in an MPI program and the number of ranks, from the variables of those that start such programs.

use ompttrace_recording::launchers::{RANK, SIZE};
use std::ffi::OsStr;

/// The ranks and numbers of ranks in the launchers' environment variables, in the order of [`RANK`] and [`SIZE`].
#[derive(Debug, Default)]
pub(crate) struct Ranks {
    ranks: [Option<u32>; RANK.len()],
    sizes: [Option<u32>; SIZE.len()],
}

impl Ranks {
    /// Takes the rank from one variable of the environment, if it is among [`RANK`].
    pub(crate) fn look(&mut self, name: &OsStr, value: &OsStr) {
        let ranks = RANK.iter().zip(&mut self.ranks);
        for (_, number) in
            ranks.chain(SIZE.iter().zip(&mut self.sizes)).filter(|(of, _)| name == **of)
        {
            *number = value.to_str().and_then(|value| value.trim().parse().ok());
        }
    }

    /// The rank, by the best source that has it.
    pub(crate) fn rank(&self) -> Option<u32> {
        self.ranks.iter().copied().flatten().next()
    }

    /// The number of ranks, of a process that has a rank among them.
    pub(crate) fn size(&self) -> Option<u32> {
        let size = self.sizes.iter().copied().flatten().next()?;
        self.rank().filter(|rank| *rank < size).map(|_| size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Ranks {
        let mut ranks = Ranks::default();
        variables.iter().for_each(|(name, value)| ranks.look(name.as_ref(), value.as_ref()));
        ranks
    }

    fn rank(variables: &[(&str, &str)]) -> Option<u32> {
        read(variables).rank()
    }

    #[test]
    fn a_size_counts_where_the_rank_is_one_of_it() {
        assert_eq!(read(&[("PMI_RANK", "1"), ("PMI_SIZE", "2")]).size(), Some(2));
        assert_eq!(read(&[("PMI_RANK", "2"), ("PMI_SIZE", "2")]).size(), None);
        assert_eq!(read(&[("PMI_SIZE", "2")]).size(), None);
    }

    #[test]
    fn the_launcher_is_believed_before_the_batch_system() {
        assert_eq!(rank(&[("SLURM_PROCID", "0"), ("PMIX_RANK", "3")]), Some(3));
        assert_eq!(rank(&[("SLURM_PROCID", "5")]), Some(5));
        assert_eq!(rank(&[("PMI_RANK", "x"), ("SLURM_PROCID", " 5 ")]), Some(5));
        assert_eq!(rank(&[("RANK", "5"), ("PMIX_RANK", "-1")]), None);
    }
}
