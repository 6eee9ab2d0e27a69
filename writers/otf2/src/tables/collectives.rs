//! Collective functions of MPI as OTF2 has them: operations, and roles of their regions.

use ompttrace_model::MpiEvent;
use ompttrace_recording::mpi::{function, rank};
use otf2_sys::*;

/// An operation, and the role of the regions of the functions that do it.
type Operation = (OTF2_CollectiveOp_enum, OTF2_RegionRole_enum);

/// The operation of a function: blocking, non-blocking and persistent ones, and those for large counts, have names that differ by a
/// prefix or an end.
fn operation(name: &str) -> Option<Operation> {
    let name = name.strip_prefix("MPI_")?;
    let name = name.strip_suffix("_c").unwrap_or(name);
    let name = name.strip_suffix("_init").unwrap_or(name);
    let blocking = match name.strip_prefix('I') {
        Some(rest) => rest,
        None => name,
    };
    let operation = match blocking.to_ascii_lowercase().as_str() {
        "barrier" => (OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER),
        "bcast" => (OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL),
        "gather" => (OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE),
        "gatherv" => (OTF2_COLLECTIVE_OP_GATHERV, OTF2_REGION_ROLE_COLL_ALL2ONE),
        "scatter" => (OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL),
        "scatterv" => (OTF2_COLLECTIVE_OP_SCATTERV, OTF2_REGION_ROLE_COLL_ONE2ALL),
        "allgather" => (OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL),
        "allgatherv" => (OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_ALL2ALL),
        "alltoall" => (OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL),
        "alltoallv" => (OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_ALL2ALL),
        "alltoallw" => (OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_ALL2ALL),
        "allreduce" => (OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL),
        "reduce" => (OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE),
        "reduce_scatter" => (OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OTF2_REGION_ROLE_COLL_ALL2ALL),
        "reduce_scatter_block" => {
            (OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, OTF2_REGION_ROLE_COLL_ALL2ALL)
        }
        "scan" => (OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER),
        "exscan" => (OTF2_COLLECTIVE_OP_EXSCAN, OTF2_REGION_ROLE_COLL_OTHER),
        _ => return None,
    };
    Some(operation)
}

/// The role of the regions of a collective function.
pub(super) fn role(name: &str) -> OTF2_RegionRole_enum {
    operation(name).map_or(OTF2_REGION_ROLE_COLL_OTHER, |(_, role)| role)
}

/// The operation of the function with this number; `None`: OTF2 has none.
pub(crate) fn collective_op(number: u16) -> Option<u8> {
    let (operation, _) = operation(function(number.into())?.name)?;
    Some(operation as u8)
}

/// OTF2's number for a root.
pub(crate) fn collective_root(root: u32) -> u32 {
    match root {
        rank::NONE | rank::ANY => OTF2_COLLECTIVE_ROOT_NONE,
        rank::OTHER_GROUP => OTF2_COLLECTIVE_ROOT_THIS_GROUP,
        root => root,
    }
}

/// True if OTF2 has a record for the event.
pub(crate) fn has_record(event: &MpiEvent) -> bool {
    match event {
        MpiEvent::Collective(collective)
        | MpiEvent::CollectivePosted(collective, _)
        | MpiEvent::CollectiveComplete(collective, _) => {
            collective_op(collective.function).is_some()
        }
        MpiEvent::Sent(..)
        | MpiEvent::SendComplete(_)
        | MpiEvent::ReceivePosted(_)
        | MpiEvent::Received(..)
        | MpiEvent::Tested(_)
        | MpiEvent::Cancelled(_) => true,
        // OTF2 has no record for it.
        MpiEvent::Freed(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::mpi::{FUNCTIONS, Group};

    #[test]
    fn all_collective_functions_but_those_of_neighbours_have_an_operation() {
        let collective = FUNCTIONS.iter().filter(|one| one.group == Group::Collective);
        for one in collective {
            let is_of_neighbours = one.name.to_lowercase().contains("neighbor");
            assert_eq!(collective_op(one.number).is_none(), is_of_neighbours, "{}", one.name);
        }
        assert_eq!(role("MPI_Ibcast"), OTF2_REGION_ROLE_COLL_ONE2ALL);
        assert_eq!(role("MPI_Neighbor_allgather"), OTF2_REGION_ROLE_COLL_OTHER);
    }
}
