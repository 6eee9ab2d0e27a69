//! Collective operations of MPI by their functions: what they are, and which ranks wait for which.

/// The order in which ranks of a collective operation wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// All for all, without data.
    Barrier,
    /// All for all.
    NToN,
    /// All for the root.
    OneToN,
    /// The root for all others.
    NToOne,
    /// Ranks for those before them, and others of which that is not known.
    Other,
}

impl Shape {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Barrier => "barrier",
            Shape::NToN => "n_to_n",
            Shape::OneToN => "one_to_n",
            Shape::NToOne => "n_to_one",
            Shape::Other => "other",
        }
    }
}

/// Operations by the ends of their functions' names.
const OPERATIONS: [(&str, Shape); 17] = [
    ("barrier", Shape::Barrier),
    ("bcast", Shape::OneToN),
    ("gather", Shape::NToOne),
    ("gatherv", Shape::NToOne),
    ("scatter", Shape::OneToN),
    ("scatterv", Shape::OneToN),
    ("allgather", Shape::NToN),
    ("allgatherv", Shape::NToN),
    ("alltoall", Shape::NToN),
    ("alltoallv", Shape::NToN),
    ("alltoallw", Shape::NToN),
    ("allreduce", Shape::NToN),
    ("reduce", Shape::NToOne),
    ("reduce_scatter", Shape::NToN),
    ("reduce_scatter_block", Shape::NToN),
    ("scan", Shape::Other),
    ("exscan", Shape::Other),
];

/// The operation of a collective function, in small letters, and its shape. Blocking, non-blocking and persistent functions, and
/// those for large counts, have names that differ by a prefix or an end. `None`: a function of neighbours, or none that is
/// collective.
pub fn collective_operation(function: &str) -> Option<(&'static str, Shape)> {
    let name = function.strip_prefix("MPI_")?;
    let name = name.strip_suffix("_c").unwrap_or(name);
    let name = name.strip_suffix("_init").unwrap_or(name);
    let blocking = name.strip_prefix('I').unwrap_or(name);
    OPERATIONS.into_iter().find(|(operation, _)| operation.eq_ignore_ascii_case(blocking))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_one_operation_have_one_shape() {
        for name in
            ["MPI_Bcast", "MPI_Ibcast", "MPI_Ibcast_c", "MPI_Bcast_init", "MPI_Bcast_init_c"]
        {
            assert_eq!(collective_operation(name), Some(("bcast", Shape::OneToN)), "{name}");
        }
        assert_eq!(
            collective_operation("MPI_Ireduce_scatter_block_c"),
            Some(("reduce_scatter_block", Shape::NToN))
        );
        assert_eq!(collective_operation("MPI_Neighbor_allgather"), None);
        assert_eq!(collective_operation("MPI_Send"), None);
    }
}
