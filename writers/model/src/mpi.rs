//! Messages and collective operations of MPI, as its records in OTF2 have them: what slices of calls show as arguments, and
//! which request leads from the call that posts something to the one that completes it.

use crate::collective::{Shape, collective_operation};
use crate::objects::{Access, MpiObjectKind, MpiObjectRef, ObjectCall};
use ompttrace_recording::mpi::function;

/// Bit of the numbers of flows that are the same in all processes of a job: from a send to the receive of its message. All other
/// flows are without it, and belong to one process.
pub const MESSAGE_FLOW: u64 = 1 << 63;

/// A communicator's number, dense from 0, in the order in which they were made.
pub type CommunicatorRef = u32;

/// A communicator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Communicator {
    /// Its name in traces.
    pub name: String,
    /// The name that MPI or the program gives it, without this process's rank.
    pub title: Option<String>,
    /// A number that all its ranks in the job have for it; 0: not known, as its members.
    pub id: u64,
    /// The number of its ranks.
    pub size: u32,
    /// The rank of this process in it.
    pub rank: u32,
    /// The communicator from which it was made.
    pub parent: Option<CommunicatorRef>,
    /// True for MPI_COMM_WORLD.
    pub is_world: bool,
    /// The ranks in MPI_COMM_WORLD of its ranks, in their order; empty: not recorded.
    pub members: Vec<u32>,
    /// Those of the other group of an intercommunicator.
    pub remote: Vec<u32>,
}

impl Communicator {
    /// True if this process is the root of a collective operation, as its record has it. `None`: the operation has no root, or it is not
    /// known: in an intercommunicator the root is given by its rank in the other group, and by none in its own.
    pub fn is_root(&self, root: u32) -> Option<bool> {
        let has_root = (root as i32) >= 0 && self.remote.is_empty();
        has_root.then_some(root == self.rank)
    }
}

/// A message between this rank and another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The communicator in which the message is sent.
    pub communicator: CommunicatorRef,
    /// The other process, by its rank in the communicator.
    pub peer: u32,
    /// The message's tag.
    pub tag: u32,
    /// The message's size.
    pub bytes: u64,
    /// Its number in the job, which is the same where it is sent and where it is received; 0: not known.
    pub id: u64,
}

/// A collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// The function's number ([`ompttrace_recording::mpi::FUNCTIONS`]).
    pub function: u16,
    /// The communicator whose ranks take part.
    pub communicator: CommunicatorRef,
    /// The root as records have it ([`ompttrace_recording::mpi::rank`]).
    pub root: u32,
    /// Bytes that this rank gives.
    pub sent: u64,
    /// Bytes that it takes.
    pub received: u64,
    /// Its number in the job, which all its ranks have; 0: not known.
    pub id: u64,
}

impl Collective {
    /// Its shape.
    pub fn shape(&self) -> Shape {
        let operation = function(self.function.into());
        let operation = operation.and_then(|function| collective_operation(function.name));
        operation.map_or(Shape::Other, |(_, shape)| shape)
    }
}

/// An event within a call of MPI. A request is a number that no other request of the run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MpiEvent {
    /// A message is sent; with a request, it is on its way until this is complete.
    Sent(Message, Option<u64>),
    /// The send of this request is complete.
    SendComplete(u64),
    /// A receive is posted.
    ReceivePosted(u64),
    /// A message is received, by the call itself or by a receive that was posted.
    Received(Message, Option<u64>),
    /// The call is a collective operation, which lasts from here to the call's end.
    Collective(Collective),
    /// A collective operation is posted.
    CollectivePosted(Collective, u64),
    /// A collective operation that was posted is complete.
    CollectiveComplete(Collective, u64),
    /// A request was tested, and is not complete.
    Tested(u64),
    /// A request was cancelled.
    Cancelled(u64),
    /// A request was freed before it was complete: its completion is not known.
    Freed(u64),
    /// The call has made a window or opened a file, in this mode ([`ompttrace_recording::mpi::mode`]).
    ObjectMade(MpiObjectKind, MpiObjectRef, u32),
    /// An access to a window or a file begins; of a window, it is complete when that is synchronised.
    Accessed(Access),
    /// An access begins that goes on after the call, by a request.
    AccessPosted(Access),
    /// An access is complete as far as this process is concerned; its bytes are those that were moved.
    AccessComplete(Access),
    /// The request of an access was tested, and is not complete.
    AccessTested(Access),
    /// The request of an access was cancelled.
    AccessCancelled(Access),
    /// The call is given a window or a file, and lasts from here to its end.
    ObjectCall(ObjectCall),
}
