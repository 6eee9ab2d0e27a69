//! Numbers of messages and collective operations by which ranks of one job find those of others, each from its own recording.
//!
//! MPI keeps the order of messages of a communicator, a pair of ranks and a tag: so the k-th send belongs to the k-th receive of
//! that kind, in the order in which receives were posted. The number of a message is a hash of all that. It holds while
//! everything was recorded: from a pause or a loss on, messages of the process have no number, and nor have those of communicators
//! whose members are not known. The whole recording is followed, so that a part of its time has the same numbers.

mod communicators;
mod follow;
mod identities;
mod job;
mod logical;
mod operations;

use crate::hash::mix;
use crate::merge::Merge;
use follow::Follower;
pub(crate) use identities::Identities;
pub use job::{JobMessages, LastArrivals, Ranks};
pub use logical::{Corrected, Exchanges};
use ompttrace_model::MESSAGE_FLOW;
use ompttrace_recording::Recording;

/// The event that a number is for, besides its thread and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Which {
    /// Sent or posted by the call that begins then.
    Call,
    /// Received by the open call.
    Received,
    /// Completion of the request at this index of those that the call was given.
    Done(u64),
    /// Start of the persistent request at this index.
    Started(u64),
}

/// A number of an event.
#[derive(Clone, Copy, Debug)]
struct End {
    ticks: u64,
    which: Which,
    id: u64,
}

impl End {
    /// True for the receive of a message, false for its send; `None`: it is no message.
    fn is_receive(&self) -> Option<bool> {
        let is_receive = matches!(self.which, Which::Received | Which::Done(_));
        (self.id & MESSAGE_FLOW != 0).then_some(is_receive)
    }
}

/// The begin of a collective operation for which other ranks wait, or the end of one in which this rank waits for others.
#[derive(Clone, Copy, Debug)]
struct Operation {
    id: u64,
    ticks: u64,
    is_end: bool,
}

/// Counts of a process's messages and collective operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// Messages sent that have a number.
    pub sent: u64,
    /// Messages received that have a number.
    pub received: u64,
    /// Collective operations that have a number.
    pub collectives: u64,
    /// Sends and receives after a pause, a loss or damage: which messages they are is not known.
    pub after_gap: u64,
    /// Sends and receives of communicators whose members are not known.
    pub unknown_communicator: u64,
    /// Receives after a message was taken of which it is not known which one it is, as by MPI_Mrecv or MPI_Isendrecv.
    pub unknown_order: u64,
}

/// The numbers of one process.
#[derive(Debug, Default)]
pub struct Matching {
    /// By thread, in the order of time.
    ends: Vec<Vec<End>>,
    /// Collective operations, and the ticks at which their calls began.
    arrivals: Vec<(u64, u64)>,
    operations: Vec<Operation>,
    /// The rank in MPI_COMM_WORLD.
    rank: Option<u32>,
    counts: MessageCounts,
}

impl Matching {
    /// Follows a recording from its begin to its end; one without MPI has no numbers. `job` is a number that all processes of its
    /// job have in common: messages of other jobs have other numbers.
    pub fn of(recording: &Recording, job: u64) -> Matching {
        if !recording.facts.has_mpi() {
            return Matching::default();
        }
        let threads = recording.threads.len();
        let streams = (0..threads).map(|position| recording.stream(position)).collect();
        let mut follower = Follower::new((threads, job), recording.is_incomplete());
        Merge::new(streams).run(|thread, record| follower.record(thread, &record));
        follower.finish()
    }

    /// Sums of what has a number and what has none.
    pub fn counts(&self) -> MessageCounts {
        self.counts
    }

    /// The rank of the process in MPI_COMM_WORLD, as MPI says it; `None`: that was not recorded.
    pub fn rank(&self) -> Option<u32> {
        self.rank
    }

    /// Messages with their ticks, and whether they are received here.
    fn messages(&self) -> impl Iterator<Item = (u64, u64, bool)> {
        let ends = self.ends.iter().flatten();
        ends.filter_map(|end| Some((end.id, end.ticks, end.is_receive()?)))
    }

    /// The number of an event; 0: none.
    pub(crate) fn id(&self, t: u32, ticks: u64, which: Which) -> u64 {
        let Some(ends) = self.ends.get(t as usize) else { return 0 };
        let found = ends.binary_search_by_key(&(ticks, which), |end| (end.ticks, end.which));
        found.ok().and_then(|at| ends.get(at)).map_or(0, |end| end.id)
    }
}

/// The part of a process in a job.
#[derive(Clone, Copy, Debug)]
pub struct OfJob<'a> {
    /// The numbers of its messages.
    pub matching: &'a Matching,
    /// The last ranks at the collective operations of all.
    pub last: &'a LastArrivals,
}

/// The number of the k-th message of this kind, as a flow that has the same number in all processes.
fn message(communicator: u64, (source, destination): (u32, u32), tag: u32, k: u64) -> u64 {
    let pair = u64::from(source) << 32 | u64::from(destination);
    mix(mix(mix(communicator ^ pair).wrapping_add(tag.into())).wrapping_add(k)) | MESSAGE_FLOW
}

/// The number of the k-th collective operation of a communicator, which is no flow.
fn collective(communicator: u64, k: u64) -> u64 {
    (mix(mix(communicator ^ 0x636f_0000_0000_0000).wrapping_add(k)) & !MESSAGE_FLOW) | 1
}
