//! Calls of MPI in a report.

use super::Site;
use serde::Serialize;

/// Calls of MPI and messages. Their time is also part of the constructs around them, as `mpi_` states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MpiReport {
    /// Number of all calls.
    pub calls_in_all: u64,
    /// The time in them, of all threads together.
    pub time_ns: u64,
    /// Calls by function and call site, the longest time first; of very many call sites only the first are listed.
    pub calls: Vec<MpiCallReport>,
    /// Messages by size.
    pub message_sizes: Vec<MessageSizes>,
}

/// The calls of a function at a call site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MpiCallReport {
    /// The function: `MPI_Send`.
    pub function: String,
    /// The state of a thread in the call.
    pub state: &'static str,
    /// Source location of the call.
    pub location: Site,
    /// The number of calls.
    pub calls: u64,
    /// Time from begin to end of the calls, of all threads together, in nanoseconds.
    pub time_ns: u64,
    /// The longest call.
    pub longest_ns: u64,
    /// Messages and bytes that they send or post to be sent; of collective functions bytes only.
    pub sent: MessageSums,
    /// Messages and bytes that they receive: a message that is posted counts where it is complete.
    pub received: MessageSums,
}

/// Sums of messages between two ranks, and of bytes: those of the messages and of collective operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MessageSums {
    /// Messages between two ranks.
    pub messages: u64,
    /// Bytes of these messages, and of collective operations according to this rank's arguments.
    pub bytes: u64,
}

/// Messages of about one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MessageSizes {
    /// Upper bound of the size, in bytes; the messages are larger than half of it.
    pub up_to_bytes: u64,
    /// Messages that this rank sent.
    pub sent: u64,
    /// Messages that it received.
    pub received: u64,
}
