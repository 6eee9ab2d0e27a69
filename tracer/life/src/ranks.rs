//! The rank of a process in an MPI program, from the environment variables of launchers and batch systems.

use std::ffi::OsStr;

/// Variables with the rank, the best first: a launcher's own number takes precedence over that of the batch system,
/// which may have started all processes of the launcher in one step.
const VARIABLES: [&str; 6] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "ALPS_APP_PE",
    "SLURM_PROCID",
];

/// The ranks that the variables contain, in the order of [`VARIABLES`].
#[derive(Debug, Default)]
pub(crate) struct Ranks([Option<u32>; VARIABLES.len()]);

impl Ranks {
    /// Takes the rank from one variable of the environment, if it is among [`VARIABLES`].
    pub(crate) fn look(&mut self, name: &OsStr, value: &OsStr) {
        let pairs = VARIABLES.iter().zip(&mut self.0);
        for (_, rank) in pairs.filter(|(variable, _)| name == **variable) {
            *rank = value.to_str().and_then(|value| value.trim().parse().ok());
        }
    }

    /// The rank in the best of the variables; `None` if none has one.
    pub(crate) fn rank(&self) -> Option<u32> {
        self.0.iter().copied().flatten().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(variables: &[(&str, &str)]) -> Option<u32> {
        let mut ranks = Ranks::default();
        variables.iter().for_each(|(name, value)| ranks.look(name.as_ref(), value.as_ref()));
        ranks.rank()
    }

    #[test]
    fn the_launcher_is_believed_before_the_batch_system() {
        assert_eq!(rank(&[("SLURM_PROCID", "0"), ("PMIX_RANK", "3")]), Some(3));
        assert_eq!(rank(&[("SLURM_PROCID", "5")]), Some(5));
        assert_eq!(rank(&[("PMI_RANK", "x"), ("SLURM_PROCID", " 5 ")]), Some(5));
        assert_eq!(rank(&[("RANK", "5"), ("PMIX_RANK", "-1")]), None);
    }
}
