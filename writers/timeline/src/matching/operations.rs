//! Parts that ranks take in a collective operation: which of them wait, and for which.

use super::communicators::Named;
use ompttrace_model::{Shape, collective_operation};

/// The part of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// True if others cannot go on before this rank has begun.
    pub gives: bool,
    /// True if this rank cannot go on before these have begun.
    pub waits: bool,
}

/// The part of this process in an operation of a communicator. Between the groups of an intercommunicator, and in functions of
/// which the order of ranks is not known, nobody is known to wait.
pub(super) fn part(function: &str, root: u32, communicator: Option<Named>) -> Part {
    let Some(own) = communicator.filter(|one| !one.is_between()) else { return Part::default() };
    let is_root = own.rank == root;
    let (gives, waits) = match collective_operation(function) {
        Some((_, Shape::Barrier | Shape::NToN)) => (true, true),
        Some((_, Shape::OneToN)) => (is_root, !is_root),
        Some((_, Shape::NToOne)) => (!is_root, is_root),
        Some((_, Shape::Other)) | None => (false, false),
    };
    Part { gives, waits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_wait_by_the_shape_of_the_operation() {
        let own = Some(Named::new(1, 4, 2));
        let found = |function, root| {
            let Part { gives, waits } = part(function, root, own);
            (gives, waits)
        };
        assert_eq!(found("MPI_Ibarrier", 0), (true, true));
        assert_eq!(found("MPI_Allreduce", 0), (true, true));
        assert_eq!([found("MPI_Bcast", 2), found("MPI_Bcast", 1)], [(true, false), (false, true)]);
        assert_eq!(
            [found("MPI_Gather", 2), found("MPI_Gather", 1)],
            [(false, true), (true, false)]
        );
        assert_eq!([found("MPI_Scan", 0), found("MPI_Comm_dup", 0)], [(false, false); 2]);
        assert_eq!(part("MPI_Barrier", 0, None), Part::default());
    }
}
