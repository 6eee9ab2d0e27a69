//! Waits in calls of MPI, by Scalasca's definitions: for each call what it waited for, how long, and which rank came late.

use super::rank::{Call, Op, Operation, RankTrace};
use ompttrace_model::Shape;
use rustc_hash::FxHashMap;

/// Kinds of waits, in the order in which reports have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    LateSender,
    LateReceiver,
    Barrier,
    NToN,
    LateBroadcast,
    EarlyReduce,
}

impl Kind {
    pub(crate) const ALL: [Kind; 6] = [
        Kind::LateSender,
        Kind::LateReceiver,
        Kind::Barrier,
        Kind::NToN,
        Kind::LateBroadcast,
        Kind::EarlyReduce,
    ];

    /// As JSON has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::LateSender => "late_sender",
            Kind::LateReceiver => "late_receiver",
            Kind::Barrier => "wait_at_barrier",
            Kind::NToN => "wait_at_n_to_n",
            Kind::LateBroadcast => "late_broadcast",
            Kind::EarlyReduce => "early_reduce",
        }
    }

    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Kind::LateSender => "late sender",
            Kind::LateReceiver => "late receiver",
            Kind::Barrier => "wait at barrier",
            Kind::NToN => "wait at n-to-n operation",
            Kind::LateBroadcast => "late broadcast",
            Kind::EarlyReduce => "early reduce",
        }
    }
}

/// The call of a rank: positions of the rank and of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallOf {
    pub rank: u32,
    pub call: u32,
}

/// The wait of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub kind: Kind,
    pub at: CallOf,
    pub time: u64,
    /// The call for which it waited.
    pub cause: CallOf,
}

/// The begins of a collective operation by all ranks that are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begins {
    pub last: (u64, CallOf),
    pub first_other: Option<(u64, CallOf)>,
    pub root: Option<(u64, CallOf)>,
    pub count: u32,
}

/// Sends, posts of receives and collective operations of all ranks, by their numbers in the job.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// Begin of the call that sends each message, in nanoseconds, and the call.
    pub sends: FxHashMap<u64, (u64, CallOf)>,
    /// Time at which the receive of each message was posted, in nanoseconds, and the call in which the receive is complete.
    pub receives: FxHashMap<u64, (u64, CallOf)>,
    pub collectives: FxHashMap<u64, Begins>,
}

/// All calls with the operations in them.
pub(crate) fn calls(rank: &RankTrace) -> impl Iterator<Item = (u32, &Call, &[Op])> {
    (0..).zip(&rank.calls).map(|(at, call)| (at, call, ops(rank, call)))
}

/// The operations of a call.
pub(crate) fn ops<'a>(rank: &'a RankTrace, call: &Call) -> &'a [Op] {
    rank.ops.get(call.ops.0 as usize..call.ops.1 as usize).unwrap_or_default()
}

impl Ends {
    pub(crate) fn of(ranks: &[RankTrace]) -> Ends {
        let mut ends = Ends::default();
        for (rank, trace) in (0..).zip(ranks) {
            for (at, call, ops) in calls(trace) {
                let at = CallOf { rank, call: at };
                ops.iter().for_each(|op| ends.add(at, call, op));
            }
        }
        ends
    }

    fn add(&mut self, at: CallOf, call: &Call, op: &Op) {
        match *op {
            Op::Sent(id, ..) if id != 0 => drop(self.sends.insert(id, (call.enter, at))),
            Op::Received(id, posted) if id != 0 => {
                self.receives.insert(id, (posted, at));
            }
            Op::Collective(Operation { id, is_root, .. }, _) if id != 0 => {
                let own = (call.enter, at);
                let begins = self.collectives.entry(id).or_insert(Begins {
                    last: own,
                    first_other: None,
                    root: None,
                    count: 0,
                });
                begins.count += 1;
                if own.0 > begins.last.0 {
                    begins.last = own;
                }
                match is_root {
                    Some(true) => begins.root = Some(own),
                    _ if begins.first_other.is_none_or(|first| own.0 < first.0) => {
                        begins.first_other = Some(own);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The longest wait of each call of all ranks, of those that wait: several messages of one call are waited for at once.
pub(crate) fn waits(ranks: &[RankTrace], ends: &Ends) -> Vec<Wait> {
    let mut waits = Vec::new();
    for (rank, trace) in (0..).zip(ranks) {
        for (at, call, ops) in calls(trace) {
            let at = CallOf { rank, call: at };
            let all = ops.iter().filter_map(|op| wait(ends, at, call, op));
            waits.extend(all.filter(|wait| wait.time > 0).max_by_key(|wait| wait.time));
        }
    }
    waits
}

/// The wait for the other side of an operation.
fn wait(ends: &Ends, at: CallOf, call: &Call, op: &Op) -> Option<Wait> {
    let until = |late: u64| late.min(call.leave).saturating_sub(call.enter);
    let found = |kind, (late, cause): (u64, CallOf)| {
        Some(Wait { kind, at, time: until(late), cause }).filter(|_| cause.rank != at.rank)
    };
    match *op {
        Op::Received(id, ..) => found(Kind::LateSender, *ends.sends.get(&id)?),
        // It was blocked only if it went on after the receive was there.
        Op::Sent(id, _, true) | Op::SendDone(id) => {
            let receive = *ends.receives.get(&id)?;
            found(Kind::LateReceiver, receive).filter(|_| call.leave > receive.0)
        }
        Op::Collective(operation, true) | Op::CollectiveDone(operation) => {
            let begins = ends.collectives.get(&operation.id)?;
            match (operation.shape, operation.is_root) {
                (Shape::Barrier, _) => found(Kind::Barrier, begins.last),
                (Shape::NToN, _) => found(Kind::NToN, begins.last),
                (Shape::OneToN, Some(false)) => found(Kind::LateBroadcast, begins.root?),
                (Shape::NToOne, Some(true)) => found(Kind::EarlyReduce, begins.first_other?),
                _ => None,
            }
        }
        Op::Sent(..) | Op::Collective(..) => None,
    }
}
