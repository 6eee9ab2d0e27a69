//! Sums over ranks: waits by kind and place, pairs of ranks, times, and POP's efficiencies.

use super::model::{Efficiencies, Levels, Pair, RankReport, WaitReport};
use super::rank::{Call, Op, Place, RankTrace};
use super::waits::{CallOf, Ends, Kind, Wait, calls};
use crate::state::State;
use rustc_hash::FxHashMap;

/// The place of a call in the program.
pub(crate) fn place(ranks: &[RankTrace], at: CallOf) -> Option<&Place> {
    let rank = ranks.get(at.rank as usize)?;
    rank.places.get(call(ranks, at)?.place as usize)
}

/// A call.
pub(crate) fn call(ranks: &[RankTrace], at: CallOf) -> Option<&Call> {
    ranks.get(at.rank as usize)?.calls.get(at.call as usize)
}

/// The sums of one kind of wait at one pair of places.
#[derive(Default)]
struct WaitSums {
    count: u64,
    time: u64,
    by_rank: FxHashMap<u32, u64>,
    by_cause: FxHashMap<u32, u64>,
    after: FxHashMap<u32, (u64, Option<Place>)>,
}

/// Waits by kind, place and the place of their cause, the longest first.
pub(crate) fn waits(ranks: &[RankTrace], waits: &[Wait]) -> Vec<WaitReport> {
    let mut sums = FxHashMap::<(Kind, Place, Place), WaitSums>::default();
    for wait in waits {
        let (Some(at), Some(cause)) = (place(ranks, wait.at), place(ranks, wait.cause)) else {
            continue;
        };
        let sums = sums.entry((wait.kind, at.clone(), cause.clone())).or_default();
        sums.count += 1;
        sums.time += wait.time;
        *sums.by_rank.entry(wait.at.rank).or_default() += wait.time;
        *sums.by_cause.entry(wait.cause.rank).or_default() += wait.time;
        let region = call(ranks, wait.cause).and_then(|call| call.before.1);
        let known = ranks.get(wait.cause.rank as usize).zip(region);
        let region = known.and_then(|(rank, region)| rank.places.get(region as usize));
        let number = region.map_or(u32::MAX, index);
        let after = sums.after.entry(number).or_insert((0, region.cloned()));
        after.0 += wait.time;
    }
    let number = |rank: u32| ranks.get(rank as usize).map_or(rank, |rank| rank.rank);
    let most = |sums: &FxHashMap<u32, u64>| {
        let most = sums.iter().max_by_key(|(rank, time)| (**time, std::cmp::Reverse(**rank)));
        most.map_or((0, 0), |(rank, time)| (number(*rank), *time))
    };
    let report = |((kind, at, cause), sums): ((Kind, Place, Place), WaitSums)| {
        let (worst_rank, worst_rank_ns) = most(&sums.by_rank);
        let (cause_rank, cause_rank_ns) = most(&sums.by_cause);
        let after = sums.after.into_values().max_by_key(|(time, _)| *time);
        WaitReport {
            kind: kind.name(),
            function: at.name,
            location: at.location,
            cause_function: cause.name,
            cause_location: cause.location,
            cause_after: after
                .and_then(|(_, place)| place)
                .map(|place| place.in_words())
                .unwrap_or_default(),
            cause_rank,
            cause_rank_ns,
            count: sums.count,
            time_ns: sums.time,
            worst_rank,
            worst_rank_ns,
        }
    };
    let mut reports: Vec<_> = sums.into_iter().map(report).collect();
    reports.sort_by(|one, other| {
        let names = |wait: &WaitReport| {
            [
                wait.location.clone(),
                wait.function.clone(),
                wait.cause_location.clone(),
                wait.kind.to_owned(),
            ]
        };
        other.time_ns.cmp(&one.time_ns).then_with(|| names(one).cmp(&names(other)))
    });
    reports
}

/// A number of a place that is the same for all ranks: a hash of its name.
fn index(place: &Place) -> u32 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    place.hash(&mut hasher);
    hasher.finish() as u32
}

/// Pairs of ranks with matched messages, those with most bytes first.
pub(crate) fn pairs(ranks: &[RankTrace], ends: &Ends, waits: &[Wait]) -> Vec<Pair> {
    let mut pairs = FxHashMap::<(u32, u32), Pair>::default();
    for (rank, trace) in (0..).zip(ranks) {
        for (_, _, ops) in calls(trace) {
            for op in ops {
                let Op::Sent(id, bytes, _) = op else { continue };
                let Some((_, receive)) = ends.receives.get(id) else { continue };
                let pair = pairs.entry((rank, receive.rank)).or_default();
                pair.messages += 1;
                pair.bytes += bytes;
            }
        }
    }
    for wait in waits {
        let key = match wait.kind {
            Kind::LateSender => (wait.cause.rank, wait.at.rank),
            Kind::LateReceiver => (wait.at.rank, wait.cause.rank),
            _ => continue,
        };
        pairs.entry(key).or_default().waiting_ns += wait.time;
    }
    let number = |rank: u32| ranks.get(rank as usize).map_or(rank, |rank| rank.rank);
    let named = |((from, to), pair): ((u32, u32), Pair)| Pair {
        from: number(from),
        to: number(to),
        ..pair
    };
    let mut pairs: Vec<_> = pairs.into_iter().map(named).collect();
    pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.bytes), pair.from, pair.to));
    pairs
}

/// Ranks side by side.
pub(crate) fn ranks(ranks: &[RankTrace], waits: &[Wait], ideal: &[u64]) -> Vec<RankReport> {
    let mut reports: Vec<_> =
        ranks.iter().zip(ideal).map(|(rank, ideal)| one(rank, *ideal)).collect();
    for wait in waits {
        if let Some(report) = reports.get_mut(wait.at.rank as usize) {
            report.waiting_ns += wait.time;
        }
        if let Some(report) = reports.get_mut(wait.cause.rank as usize) {
            report.caused_ns += wait.time;
        }
    }
    reports
}

fn one(rank: &RankTrace, ideal_network_ns: u64) -> RankReport {
    let wall_ns = rank.end.saturating_sub(rank.begin);
    let threads: Vec<_> = rank.threads.iter().filter(|times| times.all() > 0).collect();
    let main = rank.main.and_then(|main| rank.threads.get(main as usize));
    let main = main.or(rank.threads.first()).copied().unwrap_or_default();
    let mpi_ns = main.sum(State::is_mpi);
    let regions_ns = rank.in_regions.min(wall_ns);
    RankReport {
        rank: rank.rank,
        host: rank.host.clone(),
        wall_ns,
        threads: threads.len() as u32,
        regions_ns,
        serial_ns: main.of(State::WorkSerial),
        mpi_ns,
        useful_ns: threads.iter().map(|times| times.work()).sum(),
        ideal_network_ns,
        wanted_ns: rank.cores.wanted(),
        given_ns: rank.cores.given,
        ..RankReport::default()
    }
}

/// POP's efficiencies. Letters are those of its formulas: P time outside of MPI, O in regions, V useful time of a thread in
/// OpenMP, S serial time, I time on an ideal network.
pub(crate) fn efficiency(reports: &[RankReport]) -> Efficiencies {
    let count = reports.len().max(1) as f64;
    let mean = |of: &dyn Fn(&RankReport) -> f64| reports.iter().map(of).sum::<f64>() / count;
    let most = |of: &dyn Fn(&RankReport) -> f64| reports.iter().map(of).fold(0.0, f64::max);
    let threads = |rank: &RankReport| f64::from(rank.threads.max(1));
    let wall = most(&|rank| rank.wall_ns as f64).max(1.0);
    let outside = |rank: &RankReport| rank.wall_ns.saturating_sub(rank.mpi_ns) as f64;
    let serial = |rank: &RankReport| rank.serial_ns as f64;
    let all_threads: f64 = reports.iter().map(threads).sum::<f64>().max(1.0);
    let n = all_threads / count;
    let useful = reports.iter().map(|rank| rank.useful_ns as f64).sum::<f64>() / all_threads;
    let (p, max_p) = (mean(&outside), most(&outside).max(1.0));
    let (o, s) = (mean(&|rank| rank.regions_ns as f64), mean(&serial));
    let v = (useful - s / n).max(0.0);
    let ideal = most(&|rank| rank.ideal_network_ns as f64).clamp(max_p, wall);
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 1.0 };
    let serial_loss = s * (1.0 - 1.0 / n);
    Efficiencies {
        parallel: useful / wall,
        process: p / wall,
        additive: Levels {
            mpi_load_balance: 1.0 - (max_p - p) / wall,
            mpi_communication: max_p / wall,
            mpi_transfer: ideal / wall,
            mpi_serialisation: 1.0 - (ideal - max_p) / wall,
            thread: 1.0 - (o - v + serial_loss) / wall,
            openmp_region: 1.0 - (o - v) / wall,
            serial_region: 1.0 - serial_loss / wall,
        },
        multiplicative: Levels {
            mpi_load_balance: p / max_p,
            mpi_communication: max_p / wall,
            mpi_transfer: ideal / wall,
            mpi_serialisation: max_p / ideal,
            thread: share(useful, o + s),
            openmp_region: share(v + s, o + s),
            serial_region: share(useful, v + s),
        },
        ideal_network_ns: ideal as u64,
    }
}
