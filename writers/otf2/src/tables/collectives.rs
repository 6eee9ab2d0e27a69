//! Collective functions of MPI as OTF2 has them: operations, and roles of their regions.

use super::objects::effect_of;
use ompttrace_model::{MpiEvent, MpiObjectRef, Shape, collective_operation};
use ompttrace_recording::mpi::{function, rank};
use otf2_sys::*;

/// OTF2's number of the operation of a function.
fn operation(name: &str) -> Option<OTF2_CollectiveOp_enum> {
    let (operation, _) = collective_operation(name)?;
    let operation = match operation {
        "barrier" => OTF2_COLLECTIVE_OP_BARRIER,
        "bcast" => OTF2_COLLECTIVE_OP_BCAST,
        "gather" => OTF2_COLLECTIVE_OP_GATHER,
        "gatherv" => OTF2_COLLECTIVE_OP_GATHERV,
        "scatter" => OTF2_COLLECTIVE_OP_SCATTER,
        "scatterv" => OTF2_COLLECTIVE_OP_SCATTERV,
        "allgather" => OTF2_COLLECTIVE_OP_ALLGATHER,
        "allgatherv" => OTF2_COLLECTIVE_OP_ALLGATHERV,
        "alltoall" => OTF2_COLLECTIVE_OP_ALLTOALL,
        "alltoallv" => OTF2_COLLECTIVE_OP_ALLTOALLV,
        "alltoallw" => OTF2_COLLECTIVE_OP_ALLTOALLW,
        "allreduce" => OTF2_COLLECTIVE_OP_ALLREDUCE,
        "reduce" => OTF2_COLLECTIVE_OP_REDUCE,
        "reduce_scatter" => OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
        "reduce_scatter_block" => OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
        "scan" => OTF2_COLLECTIVE_OP_SCAN,
        "exscan" => OTF2_COLLECTIVE_OP_EXSCAN,
        _ => return None,
    };
    Some(operation)
}

/// The role of the regions of a collective function.
pub(super) fn role(name: &str) -> OTF2_RegionRole_enum {
    let shape = collective_operation(name).map_or(Shape::Other, |(_, shape)| shape);
    match shape {
        Shape::Barrier => OTF2_REGION_ROLE_BARRIER,
        Shape::OneToN => OTF2_REGION_ROLE_COLL_ONE2ALL,
        Shape::NToOne => OTF2_REGION_ROLE_COLL_ALL2ONE,
        Shape::NToN => OTF2_REGION_ROLE_COLL_ALL2ALL,
        Shape::Other => OTF2_REGION_ROLE_COLL_OTHER,
    }
}

/// The operation of the function with this number; `None`: OTF2 has none.
pub(crate) fn collective_op(number: u16) -> Option<u8> {
    Some(operation(function(number.into())?.name)? as u8)
}

/// OTF2's number for a root.
pub(crate) fn collective_root(root: u32) -> u32 {
    match root {
        rank::NONE | rank::ANY => OTF2_COLLECTIVE_ROOT_NONE,
        rank::OTHER_GROUP => OTF2_COLLECTIVE_ROOT_THIS_GROUP,
        root => root,
    }
}

/// True if OTF2 has a record for the event; `is_known`: true if a window or file can be defined.
pub(crate) fn has_record(event: &MpiEvent, is_known: impl Fn(MpiObjectRef) -> bool) -> bool {
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
        MpiEvent::ObjectMade(_, object, _) => is_known(*object),
        MpiEvent::Accessed(access)
        | MpiEvent::AccessPosted(access)
        | MpiEvent::AccessComplete(access)
        | MpiEvent::AccessTested(access)
        | MpiEvent::AccessCancelled(access) => is_known(access.object),
        MpiEvent::ObjectCall(call) => is_known(call.object) && effect_of(call.function).is_some(),
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
