//! The controlled logical clock (Rabenseifner; Becker, Rabenseifner and Wolf): times of clocks that disagree, made later until no
//! message is received before it was sent, and no rank leaves a collective operation before those that it waits for came to it.
//!
//! Forward, a time that is too early jumps to the earliest one that is possible, and the clock goes on from there; what it is
//! ahead fades slowly. Backward, times before a jump become later as well, so that time is stretched over a long span instead of one
//! place, but no send so much that its receive would be too early. Times are those of a clock: ranks of one machine are moved alike,
//! and what they are to each other stays, unless their own messages run backwards.
//!
//! An event needs 24 bytes meanwhile, and a message 16. What remains is a line between any two breaks, and there are no
//! breaks but at receives that were too early: times of records are not stored.

mod backward;
mod check;
mod forward;
mod nodes;
#[cfg(test)]
mod tests;

use super::Matching;
use crate::clock::Clock;
use nodes::Nodes;
use ompttrace_model::MESSAGE_FLOW;
use ompttrace_recording::{Correction, Recording};
use std::sync::Arc;

/// An event that waits for others, or for which others wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The clock that it is on; the rank before that is known.
    clock: u32,
    time: u64,
    /// True for one for which others wait: of equal times on one clock it comes after what is received then.
    gives: bool,
    /// The number of the message or operation in the job; its node when that is known.
    id: u64,
}

/// Messages and collective operations of all ranks of a job, with their times on the common clock.
#[derive(Debug, Default)]
pub struct Exchanges(Vec<Side>);

/// Corrections, and what they change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corrected {
    /// The correction of each rank; `None`: its times stay.
    pub of_rank: Vec<Option<Arc<Correction>>>,
    /// Messages that were received before they were sent, before and after the correction.
    pub backwards: (u64, u64),
    /// The most by which any time became later, in nanoseconds.
    pub most_ns: u64,
    /// The most by which the time between two events of MPI that follow each other on one clock became longer, and shorter, in
    /// nanoseconds.
    pub longer_ns: u64,
    /// See [`Corrected::longer_ns`].
    pub shorter_ns: u64,
}

impl Exchanges {
    /// Takes those of a rank, by its position among all, whose recording has the clock of the job.
    pub fn add(&mut self, rank: u32, recording: &Recording, matching: &Matching) {
        let clock = Clock::of(recording);
        let operations = matching.operations.iter().map(|one| (one.id, one.ticks, one.is_end));
        let side = |(id, ticks, is_end): (u64, u64, bool)| Side {
            clock: rank,
            gives: !is_end,
            time: clock.nanoseconds(ticks),
            id,
        };
        self.0.extend(matching.messages().chain(operations).map(side));
    }

    /// Corrects times. `clocks`: the clock of each rank; `latency`: nanoseconds that a message takes at least.
    pub fn correct(self, clocks: &[u32], latency: u64) -> Corrected {
        let Exchanges(mut sides) = self;
        sides.sort_unstable_by_key(|side| (side.id, side.gives));
        let backwards = sides.windows(2).filter(|pair| is_backwards(pair)).count() as u64;
        let clocks = disagreeing(&sides, clocks);
        let clock = |rank: u32| clocks.get(rank as usize).copied().unwrap_or(rank);
        sides.iter_mut().for_each(|side| side.clock = clock(side.clock));
        let mut nodes = Nodes::of(&mut sides, latency);
        sides.sort_unstable();
        let of_clock: Vec<_> = sides.chunk_by(|one, other| one.clock == other.clock).collect();
        let forward = forward::pieces(&of_clock, &mut nodes);
        let pieces = of_clock.iter().zip(forward);
        let pieces = pieces.map(|(sides, pieces)| backward::amortised(sides, pieces, &nodes));
        let corrections: Vec<_> = pieces.map(|pieces| Arc::new(Correction::of(pieces))).collect();
        let mut corrected = check::check(&of_clock, &corrections, &mut nodes);
        corrected.backwards.0 = backwards;
        let known = of_clock.iter().zip(&corrections);
        let known = known.filter(|(_, correction)| !correction.pieces().is_empty());
        let known: Vec<_> =
            known.filter_map(|(sides, one)| Some((sides.first()?.clock, one))).collect();
        let of_rank = |clock: &u32| {
            let at = known.binary_search_by_key(clock, |(clock, _)| *clock).ok()?;
            known.get(at).map(|(_, correction)| Arc::clone(correction))
        };
        corrected.of_rank = clocks.iter().map(of_rank).collect();
        corrected
    }
}

/// True for the end and the begin of a message that is received before it is sent.
fn is_backwards(pair: &[Side]) -> bool {
    let [end, begin] = pair else { return false };
    let is_pair = end.id == begin.id && !end.gives && begin.gives;
    is_pair && end.id & MESSAGE_FLOW != 0 && end.time < begin.time
}

/// The clock of each rank: that of its machine, or one of its own where messages between ranks of the machine run backwards, so
/// that they cannot have one. Sides are in the order of their numbers, the ends of each first.
fn disagreeing(sides: &[Side], clocks: &[u32]) -> Vec<u32> {
    let of = |side: &Side| clocks.get(side.clock as usize).copied();
    let backwards = sides.windows(2).filter(|pair| is_backwards(pair));
    let both = backwards.filter_map(|pair| Some((of(pair.first()?)?, of(pair.last()?)?)));
    let mut apart: Vec<_> = both.filter(|(one, other)| one == other).map(|(one, _)| one).collect();
    apart.sort_unstable();
    apart.dedup();
    let first_free = clocks.iter().max().map_or(0, |most| most + 1);
    let own = |(clock, free): (&u32, u32)| match apart.binary_search(clock) {
        Ok(_) => free,
        Err(_) => *clock,
    };
    clocks.iter().zip(first_free..).map(own).collect()
}
