//! The critical path through ranks: from the end of the job backwards, and at each wait to the rank for which it was.

use super::model::PathPart;
use super::rank::{Call, RankTrace};
use super::waits::{CallOf, Wait};
use rustc_hash::FxHashMap;

/// Steps of a path at most: of calls that wait for each other by clocks that disagree there is no end.
const MOST: usize = 1 << 24;

/// The parts of the path by rank and place, the longest first.
pub(crate) fn path(ranks: &[RankTrace], waits: &[Wait]) -> Vec<PathPart> {
    let waits: FxHashMap<CallOf, Wait> = waits.iter().map(|wait| (wait.at, *wait)).collect();
    let mut sums = FxHashMap::<(u32, String, bool), u64>::default();
    let last = (0..).zip(ranks).max_by_key(|(_, rank)| rank.end);
    let Some((mut rank, trace)) = last else { return Vec::new() };
    let mut until = trace.end;
    let mut position = trace.calls.len();
    for _ in 0..MOST {
        let Some(trace) = ranks.get(rank as usize) else { break };
        let Some((at, call)) = before(trace, position) else {
            let spent = until.saturating_sub(trace.begin);
            *sums.entry((rank, "before the first call of MPI".to_owned(), false)).or_default() +=
                spent;
            break;
        };
        let next = trace.calls.get(position);
        let outside = until.saturating_sub(call.leave);
        *sums.entry((rank, after(trace, next), false)).or_default() += outside;
        until = until.min(call.leave);
        let of_call = CallOf { rank, call: at as u32 };
        let wait = waits.get(&of_call).filter(|wait| wait.time > 0);
        let from = call.enter + wait.map_or(0, |wait| wait.time);
        let place = trace.places.get(call.place as usize).map(String::from).unwrap_or_default();
        *sums.entry((rank, place, true)).or_default() += until.saturating_sub(from);
        until = until.min(from);
        position = at;
        if let Some(Wait { cause, .. }) = wait {
            (rank, position) = (cause.rank, cause.call as usize);
        }
    }
    let part = |((rank, place, in_mpi), time_ns): ((u32, String, bool), u64)| PathPart {
        rank: ranks.get(rank as usize).map_or(rank, |rank| rank.rank),
        place,
        in_mpi,
        time_ns,
    };
    let mut parts: Vec<_> = sums.into_iter().map(part).filter(|part| part.time_ns > 0).collect();
    parts.sort_by(|one, other| {
        let key = |part: &PathPart| (std::cmp::Reverse(part.time_ns), part.rank);
        key(one).cmp(&key(other)).then_with(|| one.place.cmp(&other.place))
    });
    parts
}

/// The last call of the main thread before a position.
fn before(trace: &RankTrace, position: usize) -> Option<(usize, &Call)> {
    let calls = trace.calls.get(..position.min(trace.calls.len()))?;
    calls.iter().enumerate().rfind(|(_, call)| Some(call.thread) == trace.main)
}

/// The computation before a call in words.
fn after(trace: &RankTrace, call: Option<&Call>) -> String {
    let Some(call) = call else { return "after the last call of MPI".to_owned() };
    let name = |place: u32| trace.places.get(place as usize).map(String::from).unwrap_or_default();
    match call.before.1 {
        Some(region) => name(region),
        None => format!("before {}", name(call.place)),
    }
}
