//! The job on an ideal network: computation as it was measured, messages and operations that take no time once all that they need is
//! there. What else happens in MPI, and what is known of one side only, takes the time that it took.

use super::rank::{Op, Operation, RankTrace};
use super::waits::ops;
use ompttrace_model::Shape;
use ompttrace_recording::mpi::Group;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A thread that calls MPI, at its next call.
struct Cursor {
    rank: usize,
    /// Its calls, by position.
    calls: Vec<u32>,
    next: usize,
    /// The time of the replay, and that of the recording.
    now: u64,
    recorded: u64,
    /// True once the operations of the next call have begun.
    begun: bool,
}

/// Times of the replay.
#[derive(Default)]
struct Times {
    sends: FxHashMap<u64, u64>,
    /// Arrivals at each collective operation: number of ranks, time of the last one, time of the root.
    operations: FxHashMap<u64, Arrived>,
}

#[derive(Clone, Copy, Default)]
struct Arrived {
    count: u32,
    last: u64,
    root: Option<u64>,
}

/// The time of each rank on an ideal network, in nanoseconds; `sizes`: the number of ranks that take part in each operation.
pub(crate) fn ideal(ranks: &[RankTrace], sizes: &FxHashMap<u64, u32>) -> Vec<u64> {
    let sent: FxHashSet<u64> = ranks.iter().flat_map(sends).collect();
    let mut cursors: Vec<Cursor> =
        ranks.iter().enumerate().flat_map(|(at, rank)| cursors(at, rank)).collect();
    let mut times = Times::default();
    loop {
        let mut moved = false;
        for cursor in &mut cursors {
            while step(cursor, ranks, sizes, &sent, &mut times, false) {
                moved = true;
            }
        }
        if moved {
            continue;
        }
        // What waits for something that never comes goes on as it was recorded.
        let stuck = cursors.iter_mut().filter(|cursor| cursor.next < cursor.calls.len());
        let Some(first) = stuck.min_by_key(|cursor| cursor.now) else { break };
        step(first, ranks, sizes, &sent, &mut times, true);
    }
    let mut whole: Vec<u64> =
        ranks.iter().map(|rank| rank.end.saturating_sub(rank.begin)).collect();
    let mut seen = vec![false; ranks.len()];
    for cursor in &cursors {
        let Some(rank) = ranks.get(cursor.rank) else { continue };
        let own = cursor.now.saturating_add(rank.end.saturating_sub(cursor.recorded));
        let own = own.saturating_sub(rank.begin);
        if let (Some(whole), Some(seen)) = (whole.get_mut(cursor.rank), seen.get_mut(cursor.rank)) {
            *whole = if *seen { (*whole).max(own) } else { own };
            *seen = true;
        }
    }
    whole
}

fn sends(rank: &RankTrace) -> impl Iterator<Item = u64> {
    rank.ops.iter().filter_map(|op| match op {
        Op::Sent(id, ..) if *id != 0 => Some(*id),
        _ => None,
    })
}

/// The threads of a rank that call MPI.
fn cursors(at: usize, rank: &RankTrace) -> Vec<Cursor> {
    let mut by_thread = BTreeMap::<u32, Vec<u32>>::new();
    for (number, call) in (0..).zip(&rank.calls) {
        by_thread.entry(call.thread).or_default().push(number);
    }
    let cursor = |calls| Cursor {
        rank: at,
        calls,
        next: 0,
        now: rank.begin,
        recorded: rank.begin,
        begun: false,
    };
    by_thread.into_values().map(cursor).collect()
}

/// Takes a thread through its next call; false if it cannot go on yet.
fn step(
    cursor: &mut Cursor,
    ranks: &[RankTrace],
    sizes: &FxHashMap<u64, u32>,
    sent: &FxHashSet<u64>,
    times: &mut Times,
    forced: bool,
) -> bool {
    let Some(rank) = ranks.get(cursor.rank) else { return false };
    let next = cursor.calls.get(cursor.next).and_then(|call| rank.calls.get(*call as usize));
    let Some(call) = next else { return false };
    let ops = ops(rank, call);
    if !cursor.begun {
        cursor.now = cursor.now.saturating_add(call.enter.saturating_sub(cursor.recorded));
        cursor.begun = true;
        ops.iter().for_each(|op| begin(op, cursor.now, times));
    }
    let mut until = cursor.now;
    let mut is_known = !ops.is_empty() || matches!(call.group, Group::PointToPoint | Group::Wait);
    for op in ops {
        let (id, needed) = match op {
            Op::Received(id, ..) => (*id, times.sends.get(id).copied()),
            Op::Collective(operation, true) | Op::CollectiveDone(operation) => {
                (operation.id, needed(operation, cursor.now, sizes, times))
            }
            Op::Sent(..) | Op::SendDone(_) | Op::Collective(..) => continue,
        };
        match needed {
            Some(time) => until = until.max(time),
            None if id != 0 && !forced && (sizes.contains_key(&id) || sent.contains(&id)) => {
                return false;
            }
            None => is_known = false,
        }
    }
    let took = if is_known { 0 } else { call.leave.saturating_sub(call.enter) };
    cursor.now = until.saturating_add(took);
    (cursor.recorded, cursor.begun) = (call.leave, false);
    cursor.next += 1;
    true
}

/// The operations of a call begin.
fn begin(op: &Op, now: u64, times: &mut Times) {
    match op {
        Op::Sent(id, ..) if *id != 0 => drop(times.sends.insert(*id, now)),
        Op::Collective(operation, _) if operation.id != 0 => {
            let arrived = times.operations.entry(operation.id).or_default();
            arrived.count += 1;
            arrived.last = arrived.last.max(now);
            if operation.is_root == Some(true) {
                arrived.root = Some(now);
            }
        }
        _ => {}
    }
}

/// Time of the replay from which a rank can leave a collective operation, in nanoseconds; `None`: that is not known yet.
fn needed(
    operation: &Operation,
    now: u64,
    sizes: &FxHashMap<u64, u32>,
    times: &Times,
) -> Option<u64> {
    let arrived = times.operations.get(&operation.id)?;
    let is_complete = sizes.get(&operation.id).is_some_and(|size| arrived.count >= *size);
    match (operation.shape, operation.is_root) {
        (Shape::OneToN, Some(false)) => arrived.root,
        (Shape::OneToN, _) | (Shape::NToOne, Some(false) | None) | (Shape::Other, _) => Some(now),
        _ => is_complete.then_some(arrived.last),
    }
}
