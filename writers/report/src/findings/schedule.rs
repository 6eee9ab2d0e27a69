//! Cures and their gains where the threads of a team have unequal work: another schedule, but only one whose handing
//! out of chunks costs less than it wins.
//!
//! A loop that is handed out in chunks of N iterations takes, by the bound of list scheduling, the mean work of a
//! thread, the handing out of its share of the chunks, and of the last chunk what the others wait for it: at most
//! (threads - 1) / threads of it, half of that in the mean.

use super::gain::on_path;
use crate::model::{Class, ConstructReport, Gain, Report};

/// Time to hand out one chunk, in nanoseconds: a call and a counter that other cores write.
pub(super) const DISPATCH: f64 = 200.0;
/// A chunk is worth handing out if its work is so many times that.
const WORTH: f64 = 25.0;
/// Chunks for each thread, so that they can go round.
const ROUNDS: u64 = 4;
/// A cure is advised if it wins at least this part of the gain of an even share of the work.
const ENOUGH: f64 = 0.25;

const DYNAMIC: &str = "try a dynamic schedule with chunks of at least 5 us of work";
const UNREPORTED: &str =
    "if a static loop differs (GCC's are not distinguished in it), try a dynamic schedule";
const CHUNKS: &str = "begin with the longest iterations";
const SECTIONS: &str = "try more and smaller sections";
const OTHER: &str = "share its work more evenly";
const FINE: &str = "give each thread as much work by hand: it is too fine for another schedule";

pub(super) const NOWAIT: &str = "try `nowait`";

/// Advice for any construct of its kind.
pub(super) fn in_general(construct: &ConstructReport) -> &'static str {
    match construct.what.as_str() {
        "for static" | "for" => DYNAMIC,
        "for dynamic" | "for guided" => CHUNKS,
        "sections" => SECTIONS,
        _ if construct.class == Class::Region && construct.static_loops_unreported => UNREPORTED,
        _ => OTHER,
    }
}

/// Advice for this construct, and its gain.
pub(super) fn advice(report: &Report, at: usize, construct: &ConstructReport) -> (String, Gain) {
    let part = on_path(report, at);
    let (cure, [ns, low, high]) = cure(construct);
    let gain = Gain::of(report, part * ns, part * low, part * high);
    match nowait(report, construct, part) {
        Some((other, saved)) if saved.ns > gain.ns => (other, saved),
        _ => (cure, gain),
    }
}

/// Cure and gain of no barrier between a construct and the one that follows.
fn nowait(report: &Report, construct: &ConstructReport, part: f64) -> Option<(String, Gain)> {
    let next = report.constructs.get(construct.what_if.nowait_before?)?;
    let saved = part * construct.what_if.nowait_ns as f64;
    let even = part * even(construct);
    let cure =
        format!("{NOWAIT}, if {} needs nothing that other threads do in it", super::named(next));
    (saved >= ENOUGH * even).then(|| (cure, Gain::of(report, saved, saved / 2.0, saved)))
}

/// Gain of a perfectly even share of the work, in nanoseconds.
fn even(construct: &ConstructReport) -> f64 {
    construct.balance.longest_ns.saturating_sub(construct.balance.mean_ns) as f64
}

/// Gain if each thread had the mean work over all instances, in nanoseconds: the rest of the imbalance changes its
/// thread from one instance to the next, and may be caused by the machine.
fn systematic(construct: &ConstructReport) -> f64 {
    let work = &construct.work_by_thread_ns;
    let mean = work.iter().sum::<u64>() as f64 / work.len().max(1) as f64;
    (work.iter().max().map_or(0.0, |most| *most as f64) - mean).min(even(construct))
}

/// The cure, and its expected, least and largest gain, in nanoseconds.
fn cure(construct: &ConstructReport) -> (String, [f64; 3]) {
    let per_instance = construct.iterations / construct.calls.max(1);
    let threads = construct.threads.max(1);
    let even = even(construct);
    let expected = (systematic(construct) + even) / 2.0;
    let unknown = [expected, 0.0, even];
    match in_general(construct) {
        DYNAMIC if per_instance == 0 => (DYNAMIC.into(), unknown),
        DYNAMIC if per_instance < 2 * threads => (
            format!(
                "try `collapse`: its {per_instance} iterations are too few for {threads} threads"
            ),
            [expected, even / 2.0, even],
        ),
        DYNAMIC => dynamic(construct, per_instance, expected),
        CHUNKS => chunks(construct, per_instance),
        other => (other.into(), unknown),
    }
}

/// A static loop, by chunks.
fn dynamic(construct: &ConstructReport, per_instance: u64, expected: f64) -> (String, [f64; 3]) {
    let instances = construct.balance.instances.max(1) as f64;
    let threads = construct.threads.max(1) as f64;
    let mean = construct.balance.mean_ns as f64 / instances;
    let longest = construct.balance.longest_ns as f64 / instances;
    let all = Loop {
        iterations: per_instance,
        threads: construct.threads.max(1),
        each: mean * threads / per_instance as f64,
        longest_each: longest * threads / per_instance as f64,
    };
    let chunk = all.chunk();
    let cost = instances * all.handing_out(chunk);
    let tail = instances * all.tail(chunk);
    let even = even(construct);
    let gain = expected - cost - tail / 2.0;
    // Where the loop is bound by memory, what chunks cost of their data's locality may take half of it back.
    let gain = [gain, (systematic(construct) - cost - tail).min(gain / 2.0), even - cost];
    match gain[0] >= ENOUGH * even && all.is_worth(chunk) {
        true => (format!("try schedule(dynamic, {chunk})"), gain),
        false => (FINE.into(), [0.0, 0.0, even]),
    }
}

/// Cure and gain of a loop whose chunks are handed out already: by a replay of its chunks.
fn chunks(construct: &ConstructReport, per_instance: u64) -> (String, [f64; 3]) {
    let even = even(construct);
    let what_if = &construct.what_if;
    let longest_first = match what_if.longest_first_ns {
        0 => even / 2.0,
        longest_first => construct.balance.longest_ns.saturating_sub(longest_first) as f64,
    };
    let is_single = per_instance > 0 && construct.chunks >= construct.iterations;
    let cure = match is_single {
        true => "begin with the longest iterations: each is a chunk of its own",
        false => CHUNKS,
    };
    let low = longest_first.min(even) / 2.0;
    (cure.into(), [longest_first.min(even), low, even])
}

/// One instance of a loop in the mean; times are nanoseconds.
struct Loop {
    iterations: u64,
    threads: u64,
    /// Work of an iteration in the mean, and where it is longest.
    each: f64,
    longest_each: f64,
}

impl Loop {
    /// Iterations of a chunk: as many as make it worth handing out, and no more than let chunks go round.
    fn chunk(&self) -> u64 {
        let needed = (WORTH * DISPATCH / self.each.max(0.001)).ceil() as u64;
        let most = (self.iterations / (ROUNDS * self.threads)).max(1);
        needed.max(1).next_power_of_two().min(most)
    }

    fn is_worth(&self, chunk: u64) -> bool {
        chunk as f64 * self.each >= WORTH / 2.0 * DISPATCH
    }

    /// Time that each thread spends on handing out chunks, in nanoseconds.
    fn handing_out(&self, chunk: u64) -> f64 {
        self.iterations.div_ceil(chunk) as f64 * DISPATCH / self.threads as f64
    }

    /// Longest time that the other threads wait for the thread with the last chunk, in nanoseconds.
    fn tail(&self, chunk: u64) -> f64 {
        chunk as f64 * self.longest_each * (self.threads - 1) as f64 / self.threads as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Balance;

    fn of(iterations: u64, each: f64) -> Loop {
        Loop { iterations, threads: 4, each, longest_each: each }
    }

    #[test]
    fn chunks_are_worth_handing_out_and_go_round() {
        assert_eq!(of(100, 20_000.0).chunk(), 1);
        assert_eq!(of(100_000, 100.0).chunk(), 64);
        assert_eq!(of(160, 100.0).chunk(), 10, "four chunks a thread");
        assert!(!of(160, 100.0).is_worth(10), "a loop of 16 us is too fine");
    }

    /// A static loop of two threads, one of which has three times the other's work.
    fn uneven(iterations: u64, longest_ns: u64) -> ConstructReport {
        let (instances, mean_ns) = (1, longest_ns * 2 / 3);
        let balance = Balance { instances, longest_ns, mean_ns, ..Balance::default() };
        ConstructReport {
            what: "for static".into(),
            calls: 1,
            threads: 2,
            iterations,
            balance,
            work_by_thread_ns: vec![longest_ns, longest_ns / 3],
            ..ConstructReport::default()
        }
    }

    #[test]
    fn what_is_won_is_less_than_an_even_share_by_what_handing_out_costs() {
        let (cure, [gain, low, high]) = cure(&uneven(1_000, 6_000_000));
        assert_eq!(cure, "try schedule(dynamic, 1)");
        // 2 ms but for 500 chunks of 200 ns and a quarter of the longest iteration; at least half of it.
        assert_eq!((gain, low, high), (1_897_000.0, 948_500.0, 1_900_000.0));
    }

    #[test]
    fn a_fine_loop_gets_no_dynamic_schedule() {
        let (cure, [gain, ..]) = cure(&uneven(100, 9_000));
        assert!(cure.contains("too fine") && gain == 0.0, "{cure} {gain}");
    }
}
