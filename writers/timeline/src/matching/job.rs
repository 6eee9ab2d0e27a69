//! The messages and collective operations of all ranks of a job, put together.

use super::{Matching, MessageCounts};
use crate::clock::Clock;
use crate::hash::FastMap;
use ompttrace_recording::Recording;

/// Collective operations of a job: which rank comes to each last, and when.
#[derive(Debug, Default)]
pub struct LastArrivals(FastMap<u64, (u64, u32)>);

impl LastArrivals {
    /// The last arrival at an operation: its time, CLOCK_MONOTONIC in nanoseconds, and its rank.
    pub fn last(&self, id: u64) -> Option<(u64, u32)> {
        self.0.get(&id).copied()
    }
}

/// Sums of the messages of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobMessages {
    /// Messages of which both the send and the receive were found.
    pub matched: u64,
    /// Sends without a receive: it was not recorded, or never came.
    pub without_receive: u64,
    /// Receives without a send.
    pub without_send: u64,
    /// Sends and receives that have no number in the job: see [`MessageCounts`].
    pub after_gap: u64,
    /// Sends and receives in communicators whose members are not known.
    pub unknown_communicator: u64,
    /// Receives after a message was taken of which it is not known which one it is.
    pub unknown_order: u64,
    /// Messages of [`JobMessages::matched`] that were received before they were sent, as clocks have it.
    pub backwards: u64,
}

impl JobMessages {
    /// Sends and receives that belong to no message of which both ends are known.
    pub fn unmatched(&self) -> u64 {
        self.without_receive
            + self.without_send
            + self.after_gap
            + self.unknown_communicator
            + self.unknown_order
    }
}

/// Collects what each rank numbers.
#[derive(Debug, Default)]
pub struct Ranks {
    last: LastArrivals,
    /// Messages with their times.
    sent: Vec<(u64, u64)>,
    received: Vec<(u64, u64)>,
    /// Ranks of which MPI says another number, and that number.
    others: Vec<(u32, u32)>,
    sums: JobMessages,
}

impl Ranks {
    /// Takes what a rank says; its recording has the clock of the job.
    pub fn add(&mut self, rank: u32, recording: &Recording, matching: &Matching) {
        let clock = Clock::of(recording);
        for (id, ticks) in &matching.arrivals {
            let at = clock.nanoseconds(*ticks);
            let last = self.last.0.entry(*id).or_insert((at, rank));
            *last = (*last).max((at, rank));
        }
        for (id, ticks, is_receive) in matching.messages() {
            let to = if is_receive { &mut self.received } else { &mut self.sent };
            to.push((id, clock.nanoseconds(ticks)));
        }
        self.others.extend(matching.rank.filter(|own| *own != rank).map(|own| (rank, own)));
        let MessageCounts { after_gap, unknown_communicator, unknown_order, .. } = matching.counts;
        self.sums.after_gap += after_gap;
        self.sums.unknown_communicator += unknown_communicator;
        self.sums.unknown_order += unknown_order;
    }

    /// A rank of which MPI says another number, and that number.
    pub fn misnumbered(&self) -> Option<(u32, u32)> {
        self.others.iter().min().copied()
    }

    /// All ranks were added.
    pub fn finish(mut self) -> (LastArrivals, JobMessages) {
        self.sent.sort_unstable();
        self.received.sort_unstable();
        let mut sums = self.sums;
        let mut received = self.received.into_iter().peekable();
        for (sent, at) in self.sent {
            while received.next_if(|(other, _)| *other < sent).is_some() {
                sums.without_send += 1;
            }
            match received.next_if(|(other, _)| *other == sent) {
                Some((_, received)) => {
                    sums.matched += 1;
                    sums.backwards += u64::from(received < at);
                }
                None => sums.without_receive += 1,
            }
        }
        sums.without_send += received.count() as u64;
        (self.last, sums)
    }
}
