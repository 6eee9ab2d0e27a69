//! Known answers, and random jobs whose clocks are wrong in known ways.

use super::*;
use ompttrace_recording::correction::RATE;

const LATENCY: u64 = 10;
/// Numbers of messages have this bit.
const MESSAGE: u64 = MESSAGE_FLOW;

fn side(clock: u32, time: u64, gives: bool, id: u64) -> Side {
    Side { clock, time, gives, id }
}

fn sent(rank: u32, time: u64, number: u64) -> Side {
    side(rank, time, true, number | MESSAGE)
}

fn received(rank: u32, time: u64, number: u64) -> Side {
    side(rank, time, false, number | MESSAGE)
}

fn corrected(sides: &[Side], clocks: &[u32]) -> Corrected {
    Exchanges(sides.to_vec()).correct(clocks, LATENCY)
}

fn later(corrected: &Corrected, rank: usize, time: u64) -> u64 {
    corrected.of_rank[rank].as_ref().map_or(0, |one| one.later(time))
}

const START: u64 = 1_000_000_000;

#[test]
fn a_message_that_runs_backwards_moves_its_receiver() {
    let sides = [sent(0, START + 500, 1), received(1, START, 1)];
    let found = corrected(&sides, &[0, 1]);
    assert_eq!(found.backwards, (1, 0));
    assert_eq!(found.of_rank[0], None);
    let jump = 500 + LATENCY;
    assert_eq!(later(&found, 1, START), jump);
    assert_eq!(found.most_ns, jump);
    // What comes after fades, and what is before rises as slowly.
    assert_eq!(later(&found, 1, START + 3 * RATE), jump - 3);
    assert_eq!(later(&found, 1, START + 600 * RATE), 0);
    assert_eq!(later(&found, 1, START - 100 * RATE), jump - 100);
    assert_eq!(later(&found, 1, START - 600 * RATE), 0);
    // In order, nothing is to be done.
    let sides = [sent(0, START, 1), received(1, START + LATENCY, 1)];
    let found = corrected(&sides, &[0, 1]);
    assert_eq!((found.backwards, &found.of_rank[..]), ((0, 0), &[None, None][..]));
}

#[test]
fn what_was_sent_before_a_jump_is_not_received_too_early() {
    // Rank 1 sends just before the receive that jumps; rank 0 has that 40 ns later by its clock.
    let sides = [
        sent(1, START - 100, 1),
        received(0, START - 100 + LATENCY + 40, 1),
        sent(0, START + 500, 2),
        received(1, START, 2),
    ];
    let found = corrected(&sides, &[0, 1]);
    assert_eq!(found.backwards, (1, 0));
    assert_eq!(later(&found, 1, START - 100), 40, "all that is possible");
    assert_eq!(later(&found, 1, START), 500 + LATENCY);
    assert_eq!(found.longer_ns, 500 + LATENCY - 40);
    let ramp = later(&found, 1, START - 100 - 4 * RATE);
    assert!((35..=36).contains(&ramp), "{ramp}");
}

#[test]
fn ranks_of_one_machine_are_moved_alike_unless_their_messages_run_backwards() {
    let sides = [sent(0, START + 500, 1), received(1, START, 1)];
    let found = corrected(&sides, &[0, 1, 1]);
    assert_eq!(found.of_rank[1], found.of_rank[2]);
    assert!(found.of_rank[2].is_some());
    let found = corrected(&sides, &[0, 0]);
    assert_eq!((found.backwards, later(&found, 1, START)), ((1, 0), 500 + LATENCY));
}

#[test]
fn nobody_leaves_an_operation_before_those_that_it_waits_for_come() {
    // All wait for all; rank 2 comes last, by its clock, which is 900 ns ahead.
    let barrier = |rank, time| [side(rank, time, true, 7), side(rank, time + 100, false, 7)];
    let sides = [barrier(0, START), barrier(1, START + 50), barrier(2, START + 1_000)].concat();
    let found = corrected(&sides, &[0, 1, 2]);
    assert_eq!(later(&found, 0, START + 100), 900 + LATENCY);
    assert_eq!(later(&found, 1, START + 150), 850 + LATENCY);
    assert_eq!(found.of_rank[2], None);
    assert_eq!(found.backwards, (0, 0), "no message is among them");
    // A rank of the last one's machine waits for the others only.
    let found = corrected(&sides, &[0, 1, 1]);
    assert_eq!(later(&found, 1, START + 1_000), 0);
    // One to all: the root does not wait.
    let sides =
        [side(0, START + 300, true, 9), side(1, START, false, 9), side(2, START + 400, false, 9)];
    let found = corrected(&sides, &[0, 1, 2]);
    assert_eq!(later(&found, 1, START), 300 + LATENCY);
    assert_eq!((&found.of_rank[0], &found.of_rank[2]), (&None, &None));
}

#[test]
fn events_that_wait_for_each_other_in_a_circle_end() {
    let sides = [
        received(0, START, 1),
        sent(0, START + 10, 2),
        received(1, START, 2),
        sent(1, START + 10, 1),
    ];
    assert_eq!(corrected(&sides, &[0, 1]).of_rank.len(), 2);
}

/// A sequence of numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = crate::hash::mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        self.0 % limit
    }
}

/// A job in true time, seen by clocks that are off by up to 5 ms and drift by up to 1e-4.
fn random_job(seed: u64, ranks: u32) -> Vec<Side> {
    let mut random = Random(seed);
    let offsets: Vec<_> = (0..ranks).map(|_| random.below(10_000_000)).collect();
    let drifts: Vec<_> = (0..ranks).map(|_| random.below(200) as i64 - 100).collect();
    let mut now = vec![START; ranks as usize];
    let seen = |rank: u32, time: u64| {
        let drift = (time - START) as i64 * drifts[rank as usize] / 1_000_000;
        (time + offsets[rank as usize]).wrapping_add_signed(drift)
    };
    let mut sides = Vec::new();
    for id in 1..3_000 {
        let (one, other) = (random.below(ranks.into()) as u32, random.below(ranks.into()) as u32);
        if random.below(50) == 0 {
            let last = now.iter().copied().max().unwrap_or(0) + 5;
            for rank in 0..ranks {
                sides.push(side(rank, seen(rank, now[rank as usize]), true, id));
                now[rank as usize] = last + LATENCY + random.below(5_000);
                sides.push(side(rank, seen(rank, now[rank as usize]), false, id));
            }
        } else if one != other {
            let at = now[one as usize] + 10 + random.below(100_000);
            now[one as usize] = at + 20;
            let arrives = at + 2 * LATENCY + random.below(2_000);
            let then = &mut now[other as usize];
            *then = arrives.max(*then + 20);
            let then = *then;
            sides.extend([sent(one, seen(one, at), id), received(other, seen(other, then), id)]);
        }
    }
    sides
}

#[test]
fn after_the_correction_all_is_in_order_and_time_goes_forward() {
    for seed in 0..20 {
        let ranks = 2 + seed as u32 % 4;
        let sides = random_job(seed, ranks);
        let clocks: Vec<u32> = (0..ranks).collect();
        let found = corrected(&sides, &clocks);
        assert!(found.backwards.0 > 0 && found.backwards.1 == 0, "{seed}: {found:?}");
        let time = |side: &Side| side.time + later(&found, side.clock as usize, side.time);
        let mut of_node =
            std::collections::BTreeMap::<u64, (Vec<(u32, u64)>, Vec<(u32, u64)>)>::new();
        for one in &sides {
            let node = of_node.entry(one.id).or_default();
            let list = if one.gives { &mut node.0 } else { &mut node.1 };
            list.push((one.clock, time(one)));
        }
        for (id, (gives, waits)) in of_node {
            for (rank, time) in waits {
                let others = gives.iter().filter(|(other, _)| *other != rank);
                let last = others.map(|(_, time)| *time).max().unwrap_or(0);
                assert!(time >= last + LATENCY, "{seed}, {id:x}: {time} after {last}");
            }
        }
        for rank in 0..ranks {
            let of = |side: &&Side| side.clock == rank;
            let mut times: Vec<_> =
                sides.iter().filter(of).map(|side| (side.time, time(side))).collect();
            times.sort_unstable();
            assert!(times.is_sorted_by_key(|(_, time)| *time), "{seed}, rank {rank}");
        }
        let again: Vec<_> = sides.iter().map(|one| Side { time: time(one), ..*one }).collect();
        let again = corrected(&again, &clocks);
        assert!(again.of_rank.iter().all(Option::is_none), "{seed}: {:?}", again.most_ns);
    }
}

#[test]
fn a_constant_error_is_nearly_taken_away() {
    // A second of messages to and fro each millisecond; rank 1's clock is 3 ms behind.
    let behind = 3_000_000;
    let mut sides = Vec::new();
    for round in 0..1_000 {
        let at = START + round * 1_000_000;
        sides.extend([sent(0, at, 2 * round), received(1, at + 1_000 - behind, 2 * round)]);
        let at = at + 500_000;
        sides.extend([sent(1, at - behind, 2 * round + 1), received(0, at + 1_000, 2 * round + 1)]);
    }
    let found = corrected(&sides, &[0, 1]);
    assert_eq!(found.backwards, (1_000, 0));
    let pieces = found.of_rank[1].as_ref().expect("corrected").pieces().len();
    let all = sides.iter().filter(|side| side.clock == 1);
    let errors: Vec<_> = all.map(|side| behind - later(&found, 1, side.time)).collect();
    assert!(errors.iter().all(|error| *error <= 1_300), "{:?}", errors.iter().max());
    assert!(found.longer_ns < 1_000 && pieces < 4_100, "{found:?}, {pieces} pieces");
}
